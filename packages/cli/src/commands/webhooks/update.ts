import * as Flags from '@oclif/core/flags';
import { BaseCommand } from '../../command/base-command.ts';
import { usageError } from '../../errors/cli-error.ts';
import { fieldsFlag } from '../../command/flags.ts';
import { descriptionFlag, eventFlag, webhookArg } from '../../features/webhooks/flags.ts';
import { parseFields } from '../../format/fields.ts';
import { printRecord } from '../../format/record.ts';
import { WEBHOOK_ENDPOINT_FIELDS } from '@svc/contract/fields';
import { webhookLines } from '../../features/webhooks/columns.ts';
import { toWebhookChanges } from '../../features/webhooks/changes.ts';

export default class WebhooksUpdate extends BaseCommand {
  static override summary = 'Change a webhook; other settings stay as they are';
  static override description =
    'A new URL is used for all further attempts, also those of pending deliveries. --enable also re-enables a webhook that the service has disabled.';
  static override examples = [
    {
      description: 'Change the address',
      command: '<%= config.bin %> webhooks update oswhk_01 --url https://new.example.com/hook',
    },
    { description: 'Enable it again', command: '<%= config.bin %> webhooks update oswhk_01 --enable' },
    { description: 'Failures only', command: '<%= config.bin %> webhooks update oswhk_01 --event sync.failed' },
  ];
  static override args = { id: webhookArg };
  static override flags = {
    url: Flags.string({ description: 'Public https address that events are posted to', helpValue: 'URL' }),
    event: eventFlag({ exclusive: ['all-events'] }),
    'all-events': Flags.boolean({ description: 'Deliver all types of events, including future ones' }),
    description: descriptionFlag,
    enable: Flags.boolean({ description: 'Deliver events', exclusive: ['disable'] }),
    disable: Flags.boolean({ description: 'Deliver no events until --enable' }),
    fields: fieldsFlag,
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(WebhooksUpdate);
    const fields = parseFields(flags.fields, WEBHOOK_ENDPOINT_FIELDS);
    const changes = toWebhookChanges(flags);
    if (Object.keys(changes).length === 0) {
      throw usageError(
        'Nothing to change is given',
        'Add --url, --event, --all-events, --description, --enable or --disable.',
      );
    }
    const webhook = await this.connect(flags).webhooks.update(args.id, changes);
    await printRecord(webhook, { isJson: flags.json, fields, lines: () => webhookLines(webhook) });
  }
}
