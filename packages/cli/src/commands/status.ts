import * as Flags from '@oclif/core/flags';
import { BaseCommand } from '../command/base-command.ts';
import { durationFlag } from '../command/duration.ts';
import { EXIT_CODES } from '../errors/exit-codes.ts';
import { fieldsFlag } from '../command/flags.ts';
import { ACCOUNT_STATUS_RESPONSE_FIELDS } from '@svc/contract/fields';
import { parseFields } from '../format/fields.ts';
import { printRecord } from '../format/record.ts';
import { fetchFailingSources } from '@svc/mcp/explain/failing-sources';
import { renderStatus } from '../features/status/render.ts';
import { terminalWidth } from '../terminal/stdout.ts';

export default class Status extends BaseCommand {
  static override summary = 'Show whether the pipeline can sync, and how to fix problems';
  static override description =
    'Shows what is wrong where; --long also says what it means and how to fix it. Problems lists what fails although no blocker says so; failing sources come from the platform events and are not part of the JSON. With --watch, refreshes the page in a terminal, or prints one page after another elsewhere, or one line of JSON per request with --json. If the service does not answer, the last answer stays. q or Ctrl-C ends it.';
  static override examples = [
    { description: 'Show every connection, with blockers and warnings', command: '<%= config.bin %> status' },
    { description: 'With explanations and fixes', command: '<%= config.bin %> status --long' },
    { description: 'Stop a deployment while a CRM is disconnected', command: '<%= config.bin %> status --exit-code' },
    {
      description: 'List the codes of all blockers',
      command: '<%= config.bin %> status --json --fields blockers.code',
    },
    { description: 'Watch the status while a CRM is connected again', command: '<%= config.bin %> status --watch' },
  ];
  static override exitCodes = {
    9: 'with --exit-code: not ready',
    130: 'with --watch: Ctrl-C; q exits with 0',
  };
  static override flags = {
    fields: fieldsFlag,
    long: Flags.boolean({ description: 'Say what each entry means, and how to fix it', exclusive: ['fields'] }),
    'exit-code': Flags.boolean({ description: 'Exit with 9 if not ready; otherwise every answer exits with 0' }),
    watch: Flags.boolean({ description: 'Refresh the status until q or Ctrl-C', exclusive: ['exit-code'] }),
    interval: durationFlag({
      description: 'With --watch: time between two requests, default 10s',
      helpValue: '10s',
      min: 1,
      dependsOn: ['watch'],
    }),
  };

  async run(): Promise<void> {
    const { flags } = await this.parse(Status);
    const fields = parseFields(flags.fields, ACCOUNT_STATUS_RESPONSE_FIELDS);
    const client = this.connect(flags);
    if (flags.watch) {
      const { watchStatus } = await import('../features/status/watch.ts');
      return watchStatus(client, {
        intervalMs: (flags.interval ?? 10) * 1000,
        isJson: flags.json,
        fields,
        isLong: flags.long,
      });
    }
    const readsSources = !flags.json && fields === null;
    const [status, failing] = await Promise.all([
      client.account.status(),
      readsSources ? fetchFailingSources(client, { maxRetries: 0 }) : [],
    ]);
    await printRecord(status, {
      isJson: flags.json,
      fields,
      render: (paint) => renderStatus({ status, failing }, { width: terminalWidth(), paint, isLong: flags.long }),
    });
    if (flags['exit-code'] && !status.ready) process.exitCode = EXIT_CODES.negative;
  }
}
