import * as Args from '@oclif/core/args';
import { BaseCommand } from '../../command/base-command.ts';
import { fieldsFlag } from '../../command/flags.ts';
import { SYNC_RESOURCE_FIELDS } from '@svc/contract/fields';
import { parseFields } from '../../format/fields.ts';
import { printRecord } from '../../format/record.ts';
import { syncLines } from '../../features/logs/syncs.ts';

export default class SyncsGet extends BaseCommand {
  static override summary = 'Show one sync with the answer of the CRM';
  static override examples = [
    { description: 'One sync', command: '<%= config.bin %> syncs get 700123' },
    { description: 'Only the answer of the CRM', command: '<%= config.bin %> syncs get 700123 --json --fields error' },
  ];
  static override args = { id: Args.integer({ description: 'Id of the sync', required: true, min: 1 }) };
  static override flags = { fields: fieldsFlag };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(SyncsGet);
    const fields = parseFields(flags.fields, SYNC_RESOURCE_FIELDS);
    const sync = await this.connect(flags).syncs.get(args.id);
    await printRecord(sync, { isJson: flags.json, fields, lines: () => syncLines(sync) });
  }
}
