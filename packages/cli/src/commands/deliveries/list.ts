import { BaseCommand } from '../../command/base-command.ts';
import { deliveryFilterFlags, listFlags, pageFlags, rangeFlags } from '../../command/flags.ts';
import { keepErrors } from '../../features/logs/error-columns.ts';
import { DELIVERY_COLUMNS } from '../../features/logs/deliveries.ts';
import { DESTINATION_DELIVERY_FIELDS } from '@svc/contract/fields';
import { describeNone, listOutput, printList } from '../../command/print-list.ts';
import { filterRows } from '../../command/filter-rows.ts';
import { matcherOf, ownFilterFlags, suggestEventType } from '../../features/logs/own-filters.ts';
import { toTimeRange } from '../../command/log-range.ts';

export default class DeliveriesList extends BaseCommand {
  static override summary = 'List the newest deliveries (events posted to destinations)';
  static override examples = [
    {
      description: 'What happened to one recipient in the last 30 days',
      command: '<%= config.bin %> deliveries list --email kim@example.org --since 30d',
    },
    {
      description: 'Deliveries that a destination refused in the last day',
      command: '<%= config.bin %> deliveries list --destination 31 --since 24h --status error',
    },
    {
      description: 'Destination and answer of all deliveries, as CSV',
      command: '<%= config.bin %> deliveries list --all --format csv --fields id,destinationUrl,httpStatus',
    },
  ];
  static override flags = {
    ...rangeFlags,
    ...deliveryFilterFlags,
    ...ownFilterFlags,
    ...pageFlags,
    ...listFlags,
  };

  async run(): Promise<void> {
    const { flags } = await this.parse(DeliveriesList);
    const range = this.logRange(flags);
    const output = listOutput(flags, {
      allFields: DESTINATION_DELIVERY_FIELDS,
      columns: flags.status === 'error' ? keepErrors(DELIVERY_COLUMNS) : DELIVERY_COLUMNS,
      whenEmpty: `${describeNone('deliveries', range, flags)}${suggestEventType(flags)}`,
    });
    const client = this.connect(flags);
    const { deliveries, destinations } = client;
    const params = { ...(await toTimeRange(client, range)), status: flags.status };
    const { destination } = flags;
    const list = destination === undefined ? deliveries.list(params) : destinations.listDeliveries(destination, params);
    const matches = matcherOf(flags);
    const rows = matches === null ? list : filterRows(list, matches, { rowsName: 'deliveries', isJson: flags.json });
    await printList(rows, flags, output, { rowsName: 'deliveries', range });
  }
}
