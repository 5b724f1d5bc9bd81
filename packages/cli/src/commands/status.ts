import * as Flags from '@oclif/core/flags';
import { BaseCommand } from '../command/base-command.ts';
import { durationFlag } from '../command/duration.ts';
import { EXIT_CODES } from '../errors/exit-codes.ts';
import { fieldsFlag } from '../command/flags.ts';
import { paintFor } from '../terminal/colors.ts';
import { STATUS_FIELDS } from '../features/resources/fields.ts';
import { parseFields } from '../format/fields.ts';
import { printRecord } from '../format/record.ts';
import { renderStatus } from '../features/status/render.ts';
import { terminalWidth } from '../terminal/stdout.ts';

export default class Status extends BaseCommand {
  static override summary = 'Show whether the pipeline can sync, and what to do if it cannot';
  static override description =
    'With --watch: in a terminal one page that is drawn again, elsewhere one page after the other, with --json one line of JSON for each look. When the service is away the last answer stands; q or Ctrl-C ends it.';
  static override examples = [
    { description: 'See every connection, with blockers and warnings', command: '<%= config.bin %> status' },
    { description: 'Stop a deployment while a CRM is disconnected', command: '<%= config.bin %> status --exit-code' },
    {
      description: 'List the codes of what is wrong',
      command: '<%= config.bin %> status --json --fields blockers.code',
    },
    { description: 'Keep an eye on it while a CRM is connected again', command: '<%= config.bin %> status --watch' },
  ];
  static override exitCodes = {
    9: 'with --exit-code: not ready',
    130: 'with --watch: Ctrl-C, its usual end beside q, which is 0',
  };
  static override flags = {
    fields: fieldsFlag,
    'exit-code': Flags.boolean({ description: 'Exit with 9 when not ready; without it, an answer is success' }),
    watch: Flags.boolean({ description: 'Look again and again', exclusive: ['exit-code'] }),
    interval: durationFlag({
      description: 'With --watch: time between two looks, default 10s',
      helpValue: '10s',
      min: 1,
      dependsOn: ['watch'],
    }),
  };

  async run(): Promise<void> {
    const { flags } = await this.parse(Status);
    const fields = flags.fields === undefined ? null : parseFields(flags.fields, STATUS_FIELDS);
    const client = this.connect(flags);
    if (flags.watch) {
      const { watchStatus } = await import('../features/status/watch.ts');
      return watchStatus(client, { intervalMs: (flags.interval ?? 10) * 1000, isJson: flags.json, fields });
    }
    const status = await client.account.status();
    const paint = paintFor(process.stdout);
    const render = () => renderStatus(status, terminalWidth(), paint);
    await printRecord(status, { isJson: flags.json, fields, paint, render });
    if (flags['exit-code'] && !status.ready) process.exitCode = EXIT_CODES.negative;
  }
}
