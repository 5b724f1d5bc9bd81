import { BaseCommand } from '../../command/base-command.ts';
import { fieldsFlag, yesFlag } from '../../command/flags.ts';
import { secretFileFlag, webhookArg } from '../../features/webhooks/flags.ts';
import { parseFields } from '../../format/fields.ts';
import { WEBHOOK_ENDPOINT_WITH_SECRET_FIELDS } from '@svc/contract/fields';
import { confirm } from '../../command/confirm.ts';
import { showSecretOnce } from '../../features/webhooks/show-secret-once.ts';

export default class WebhooksRotateSecret extends BaseCommand {
  static override summary = 'Replace the secret of a webhook; the new one is shown only once';
  static override description =
    'The old secret becomes invalid immediately: the next attempts are signed with the new one. Let the receiver accept both for a while so that it refuses no delivery. Asks for confirmation; without a terminal, --yes is needed. An existing file of --secret-file is replaced.';
  static override examples = [
    { description: 'Replace it after confirmation', command: '<%= config.bin %> webhooks rotate-secret oswhk_01' },
    {
      description: 'In a script, into the file that the receiver reads',
      command: '<%= config.bin %> webhooks rotate-secret oswhk_01 --yes --secret-file /etc/receiver/webhook.secret',
    },
  ];
  static override exitCodes = {
    1: 'also a secret that was not printed, for example because the reader of the output is gone',
    2: 'also no --yes without a terminal',
  };
  static override args = { id: webhookArg };
  static override flags = { yes: yesFlag, 'secret-file': secretFileFlag, fields: fieldsFlag };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(WebhooksRotateSecret);
    const fields = parseFields(flags.fields, WEBHOOK_ENDPOINT_WITH_SECRET_FIELDS);
    const { webhooks } = this.connect(flags);
    await confirm(`Replace the secret of webhook ${args.id} and invalidate the old one`, flags);
    await showSecretOnce(() => webhooks.rotateSecret(args.id), {
      ...{ isJson: flags.json, fields },
      file: flags['secret-file'] ?? null,
      replacesFile: true,
    });
  }
}
