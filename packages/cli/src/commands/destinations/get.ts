import * as Args from '@oclif/core/args';
import { BaseCommand } from '../../command/base-command.ts';
import { fieldsFlag } from '../../command/flags.ts';
import { destinationLines } from '../../features/resources/destinations.ts';
import { DESTINATION_RESOURCE_FIELDS } from '@svc/contract/fields';
import { parseFields } from '../../format/fields.ts';
import { printRecord } from '../../format/record.ts';

export default class DestinationsGet extends BaseCommand {
  static override summary = 'Show one destination with its events and sources';
  static override examples = [
    { description: 'One destination', command: '<%= config.bin %> destinations get 31' },
    { description: 'Only its URL', command: '<%= config.bin %> destinations get 31 --json --fields url' },
  ];
  static override args = {
    id: Args.integer({ description: 'Id of the destination', required: true, min: 1 }),
  };
  static override flags = { fields: fieldsFlag };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(DestinationsGet);
    const fields = parseFields(flags.fields, DESTINATION_RESOURCE_FIELDS);
    const destination = await this.connect(flags).destinations.get(args.id);
    await printRecord(destination, { isJson: flags.json, fields, lines: () => destinationLines(destination) });
  }
}
