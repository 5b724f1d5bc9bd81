import { BaseCommand } from '../../command/base-command.ts';
import { EXPORT_EXIT_CODES, EXPORT_NOTE, exportFlags } from '../../features/export/flags.ts';
import { deliveryFilterFlags, rangeFlags } from '../../command/flags.ts';
import { DESTINATION_DELIVERY_FIELDS } from '@svc/contract/fields';
import { matcherOf, ownFilterFlags } from '../../features/logs/own-filters.ts';
import { runExport } from '../../features/export/run-export.ts';

export default class DeliveriesExport extends BaseCommand {
  static override summary = 'Export all deliveries (events posted to destinations) of a range of any length';
  static override description = EXPORT_NOTE;
  static override examples = [
    {
      description: 'A quarter as Parquet, for example for DuckDB',
      command: '<%= config.bin %> deliveries export --from 2026-01 --to 2026-03 --output deliveries.parquet',
    },
    {
      description: 'Deliveries that one destination refused',
      command:
        '<%= config.bin %> deliveries export --destination 31 --status error --since 90d --fields createdAt,httpStatus,error',
    },
  ];
  static override exitCodes = EXPORT_EXIT_CODES;
  static override flags = { ...rangeFlags, ...deliveryFilterFlags, ...ownFilterFlags, ...exportFlags };

  async run(): Promise<void> {
    await runExport({
      rowsName: 'deliveries',
      command: `${this.config.bin} deliveries export`,
      allFields: DESTINATION_DELIVERY_FIELDS,
      parse: async (argv) => (await this.parse(DeliveriesExport, argv)).flags,
      range: (flags) => this.logRange(flags, null),
      connect: (flags) => ({ client: this.connect(flags), baseUrl: this.credentials(flags).baseUrl }),
      matcher: (flags) => matcherOf(flags),
      list: ({ deliveries }, { status, destination }, log) =>
        deliveries.list({ ...log, status, destinationId: destination }),
      count: async ({ account, destinations }, { status, destination }, window, signal) => {
        const counts =
          destination === undefined
            ? (await account.metrics(window, { signal })).destinationDeliveries
            : await destinations.deliveryMetrics(destination, window, { signal });
        return status === undefined ? counts.success + counts.error : counts[status];
      },
    });
  }
}
