import { BaseCommand } from '../../command/base-command.ts';
import { syncFilterFlags } from '../../command/flags.ts';
import { TAIL_NOTE, tailFlags } from '../../features/logs/flags.ts';
import { SYNC_RESOURCE_FIELDS } from '@svc/contract/fields';
import { syncCells } from '../../features/logs/tail-line.ts';
import { runTail } from '../../features/logs/run-tail.ts';

export default class SyncsTail extends BaseCommand {
  static override summary = 'Watch syncs as they happen';
  static override description = TAIL_NOTE;
  static override examples = [
    { description: 'Only failures', command: '<%= config.bin %> syncs tail --status error' },
    {
      description: 'The last ten minutes and new syncs, for a program',
      command: '<%= config.bin %> syncs tail --since 10m --json | jq .error',
    },
  ];
  static override exitCodes = {
    8: 'only for the first request; later ones are retried',
    130: 'Ctrl-C, the normal end',
  };
  static override flags = { ...syncFilterFlags, ...tailFlags };

  async run(): Promise<void> {
    const { flags } = await this.parse(SyncsTail);
    const { syncs } = this.connect(flags);
    await runTail({
      rowsName: 'syncs',
      allFields: SYNC_RESOURCE_FIELDS,
      cells: syncCells,
      flags,
      open: (params) =>
        syncs.tail({ ...params, status: flags.status, sourceId: flags.source, connectionId: flags.connection }),
    });
  }
}
