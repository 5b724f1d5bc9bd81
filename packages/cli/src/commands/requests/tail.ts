import { BaseCommand } from '../../command/base-command.ts';
import { requestFilterFlags } from '../../command/flags.ts';
import { TAIL_NOTE, tailFlags } from '../../features/logs/flags.ts';
import { REQUEST_RECEIPT_FIELDS } from '@svc/contract/fields';
import { requestCells } from '../../features/logs/tail-line.ts';
import { runTail } from '../../features/logs/run-tail.ts';

export default class RequestsTail extends BaseCommand {
  static override summary = 'Watch requests of sequencers as they arrive';
  static override description = TAIL_NOTE;
  static override examples = [
    {
      description: 'See whether a sequencer posts to a source',
      command: '<%= config.bin %> requests tail --source 21',
    },
    {
      description: 'The last hour and new requests, polled every second',
      command: '<%= config.bin %> requests tail --since 1h --interval 1s',
    },
  ];
  static override exitCodes = {
    8: 'only for the first request; later ones are retried',
    130: 'Ctrl-C, the normal end',
  };
  static override flags = { ...requestFilterFlags, ...tailFlags };

  async run(): Promise<void> {
    const { flags } = await this.parse(RequestsTail);
    const { requests } = this.connect(flags);
    await runTail({
      rowsName: 'requests',
      allFields: REQUEST_RECEIPT_FIELDS,
      cells: requestCells,
      flags,
      open: (params) => requests.tail({ ...params, sourceId: flags.source }),
    });
  }
}
