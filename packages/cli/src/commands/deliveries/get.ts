import * as Args from '@oclif/core/args';
import { DESTINATION_DELIVERY_FIELDS } from '@svc/contract/fields';
import { BaseCommand } from '../../command/base-command.ts';
import { allTimeFlag, fieldsFlag, rangeFlags } from '../../command/flags.ts';
import { toTimeRange } from '../../command/log-range.ts';
import { deliveryLines } from '../../features/logs/deliveries.ts';
import { FIND_NOTE, findRow } from '../../features/logs/find-row.ts';
import { parseFields } from '../../format/fields.ts';
import { printRecord } from '../../format/record.ts';

export default class DeliveriesGet extends BaseCommand {
  static override summary = 'Show one delivery';
  static override description = FIND_NOTE;
  static override examples = [
    { description: 'A delivery of the last week', command: '<%= config.bin %> deliveries get 900123' },
    {
      description: 'Only its answer',
      command: '<%= config.bin %> deliveries get 900123 --since 30d --json --fields httpStatus,error',
    },
  ];
  static override args = { id: Args.integer({ description: 'Id of the delivery', required: true, min: 1 }) };
  static override flags = { ...rangeFlags, all: allTimeFlag, fields: fieldsFlag };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(DeliveriesGet);
    const fields = parseFields(flags.fields, DESTINATION_DELIVERY_FIELDS);
    const range = this.logRange(flags);
    const client = this.connect(flags);
    const list = client.deliveries.list(await toTimeRange(client, range));
    const search = { name: 'Delivery', rowsName: 'deliveries', range, isJson: flags.json };
    const found = await findRow(list, args.id, search);
    await printRecord(found, { isJson: flags.json, fields, lines: () => deliveryLines(found) });
  }
}
