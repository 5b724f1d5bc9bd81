import * as Args from '@oclif/core/args';
import { BaseCommand } from '../../command/base-command.ts';
import { fieldsFlag } from '../../command/flags.ts';
import { webhookArg } from '../../features/webhooks/flags.ts';
import { parseFields } from '../../format/fields.ts';
import { printRecord } from '../../format/record.ts';
import { WEBHOOK_DELIVERY_FIELDS } from '@svc/contract/fields';
import { webhookDeliveryLines } from '../../features/webhooks/columns.ts';

export default class WebhooksReplay extends BaseCommand {
  static override summary = 'Send the event of a delivery again';
  static override description =
    'Works for deliveries in any status and for inactive webhooks. Shows the new delivery, which is queued. `svc webhooks recover` replays all failures since a time.';
  static override examples = [
    { description: 'One delivery', command: '<%= config.bin %> webhooks replay oswhk_01 oswhd_01' },
    {
      description: 'The id of the new delivery, for a script',
      command: '<%= config.bin %> webhooks replay oswhk_01 oswhd_01 --json | jq -r .id',
    },
  ];
  static override args = {
    id: webhookArg,
    delivery: Args.string({ description: 'Id of the delivery, oswhd_...', required: true }),
  };
  static override flags = { fields: fieldsFlag };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(WebhooksReplay);
    const fields = parseFields(flags.fields, WEBHOOK_DELIVERY_FIELDS);
    const delivery = await this.connect(flags).webhooks.replayDelivery(args.id, args.delivery);
    await printRecord(delivery, { isJson: flags.json, fields, lines: () => webhookDeliveryLines(delivery) });
  }
}
