import { BaseCommand } from '../../command/base-command.ts';
import { listOutput } from '../../command/print-list.ts';
import { listFlags } from '../../command/flags.ts';
import { printRows } from '../../format/rows.ts';
import { WEBHOOK_ENDPOINT_FIELDS } from '@svc/contract/fields';
import { WEBHOOK_COLUMNS } from '../../features/webhooks/columns.ts';

export default class WebhooksList extends BaseCommand {
  static override summary = 'List the webhooks of the account';
  static override examples = [
    { description: 'All webhooks, and whether they are active', command: '<%= config.bin %> webhooks list' },
    {
      description: 'Webhooks that the service has disabled',
      command: "<%= config.bin %> webhooks list --json | jq '.[] | select(.autoDisabledAt) | .url'",
    },
  ];
  static override flags = listFlags;

  async run(): Promise<void> {
    const { flags } = await this.parse(WebhooksList);
    const output = listOutput(flags, {
      allFields: WEBHOOK_ENDPOINT_FIELDS,
      columns: WEBHOOK_COLUMNS,
      whenEmpty: 'No webhooks. `svc webhooks create --url https://...` adds one.',
    });
    const { webhooks } = await this.connect(flags).webhooks.list();
    await printRows(webhooks, output);
  }
}
