import { BaseCommand } from '../../command/base-command.ts';
import { EXPORT_EXIT_CODES, EXPORT_NOTE, exportFlags } from '../../features/export/flags.ts';
import { rangeFlags, requestFilterFlags } from '../../command/flags.ts';
import { REQUEST_RECEIPT_FIELDS } from '@svc/contract/fields';
import { runExport } from '../../features/export/run-export.ts';

export default class RequestsExport extends BaseCommand {
  static override summary = 'Export all requests (posts of sequencers to the sources) of a range of any length';
  static override description = EXPORT_NOTE;
  static override examples = [
    {
      description: 'The requests of January, as CSV',
      command: '<%= config.bin %> requests export --month last-month --output requests.csv',
    },
    {
      description: 'The number of requests of one source on each day of a year',
      command:
        '<%= config.bin %> requests export --source 21 --since 365d --fields createdAt | cut -dT -f1 | sort | uniq -c',
    },
  ];
  static override exitCodes = EXPORT_EXIT_CODES;
  static override flags = { ...rangeFlags, ...requestFilterFlags, ...exportFlags };

  async run(): Promise<void> {
    await runExport({
      rowsName: 'requests',
      command: `${this.config.bin} requests export`,
      allFields: REQUEST_RECEIPT_FIELDS,
      parse: async (argv) => (await this.parse(RequestsExport, argv)).flags,
      range: (flags) => this.logRange(flags, null),
      connect: (flags) => ({ client: this.connect(flags), baseUrl: this.credentials(flags).baseUrl }),
      list: ({ requests }, { source }, log) => requests.list({ ...log, sourceId: source }),
      count: async ({ requests }, { source }, window, signal) =>
        (await requests.metrics({ ...window, sourceId: source }, { signal })).count,
    });
  }
}
