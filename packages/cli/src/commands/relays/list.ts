import { BaseCommand } from '../../command/base-command.ts';
import { listOutput } from '../../command/print-list.ts';
import { listFlags } from '../../command/flags.ts';
import { REPLY_RELAY_FIELDS } from '@svc/contract/fields';
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
    const output = listOutput(flags, {
      allFields: REPLY_RELAY_FIELDS,
      columns: RELAY_COLUMNS,
      whenEmpty: 'No reply relays are accessible with this key.',
    });
    const { replyRelays } = await this.connect(flags).replyRelays.list();
    await printRows(replyRelays, output);
  }
}
