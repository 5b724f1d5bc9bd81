import { BaseCommand } from '../../command/base-command.ts';
import { listFlags, listFormat } from '../../command/flags.ts';
import { REPLY_RELAY_FIELDS } from '@svc/contract/fields';
import { parseFields } from '../../format/fields.ts';
import { RELAY_COLUMNS } from '../../features/resources/relays.ts';
import { printRows } from '../../format/rows.ts';

export default class RelaysList extends BaseCommand {
  static override summary = 'List the reply relays (who gets a copy when a contact replies)';
  static override examples = [
    { description: 'All reply relays', command: '<%= config.bin %> relays list' },
    {
      description: 'Who gets a copy, and for which categories of replies',
      command: '<%= config.bin %> relays list --json --fields ccEmail,categoryAllowlist.name',
    },
  ];
  static override flags = listFlags;

  async run(): Promise<void> {
    const { flags } = await this.parse(RelaysList);
    const known = REPLY_RELAY_FIELDS;
    const fields = flags.fields === undefined ? null : parseFields(flags.fields, known);
    const { replyRelays } = await this.connect(flags).replyRelays.list();
    const whenEmpty = 'No reply relays are accessible with this key.';
    await printRows(replyRelays, { format: listFormat(flags), fields, known, columns: RELAY_COLUMNS, whenEmpty });
  }
}
