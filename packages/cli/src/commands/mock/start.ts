import { pathToFileURL } from 'node:url';
import { PlainCommand } from '../../command/plain-command.ts';
import { isJsonRequested, printError } from '../../command/print-error.ts';
import { writeStderr } from '../../terminal/stderr.ts';
import { findMock } from '../../features/mock/find-mock.ts';

/** Not a `BaseCommand`: all flags are the mock's own. */
export default class MockStart extends PlainCommand {
  static override summary = 'Run the whole service offline, until Ctrl-C';
  static override description =
    'Needs the package @svc/mock beside this one, or in the project of the current folder. All options are those of its svc-mock: `svc mock start -- --help` lists them. Its address is on stdout, its keys are on stderr.';
  static override examples = [
    { description: 'On port 4010', command: '<%= config.bin %> mock start' },
    {
      description: 'In a situation, on any free port, at a fixed time',
      command: '<%= config.bin %> mock start --port 0 --scenario not-ready --now 2026-01-15T12:00:00Z',
    },
  ];
  /** For the reference. */
  static exitCodes = {
    1: '@svc/mock is not installed',
    2: 'svc-mock does not take an option',
    130: 'Ctrl-C, its usual end',
  };
  static override strict = false;

  async run(): Promise<void> {
    const program = findMock([import.meta.dirname, process.cwd()]);
    const [first, ...rest] = this.argv;
    // In this process: none is left over, however this one ends.
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
