import { stopWatchingSignals } from '../../terminal/interrupts.ts';
import { MockCommand } from '../../features/mock/mock-command.ts';

export default class MockRecord extends MockCommand {
  static override summary = 'Record the answers of a service for offline tests, until Ctrl-C';
  static override description =
    'A proxy on this machine: it passes calls on to --upstream with the key of each caller and writes the answers to --output, without keys and other secrets. Personal data stays unless --redact-emails replaces email addresses. Needs the package @svc/mock, installed next to this package or in the project of the current folder. Ctrl-C completes the file and exits with 0. Takes the options of svc-mock record: `svc mock record -- --help` lists them.';
  static override examples = [
    {
      description: 'Record what other commands ask for',
      command: '<%= config.bin %> mock record --upstream https://api.example.com --output cassette.json',
    },
    {
      description: 'Leave out ranges that move, and replace email addresses',
      command:
        '<%= config.bin %> mock record --upstream https://api.example.com --output cassette.json --ignore-query from,to --redact-emails',
    },
  ];
  /** For docs/cli.md. */
  static exitCodes = {
    1: '@svc/mock is not installed',
    2: 'svc-mock refuses an option',
  };

  async run(): Promise<void> {
    // It completes the file when a signal ends it.
    stopWatchingSignals();
    await this.runMock(['record']);
  }
}
