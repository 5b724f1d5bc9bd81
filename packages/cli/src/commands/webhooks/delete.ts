import { BaseCommand } from '../../command/base-command.ts';
import { yesFlag } from '../../command/flags.ts';
import { webhookArg } from '../../features/webhooks/flags.ts';
import { printJson } from '../../format/json.ts';
import { confirm } from '../../command/confirm.ts';

export default class WebhooksDelete extends BaseCommand {
  static override summary = 'Delete a webhook';
  static override description =
    'Pending deliveries are abandoned. Asks for confirmation; without a terminal, --yes is needed. --json prints {"id", "deleted": true}.';
  static override examples = [
    { description: 'Delete a webhook after confirmation', command: '<%= config.bin %> webhooks delete oswhk_01' },
    { description: 'In a script', command: '<%= config.bin %> webhooks delete oswhk_01 --yes' },
  ];
  static override exitCodes = {
    2: 'also no --yes without a terminal',
  };
  static override args = { id: webhookArg };
  static override flags = { yes: yesFlag };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(WebhooksDelete);
    const client = this.connect(flags);
    await confirm(`Delete webhook ${args.id} and abandon its pending deliveries`, flags);
    await client.webhooks.delete(args.id);
    if (flags.json) await printJson({ id: args.id, deleted: true });
    else this.notice(`Deleted webhook ${args.id}`);
  }
}
