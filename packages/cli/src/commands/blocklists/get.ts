import * as Args from '@oclif/core/args';
import { BLOCKLIST_FIELDS } from '@svc/contract/fields';
import { BaseCommand } from '../../command/base-command.ts';
import { findItem } from '../../command/find-item.ts';
import { fieldsFlag } from '../../command/flags.ts';
import { blocklistLines } from '../../features/blocklists/columns.ts';
import { parseFields } from '../../format/fields.ts';
import { printRecord } from '../../format/record.ts';

export default class BlocklistsGet extends BaseCommand {
  static override summary = 'Show one block list';
  static override description =
    'The API returns block lists only as a list, in which this command finds the block list.';
  static override examples = [
    { description: 'One block list', command: '<%= config.bin %> blocklists get 1' },
    {
      description: 'Only its status and last error',
      command: '<%= config.bin %> blocklists get 1 --json --fields status,lastError',
    },
  ];
  static override args = { id: Args.integer({ description: 'Id of the block list', required: true, min: 1 }) };
  static override flags = { fields: fieldsFlag };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(BlocklistsGet);
    const fields = parseFields(flags.fields, BLOCKLIST_FIELDS);
    const { blocklists } = await this.connect(flags).blocklists.list();
    const item = findItem(blocklists, args.id, { resource: 'Blocklist', listCommand: 'svc blocklists list' });
    await printRecord(item, { isJson: flags.json, fields, lines: () => blocklistLines(item) });
  }
}
