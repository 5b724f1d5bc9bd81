import * as Args from '@oclif/core/args';
import * as Flags from '@oclif/core/flags';
import { BaseCommand } from '../../command/base-command.ts';
import { fieldsFlag } from '../../command/flags.ts';
import { replayLines } from '../../features/logs/deliveries.ts';
import { REPLAY_QUEUED_FIELDS } from '@svc/contract/fields';
import { parseFields } from '../../format/fields.ts';
import { printRecord } from '../../format/record.ts';

export default class DeliveriesReplay extends BaseCommand {
  static override summary = 'Send a delivery to its destination again';
  static override description =
    'Works for successful and failed deliveries. The replay is queued and becomes a new delivery. Needs a key with write scope. A delivery without a request (payloadId null), or whose payload has been deleted, is reported as not found. --json prints {"queued", "destinationId", "payloadId"}.';
  static override examples = [
    { description: 'One delivery', command: '<%= config.bin %> deliveries replay 900123 --destination 31' },
    {
      description: 'All deliveries that a destination refused today',
      command:
        "<%= config.bin %> deliveries list --destination 31 --since today --status error --all --jq '.[].id' | xargs -n 1 <%= config.bin %> deliveries replay --destination 31",
    },
  ];
  static override args = {
    id: Args.integer({ description: 'Id of the delivery', required: true, min: 1 }),
  };
  static override flags = {
    destination: Flags.integer({
      description: 'The destination it went to',
      helpValue: 'ID',
      required: true,
      min: 1,
    }),
    fields: fieldsFlag,
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(DeliveriesReplay);
    const fields = parseFields(flags.fields, REPLAY_QUEUED_FIELDS);
    const replay = await this.connect(flags).destinations.replayDelivery(flags.destination, args.id);
    await printRecord(replay, { isJson: flags.json, fields, lines: () => replayLines(replay, args.id) });
  }
}
