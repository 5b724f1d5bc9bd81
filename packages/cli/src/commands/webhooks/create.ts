import * as Flags from '@oclif/core/flags';
import { BaseCommand } from '../../command/base-command.ts';
import { fieldsFlag } from '../../command/flags.ts';
import { descriptionFlag, eventFlag, secretFileFlag } from '../../features/webhooks/flags.ts';
import { parseFields } from '../../format/fields.ts';
import { WEBHOOK_ENDPOINT_WITH_SECRET_FIELDS } from '@svc/contract/fields';
import { showSecretOnce } from '../../features/webhooks/show-secret-once.ts';
import { toWebhookChanges } from '../../features/webhooks/changes.ts';

export default class WebhooksCreate extends BaseCommand {
  static override summary = 'Register a webhook; its secret is shown only once';
  static override description =
    'The secret is printed, also with --json, unless --secret-file is given. An account can have 20 webhooks.';
  static override examples = [
    {
      description: 'All events, with the secret in a private file',
      command: '<%= config.bin %> webhooks create --url https://hooks.example.com/svc --secret-file webhook.secret',
    },
    {
      description: 'Failures only, with the secret in a password manager',
      command:
        '<%= config.bin %> webhooks create --url https://hooks.example.com/svc --event sync.failed --json | jq -r .secret | pass insert -e svc-webhook',
    },
  ];
  static override exitCodes = {
    1: 'also a secret that was not printed, for example because the reader of the output is gone',
    2: 'also an address that is not public, or the 21st webhook',
  };
  static override flags = {
    url: Flags.string({
      description: 'Public https address that events are posted to',
      helpValue: 'URL',
      required: true,
    }),
    event: eventFlag({ description: 'Deliver only this type of event; may be repeated. Default: all' }),
    description: descriptionFlag,
    'secret-file': secretFileFlag,
    fields: fieldsFlag,
  };

  async run(): Promise<void> {
    const { flags } = await this.parse(WebhooksCreate);
    const fields = parseFields(flags.fields, WEBHOOK_ENDPOINT_WITH_SECRET_FIELDS);
    const { webhooks } = this.connect(flags);
    await showSecretOnce(() => webhooks.create({ ...toWebhookChanges(flags), url: flags.url }), {
      ...{ isJson: flags.json, fields },
      file: flags['secret-file'] ?? null,
      replacesFile: false,
    });
  }
}
