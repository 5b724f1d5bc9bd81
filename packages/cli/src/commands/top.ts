import * as Flags from '@oclif/core/flags';
import { BaseCommand } from '../command/base-command.ts';
import { durationFlag } from '../command/duration.ts';
import { readLogLevel } from '../config/environment.ts';
import { usageError } from '../errors/cli-error.ts';
import { canDraw } from '../terminal/environment.ts';

export default class Top extends BaseCommand {
  static override summary = 'Watch connections, rates, failures, block lists and the log on one screen';
  static override description =
    'Fills the terminal (80x24 or larger) and reads the service again and again: about 50 of the 120 requests that a key may make in a minute, fewer after it met the rate limit. ? shows the keys: / filters, Enter opens a row, e explains a sync like svc syncs explain, r retries a failed one after a question, q quits. Without a terminal, with TERM=dumb, --once or --json it prints the same once and exits. The API does not tell how long the queue is: shown instead are the requests that came after the newest one with a sync, and what block lists have pending. --json prints {"status", "failingSources", "rates": {"fiveMinutes", "hour", "day"}, "withoutSync": [{"connectionId", "requests", "oldestAt"}], "blocklists", "syncs", "gaps": [{"part", "reason"}]}, where gaps names what the key may not read.';
  static override examples = [
    { description: 'Watch the service', command: '<%= config.bin %> top' },
    { description: 'Print the same once', command: '<%= config.bin %> top --once' },
    {
      description: 'The failures of the last hour, for a program',
      command: '<%= config.bin %> top --jq .rates.hour.syncs.error',
    },
  ];
  static override exitCodes = { 130: 'Ctrl-C; q exits with 0' };
  static override flags = {
    once: Flags.boolean({ description: 'Print one plain page and exit' }),
    interval: durationFlag({
      description: 'Time between two polls of the log, default 5s; other parts are read less often',
      helpValue: '5s',
      min: 3,
      exclusive: ['once'],
    }),
  };

  async run(): Promise<void> {
    const { flags } = await this.parse(Top);
    const client = this.connect(flags);
    if (flags.once || flags.json || !canDraw()) {
      const { printTop } = await import('../features/top/print-top.ts');
      return printTop(client, { isJson: flags.json });
    }
    if (readLogLevel() !== 'off' && process.stderr.isTTY) {
      throw usageError('The lines of SVC_LOG would cover the screen', 'Redirect them: svc top 2>svc.log');
    }
    const { runTop } = await import('../features/top/run-top.ts');
    const { host } = new URL(this.credentials(flags).baseUrl);
    return runTop(client, { intervalMs: (flags.interval ?? 5) * 1000, host });
  }
}
