import * as Args from '@oclif/core/args';
import { BaseCommand } from '../../command/base-command.ts';
import { printBatch, runBatch } from '../../command/batch.ts';
import { yesFlag } from '../../command/flags.ts';
import { printJson } from '../../format/json.ts';
import { confirm } from '../../command/confirm.ts';

export default class WebhooksDelete extends BaseCommand {
  static override summary = 'Delete webhooks';
  static override description =
    'Pending deliveries are abandoned. Asks for confirmation; without a terminal, --yes is needed. --json prints {"id", "deleted": true}; with several ids {"exitCode", "webhooks": [{"id", "outcome", "error"}]}, where outcome is deleted or refused (error says why).';
  static override examples = [
    { description: 'Delete a webhook after confirmation', command: '<%= config.bin %> webhooks delete oswhk_01' },
    { description: 'Two webhooks, in a script', command: '<%= config.bin %> webhooks delete oswhk_01 oswhk_02 --yes' },
  ];
  static override exitCodes = {
    2: 'also no --yes without a terminal',
    10: 'some webhooks were deleted, others not',
  };
  static override args = {
    id: Args.string({ description: 'Ids of webhooks, oswhk_...', required: true, multiple: true }),
  };
  static override flags = { yes: yesFlag };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(WebhooksDelete);
    const { webhooks } = this.connect(flags);
    const [id = '', ...others] = args.id;
    const isBatch = others.length > 0;
    const what = isBatch ? `webhooks ${args.id.join(', ')} and abandon their` : `webhook ${id} and abandon its`;
    await confirm(`Delete ${what} pending deliveries`, flags);
    if (isBatch) {
      process.exitCode = await printBatch(await runBatch(args.id, (each) => webhooks.delete(each)), {
        ...{ name: 'webhooks', done: 'deleted', facts: () => ({}), isJson: flags.json, fields: null },
      });
      return;
    }
    await webhooks.delete(id);
    if (flags.json) await printJson({ id, deleted: true });
    else this.notice(`Deleted webhook ${id}`);
  }
}
