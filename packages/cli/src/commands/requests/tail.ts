import { BaseCommand } from '../../command/base-command.ts';
import { requestFilterFlags } from '../../command/flags.ts';
import { TAIL_NOTE, tailFlags } from '../../features/logs/tail-flags.ts';
import { REQUEST_FIELDS } from '../../features/resources/fields.ts';
import { requestCells } from '../../features/logs/tail-line.ts';
import { runTail } from '../../features/logs/run-tail.ts';

export default class RequestsTail extends BaseCommand {
  static override summary = 'Watch what sequencers post as it comes in';
  static override description = TAIL_NOTE;
  static override examples = [
    { description: 'See whether a sequencer posts at all', command: '<%= config.bin %> requests tail --source 21' },
    {
      description: 'The last hour and what follows, with a look every second',
      command: '<%= config.bin %> requests tail --since 1h --interval 1s',
    },
  ];
  static override exitCodes = {
    8: 'only for the first look; later ones are tried again',
    130: 'Ctrl-C, its usual end',
  };
  static override flags = { ...requestFilterFlags, ...tailFlags };

  async run(): Promise<void> {
    const { flags } = await this.parse(RequestsTail);
    const { requests } = this.connect(flags);
    await runTail({
      what: 'requests',
      known: REQUEST_FIELDS,
      cells: requestCells,
      flags,
      open: (params) => requests.tail({ ...params, sourceId: flags.source }),
    });
  }
}
