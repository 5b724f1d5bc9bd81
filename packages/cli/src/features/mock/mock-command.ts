import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { PlainCommand } from '../../command/plain-command.ts';
import { isJsonRequested, printError } from '../../command/print-error.ts';
import { CliError } from '../../errors/cli-error.ts';
import { EXIT_CODES } from '../../errors/exit-codes.ts';
import { isRecord } from '../../format/fields.ts';
import { writeStderr } from '../../terminal/stderr.ts';

const NAME = '@svc/mock';

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

/**
 * Returns the program of `@svc/mock`, installed next to the CLI or in the project of the current folder.
 *
 * @param places folders from which to search upwards, like Node
 * @throws CliError (exit 1) with the command that installs it
 */
function findMock(places: readonly string[]): string {
  for (const place of places) {
    for (const folder of parentsOf(place)) {
      const program = programOf(join(folder, 'node_modules', ...NAME.split('/')));
      if (program !== null) return program;
    }
  }
  throw new CliError(
    'mock_not_installed',
    EXIT_CODES.unexpected,
    `${NAME} is not installed`,
    'Install it as you installed svc: npm install --global ./svc-mock-*.tgz',
  );
}

function programOf(folder: string): string | null {
  const file = join(folder, 'package.json');
  if (!existsSync(file)) return null;
  const manifest: unknown = JSON.parse(readFileSync(file, 'utf8'));
  const bin = isRecord(manifest) && isRecord(manifest.bin) ? manifest.bin['svc-mock'] : null;
  return typeof bin === 'string' ? join(folder, bin) : null;
}

function parentsOf(folder: string): string[] {
  const parent = dirname(folder);
  return parent === folder ? [folder] : [folder, ...parentsOf(parent)];
}
