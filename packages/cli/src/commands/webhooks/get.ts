import { BaseCommand } from '../../command/base-command.ts';
import { fieldsFlag } from '../../command/flags.ts';
import { webhookArg } from '../../features/webhooks/flags.ts';
import { parseFields } from '../../format/fields.ts';
import { printRecord } from '../../format/record.ts';
import { WEBHOOK_ENDPOINT_FIELDS } from '@svc/contract/fields';
import { webhookLines } from '../../features/webhooks/columns.ts';

export default class WebhooksGet extends BaseCommand {
  static override summary = 'Show one webhook';
  static override description = 'The secret is not shown; only `webhooks create` and `webhooks rotate-secret` show it.';
  static override examples = [
    { description: 'One webhook', command: '<%= config.bin %> webhooks get oswhk_01' },
    {
      description: 'When the service disabled it, or null',
      command: '<%= config.bin %> webhooks get oswhk_01 --json --fields autoDisabledAt',
    },
  ];
  static override args = { id: webhookArg };
  static override flags = { fields: fieldsFlag };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(WebhooksGet);
    const fields = parseFields(flags.fields, WEBHOOK_ENDPOINT_FIELDS);
    const webhook = await this.connect(flags).webhooks.get(args.id);
    await printRecord(webhook, { isJson: flags.json, fields, lines: () => webhookLines(webhook) });
  }
}
