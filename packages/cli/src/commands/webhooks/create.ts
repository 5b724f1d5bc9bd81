import * as Flags from '@oclif/core/flags';
import { BaseCommand } from '../../command/base-command.ts';
import { fieldsFlag } from '../../command/flags.ts';
import { descriptionFlag, eventFlag, secretFileFlag } from '../../features/webhooks/flags.ts';
import { parseFields } from '../../format/fields.ts';
import { WEBHOOK_WITH_SECRET_FIELDS } from '../../features/webhooks/fields.ts';
import { showSecretOnce } from '../../features/webhooks/show-secret-once.ts';
import { toWebhookChanges } from '../../features/webhooks/changes.ts';

export default class WebhooksCreate extends BaseCommand {
  static override summary = 'Register a webhook; its secret is shown this once';
  static override description =
    'The secret is part of what is printed, with --json too, unless --secret-file takes it. An account can have 20 webhooks.';
  static override examples = [
    {
      description: 'All events, with the secret into a file that only you can read',
      command: '<%= config.bin %> webhooks create --url https://hooks.example.com/svc --secret-file webhook.secret',
    },
    {
      description: 'Failures only, with the secret into a password manager',
      command:
        '<%= config.bin %> webhooks create --url https://hooks.example.com/svc --event sync.failed --json | jq -r .secret | pass insert -e svc-webhook',
    },
  ];
  static override exitCodes = {
    2: 'also an address that is not public, and the 21st webhook',
  };
  static override flags = {
    url: Flags.string({
      description: 'Where events are posted to: a public https address',
      helpValue: 'URL',
      required: true,
    }),
    event: eventFlag({ description: 'Deliver this type of event only; may be repeated. Default: all' }),
    description: descriptionFlag,
    'secret-file': secretFileFlag,
    fields: fieldsFlag,
  };

  async run(): Promise<void> {
    const { flags } = await this.parse(WebhooksCreate);
    const fields = flags.fields === undefined ? null : parseFields(flags.fields, WEBHOOK_WITH_SECRET_FIELDS);
    const { webhooks } = this.connect(flags);
    await showSecretOnce(() => webhooks.create({ ...toWebhookChanges(flags), url: flags.url }), {
      ...{ isJson: flags.json, fields },
      file: flags['secret-file'] ?? null,
      replacesFile: false,
    });
  }
}
