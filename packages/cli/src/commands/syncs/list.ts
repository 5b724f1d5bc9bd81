import { BaseCommand } from '../../command/base-command.ts';
import { listFlags, pageFlags, rangeFlags, syncFilterFlags } from '../../command/flags.ts';
import { SYNC_RESOURCE_FIELDS } from '@svc/contract/fields';
import { keepErrors } from '../../features/logs/error-columns.ts';
import { SYNC_COLUMNS } from '../../features/logs/syncs.ts';
import { describeNone, listOutput, printList } from '../../command/print-list.ts';
import { filterRows } from '../../command/filter-rows.ts';
import { matcherOf, ownFilterFlags, suggestEventType } from '../../features/logs/own-filters.ts';
import { toTimeRange } from '../../command/log-range.ts';

export default class SyncsList extends BaseCommand {
  static override summary = 'List the newest syncs (attempts to write an event to a CRM)';
  static override examples = [
    {
      description: 'What happened to one recipient in the last 30 days',
      command: '<%= config.bin %> syncs list --email kim@example.org --since 30d',
    },
    {
      description: 'Failures since yesterday',
      command: '<%= config.bin %> syncs list --since yesterday --status error',
    },
    {
      description: 'All syncs of one source in the last 30 days',
      command: '<%= config.bin %> syncs list --source 21 --since 30d --all --format ndjson',
    },
  ];
  static override flags = {
    ...rangeFlags,
    ...syncFilterFlags,
    ...ownFilterFlags,
    ...pageFlags,
    ...listFlags,
  };

  async run(): Promise<void> {
    const { flags } = await this.parse(SyncsList);
    const range = this.logRange(flags);
    const output = listOutput(flags, {
      allFields: SYNC_RESOURCE_FIELDS,
      columns: flags.status === 'error' || flags.status === 'warning' ? keepErrors(SYNC_COLUMNS) : SYNC_COLUMNS,
      whenEmpty: `${describeNone('syncs', range, flags)}${suggestEventType(flags)}`,
    });
    const client = this.connect(flags);
    const { sources, syncs } = client;
    const params = { ...(await toTimeRange(client, range)), status: flags.status, connectionId: flags.connection };
    const list = flags.source === undefined ? syncs.list(params) : sources.listSyncs(flags.source, params);
    const matches = matcherOf(flags);
    const rows = matches === null ? list : filterRows(list, matches, { rowsName: 'syncs', isJson: flags.json });
    await printList(rows, flags, output, { rowsName: 'syncs', range });
  }
}
