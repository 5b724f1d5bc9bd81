import { BaseCommand } from '../../command/base-command.ts';
import { deliveryFilterFlags, listFlags, pageFlags, rangeFlags } from '../../command/flags.ts';
import { DELIVERY_COLUMNS } from '../../features/logs/deliveries.ts';
import { DESTINATION_DELIVERY_FIELDS } from '@svc/contract/fields';
import { listOutput, printList } from '../../command/print-list.ts';
import { resolveRange } from '../../command/time-range.ts';

export default class DeliveriesList extends BaseCommand {
  static override summary = 'List the newest deliveries (events posted to destinations)';
  static override examples = [
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
    ...pageFlags,
    ...listFlags,
  };

  async run(): Promise<void> {
    const { flags } = await this.parse(DeliveriesList);
    const output = listOutput(flags, {
      allFields: DESTINATION_DELIVERY_FIELDS,
      columns: DELIVERY_COLUMNS,
      whenEmpty: 'No deliveries in this range.',
    });
    const params = { ...resolveRange(flags, Date.now(), '7d'), status: flags.status };
    const { deliveries, destinations } = this.connect(flags);
    const { destination } = flags;
    const list = destination === undefined ? deliveries.list(params) : destinations.listDeliveries(destination, params);
    await printList(list, flags, output);
  }
}
