import * as Args from '@oclif/core/args';
import { BaseCommand } from '../../command/base-command.ts';
import { batchFields, printBatch, runBatch } from '../../command/batch.ts';
import { fieldsFlag } from '../../command/flags.ts';
import { webhookArg } from '../../features/webhooks/flags.ts';
import { parseFields } from '../../format/fields.ts';
import { printRecord } from '../../format/record.ts';
import { WEBHOOK_DELIVERY_FIELDS } from '@svc/contract/fields';
import { webhookDeliveryLines } from '../../features/webhooks/columns.ts';

const BATCH_FIELDS = batchFields('deliveries', [
  'replay',
  ...WEBHOOK_DELIVERY_FIELDS.map((field) => `replay.${field}`),
]);

export default class WebhooksReplay extends BaseCommand {
  static override summary = 'Send the events of deliveries again';
  static override description =
    'Works for deliveries in any status and for inactive webhooks. Shows the new delivery, which is queued. `svc webhooks recover` replays all failures since a time. --json prints the new delivery; with several ids {"exitCode", "deliveries": [{"id", "outcome", "replay", "error"}]}, where outcome is queued (replay is the new delivery) or refused (error says why).';
  static override examples = [
    { description: 'One delivery', command: '<%= config.bin %> webhooks replay oswhk_01 oswhd_01' },
    { description: 'Several', command: '<%= config.bin %> webhooks replay oswhk_01 oswhd_01 oswhd_02' },
    {
      description: 'The id of the new delivery, for a script',
      command: '<%= config.bin %> webhooks replay oswhk_01 oswhd_01 --json | jq -r .id',
    },
  ];
  static override exitCodes = { 10: 'some replays were queued, others refused' };
  static override args = {
    id: webhookArg,
    delivery: Args.string({ description: 'Ids of deliveries, oswhd_...', required: true, multiple: true }),
  };
  static override flags = { fields: fieldsFlag };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(WebhooksReplay);
    const [delivery = '', ...others] = args.delivery;
    const isBatch = others.length > 0;
    const fields = parseFields(flags.fields, isBatch ? BATCH_FIELDS : WEBHOOK_DELIVERY_FIELDS);
    const output = { isJson: flags.json, fields };
    const { webhooks } = this.connect(flags);
    const replay = (id: string) => webhooks.replayDelivery(args.id, id);
    if (isBatch) {
      process.exitCode = await printBatch(await runBatch(args.delivery, replay), {
        ...output,
        name: 'deliveries',
        done: 'queued',
        facts: (queued) => ({ replay: queued }),
        columns: [{ header: 'NEW DELIVERY', cell: ({ result }) => ({ text: result?.id ?? '' }) }],
      });
      return;
    }
    const queued = await replay(delivery);
    await printRecord(queued, { ...output, lines: () => webhookDeliveryLines(queued) });
  }
}
