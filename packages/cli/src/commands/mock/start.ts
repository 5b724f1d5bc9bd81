import { pathToFileURL } from 'node:url';
import { PlainCommand } from '../../command/plain-command.ts';
import { isJsonRequested, printError } from '../../command/print-error.ts';
import { writeStderr } from '../../terminal/stderr.ts';
import { findMock } from '../../features/mock/find-mock.ts';

/** Passes all arguments to `svc-mock`, so it is not a `BaseCommand`. */
export default class MockStart extends PlainCommand {
  static override summary = 'Run a mock of the whole service offline, until Ctrl-C';
  static override description =
    'Needs the package @svc/mock, installed next to this package or in the project of the current folder. Takes the options of svc-mock: `svc mock start -- --help` lists them. Prints its address on stdout and its keys on stderr.';
  static override examples = [
    { description: 'On port 4010', command: '<%= config.bin %> mock start' },
    {
      description: 'With a scenario, on a free port, at a fixed time',
      command: '<%= config.bin %> mock start --port 0 --scenario not-ready --now 2026-01-15T12:00:00Z',
    },
  ];
  /** For docs/cli.md. */
  static exitCodes = {
    1: '@svc/mock is not installed',
    2: 'svc-mock refuses an option',
    130: 'Ctrl-C, the normal end',
  };
  static override strict = false;

  async run(): Promise<void> {
    const program = findMock([import.meta.dirname, process.cwd()]);
    const [first, ...rest] = this.argv;
    // Runs in this process, so that no child process can be left behind.
    process.argv.splice(1, Number.POSITIVE_INFINITY, program, ...(first === '--' ? rest : this.argv));
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
