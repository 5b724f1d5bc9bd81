import { MockCommand } from '../../features/mock/mock-command.ts';

export default class MockReplay extends MockCommand {
  static override summary = 'Answer calls from a recording, offline, until Ctrl-C';
  static override description =
    'Serves a cassette of `svc mock record` on this machine. A call that was not recorded is answered 501 with the nearest recorded one. Needs the package @svc/mock, installed next to this package or in the project of the current folder. Takes the options of svc-mock replay: `svc mock replay -- --help` lists them.';
  static override examples = [
    {
      description: 'On a free port, whatever the time range of a call',
      command: '<%= config.bin %> mock replay cassette.json --port 0 --ignore-query from,to',
    },
    {
      description: 'On port 4010',
      command: '<%= config.bin %> mock replay cassette.json',
    },
  ];
  /** For docs/cli.md. */
  static exitCodes = {
    1: '@svc/mock is not installed',
    2: 'svc-mock refuses an option or the cassette',
    130: 'Ctrl-C, the normal end',
  };

  async run(): Promise<void> {
    await this.runMock(['replay']);
  }
}
