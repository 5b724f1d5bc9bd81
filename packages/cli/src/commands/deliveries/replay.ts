import * as Args from '@oclif/core/args';
import * as Flags from '@oclif/core/flags';
import { BaseCommand } from '../../command/base-command.ts';
import { batchFields, printBatch, runBatch } from '../../command/batch.ts';
import { fieldsFlag } from '../../command/flags.ts';
import { replayLines } from '../../features/logs/deliveries.ts';
import { REPLAY_QUEUED_FIELDS } from '@svc/contract/fields';
import { parseFields } from '../../format/fields.ts';
import { formatValue, printRecord } from '../../format/record.ts';

export default class DeliveriesReplay extends BaseCommand {
  static override summary = 'Send deliveries to their destination again';
  static override description =
    'Works for successful and failed deliveries. The replay is queued and becomes a new delivery. Needs a key with write scope. A delivery without a request (payloadId null), or whose payload has been deleted, is reported as not found. --json prints {"queued", "destinationId", "payloadId"}; with several ids {"exitCode", "deliveries": [{"id", "outcome", "payloadId", "error"}]}, where outcome is queued or refused (error says why).';
  static override examples = [
    { description: 'One delivery', command: '<%= config.bin %> deliveries replay 900123 --destination 31' },
    {
      description: 'All deliveries that a destination refused today',
      command:
        "<%= config.bin %> deliveries list --destination 31 --since today --status error --all --jq '.[].id' | xargs -r <%= config.bin %> deliveries replay --destination 31",
    },
  ];
  static override exitCodes = { 10: 'some replays were queued, others refused' };
  static override args = {
    id: Args.integer({
      description: 'Ids of deliveries to the same destination',
      required: true,
      multiple: true,
      min: 1,
    }),
  };
  static override flags = {
    destination: Flags.integer({
      description: 'The destination they went to',
      helpValue: 'ID',
      required: true,
      min: 1,
    }),
    fields: fieldsFlag,
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(DeliveriesReplay);
    const [id = 0, ...others] = args.id;
    const isBatch = others.length > 0;
    const fields = parseFields(flags.fields, isBatch ? batchFields('deliveries', ['payloadId']) : REPLAY_QUEUED_FIELDS);
    const output = { isJson: flags.json, fields };
    const { destinations } = this.connect(flags);
    const replay = (delivery: number) => destinations.replayDelivery(flags.destination, delivery);
    if (isBatch) {
      process.exitCode = await printBatch(await runBatch(args.id, replay), {
        ...output,
        name: 'deliveries',
        done: 'queued',
        facts: (queued) => ({ payloadId: queued?.payloadId ?? null }),
        columns: [{ header: 'REQUEST', cell: ({ result }) => ({ text: formatValue(result?.payloadId) }) }],
      });
      return;
    }
    const queued = await replay(id);
    await printRecord(queued, { ...output, lines: () => replayLines(queued, id) });
  }
}
