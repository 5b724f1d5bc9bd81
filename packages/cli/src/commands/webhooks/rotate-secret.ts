import { BaseCommand } from '../../command/base-command.ts';
import { fieldsFlag, yesFlag } from '../../command/flags.ts';
import { secretFileFlag, webhookArg } from '../../features/webhooks/flags.ts';
import { parseFields } from '../../format/fields.ts';
import { WEBHOOK_WITH_SECRET_FIELDS } from '../../features/webhooks/fields.ts';
import { confirm } from '../../command/confirm.ts';
import { showSecretOnce } from '../../features/webhooks/show-secret-once.ts';

export default class WebhooksRotateSecret extends BaseCommand {
  static override summary = 'Replace the secret of a webhook; the new one is shown this once';
  static override description =
    'The old secret is void at once: from the next attempt on, deliveries are signed with the new one. A receiver that shall not refuse any takes both for a while. Asks first; without a terminal, --yes has to say it. A file of --secret-file is replaced.';
  static override examples = [
    { description: 'Replace it, after a question', command: '<%= config.bin %> webhooks rotate-secret oswhk_01' },
    {
      description: 'In a script, into the file that the receiver reads',
      command: '<%= config.bin %> webhooks rotate-secret oswhk_01 --yes --secret-file /etc/receiver/webhook.secret',
    },
  ];
  static override exitCodes = {
    2: 'also no --yes where there is no terminal to ask on',
  };
  static override args = { id: webhookArg };
  static override flags = { yes: yesFlag, 'secret-file': secretFileFlag, fields: fieldsFlag };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(WebhooksRotateSecret);
    const fields = flags.fields === undefined ? null : parseFields(flags.fields, WEBHOOK_WITH_SECRET_FIELDS);
    const { webhooks } = this.connect(flags);
    await confirm(`Replace the secret of webhook ${args.id}, which is void from then on`, flags);
    await showSecretOnce(() => webhooks.rotateSecret(args.id), {
      ...{ isJson: flags.json, fields },
      file: flags['secret-file'] ?? null,
      replacesFile: true,
    });
  }
}
