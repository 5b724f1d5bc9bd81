import { BaseCommand } from '../../command/base-command.ts';
import { TAIL_NOTE, tailFlags, eventFilterFlags } from '../../features/logs/flags.ts';
import { PLATFORM_EVENT_FIELDS } from '@svc/contract/fields';
import { eventCells } from '../../features/logs/tail-line.ts';
import { runTail } from '../../features/logs/run-tail.ts';

export default class EventsTail extends BaseCommand {
  static override summary = 'Watch platform events as they happen';
  static override description = TAIL_NOTE;
  static override examples = [
    { description: 'Watch the health of the pipeline', command: '<%= config.bin %> events tail --since 24h' },
    {
      description: 'Run a program for each failure',
      command:
        '<%= config.bin %> events tail --type sync.failed --json | while read -r event; do notify "$event"; done',
    },
  ];
  static override exitCodes = {
    8: 'only for the first request; later ones are retried',
    130: 'Ctrl-C, the normal end',
  };
  static override flags = { ...eventFilterFlags, ...tailFlags };

  async run(): Promise<void> {
    const { flags } = await this.parse(EventsTail);
    const { events } = this.connect(flags);
    await runTail({
      rowsName: 'events',
      allFields: PLATFORM_EVENT_FIELDS,
      cells: eventCells,
      flags,
      open: (params) => events.tail({ ...params, types: flags.type, delivered: flags.delivered }),
    });
  }
}
