import { pathToFileURL } from 'node:url';
import { PlainCommand } from '../../command/plain-command.ts';
import { isJsonRequested, printError } from '../../command/print-error.ts';
import { writeStderr } from '../../terminal/stderr.ts';
import { findMock } from './find-mock.ts';

/** A command that passes all arguments to `svc-mock`, so it is not a `BaseCommand`. */
export abstract class MockCommand extends PlainCommand {
  static override strict = false;

  /** @param words come before the arguments */
  protected async runMock(words: readonly string[]): Promise<void> {
    const program = findMock([import.meta.dirname, process.cwd()]);
    const [first, ...rest] = this.argv;
    // Runs in this process, so that no child process can be left behind.
    process.argv.splice(1, Number.POSITIVE_INFINITY, program, ...words, ...(first === '--' ? rest : this.argv));
    await import(pathToFileURL(program).href);
  }

  protected override async catch(error: unknown): Promise<void> {
    process.exitCode = printError(error, {
      isJson: isJsonRequested(this.argv),
      credentials: null,
      write: writeStderr,
    });
  }
}
