import { MockCommand } from '../../features/mock/mock-command.ts';

export default class MockStart extends MockCommand {
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

  async run(): Promise<void> {
    await this.runMock([]);
  }
}
