import * as Args from '@oclif/core/args';
import { REPLY_RELAY_FIELDS } from '@svc/contract/fields';
import { BaseCommand } from '../../command/base-command.ts';
import { findItem } from '../../command/find-item.ts';
import { fieldsFlag } from '../../command/flags.ts';
import { relayLines } from '../../features/resources/relays.ts';
import { parseFields } from '../../format/fields.ts';
import { printRecord } from '../../format/record.ts';

export default class RelaysGet extends BaseCommand {
  static override summary = 'Show one reply relay';
  static override description =
    'The API returns reply relays only as a list, in which this command finds the reply relay.';
  static override examples = [
    { description: 'One reply relay', command: '<%= config.bin %> relays get 1' },
    { description: 'Only who gets a copy', command: '<%= config.bin %> relays get 1 --json --fields ccEmail' },
  ];
  static override args = { id: Args.integer({ description: 'Id of the reply relay', required: true, min: 1 }) };
  static override flags = { fields: fieldsFlag };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(RelaysGet);
    const fields = parseFields(flags.fields, REPLY_RELAY_FIELDS);
    const { replyRelays } = await this.connect(flags).replyRelays.list();
    const item = findItem(replyRelays, args.id, { resource: 'Reply relay', listCommand: 'svc relays list' });
    await printRecord(item, { isJson: flags.json, fields, lines: () => relayLines(item) });
  }
}
