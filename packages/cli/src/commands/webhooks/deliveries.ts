import * as Flags from '@oclif/core/flags';
import { WEBHOOK_DELIVERY_STATUSES } from '@svc/contract/vocabulary';
import { BaseCommand } from '../../command/base-command.ts';
import { listFlags, pageFlags } from '../../command/flags.ts';
import { webhookArg } from '../../features/webhooks/flags.ts';
import { WEBHOOK_DELIVERY_FIELDS } from '@svc/contract/fields';
import { WEBHOOK_DELIVERY_COLUMNS } from '../../features/webhooks/columns.ts';
import { listOutput, printList } from '../../command/print-list.ts';

export default class WebhooksDeliveries extends BaseCommand {
  static override summary = 'List the newest deliveries of a webhook';
  static override description =
    'PENDING: in progress or waiting for the next attempt. DEAD: permanently refused, or no attempts are left. FAILED: abandoned because the webhook was deleted or inactive.';
  static override examples = [
    { description: 'The newest deliveries', command: '<%= config.bin %> webhooks deliveries oswhk_01' },
    {
      description: 'All dead deliveries, as CSV',
      command: '<%= config.bin %> webhooks deliveries oswhk_01 --status DEAD --all --format csv',
    },
  ];
  static override args = { id: webhookArg };
  static override flags = {
    status: Flags.option({ options: WEBHOOK_DELIVERY_STATUSES, description: 'Only deliveries in this status' })(),
    ...pageFlags,
    ...listFlags,
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(WebhooksDeliveries);
    const whenEmpty = flags.status === undefined ? 'No deliveries.' : `No deliveries in status ${flags.status}.`;
    const output = listOutput(flags, {
      allFields: WEBHOOK_DELIVERY_FIELDS,
      columns: WEBHOOK_DELIVERY_COLUMNS,
      whenEmpty,
    });
    const list = this.connect(flags).webhooks.listDeliveries(args.id, { status: flags.status });
    await printList(list, flags, output, { rowsName: 'deliveries', range: null });
  }
}
