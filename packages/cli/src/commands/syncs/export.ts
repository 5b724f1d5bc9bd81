import { BaseCommand } from '../../command/base-command.ts';
import { EXPORT_EXIT_CODES, EXPORT_NOTE, exportFlags } from '../../features/export/flags.ts';
import { rangeFlags, syncFilterFlags } from '../../command/flags.ts';
import { SYNC_RESOURCE_FIELDS } from '@svc/contract/fields';
import { matcherOf, ownFilterFlags } from '../../features/logs/own-filters.ts';
import { runExport } from '../../features/export/run-export.ts';

export default class SyncsExport extends BaseCommand {
  static override summary = 'Export all syncs of a range of any length';
  static override description = EXPORT_NOTE;
  static override examples = [
    {
      description: 'The last week as CSV',
      command: '<%= config.bin %> syncs export --since 7d --format csv --output syncs.csv',
    },
    {
      description: 'A year of failures into another program',
      command: '<%= config.bin %> syncs export --from 2025-01 --to 2025-12 --status error --format ndjson | jq .error',
    },
    {
      description: 'A compressed file for each day of January',
      command: '<%= config.bin %> syncs export --month 2026-01 --split day --output syncs.ndjson.gz --resume',
    },
  ];
  static override exitCodes = EXPORT_EXIT_CODES;
  static override flags = { ...rangeFlags, ...syncFilterFlags, ...ownFilterFlags, ...exportFlags };

  async run(): Promise<void> {
    await runExport({
      rowsName: 'syncs',
      command: `${this.config.bin} syncs export`,
      allFields: SYNC_RESOURCE_FIELDS,
      parse: async (argv) => (await this.parse(SyncsExport, argv)).flags,
      range: (flags) => this.logRange(flags, null),
      connect: (flags) => ({ client: this.connect(flags), baseUrl: this.credentials(flags).baseUrl }),
      matcher: (flags) => matcherOf(flags),
      list: ({ syncs }, { status, source, connection }, log) =>
        syncs.list({ ...log, status, sourceId: source, connectionId: connection }),
      count: async ({ syncs }, { status, source, connection }, window, signal) => {
        const counts = await syncs.metrics({ ...window, sourceId: source, connectionId: connection }, { signal });
        return status === undefined ? counts.success + counts.warning + counts.error : counts[status];
      },
    });
  }
}
