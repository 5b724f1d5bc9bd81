import * as Flags from '@oclif/core/flags';
import { BaseCommand } from '../../command/base-command.ts';
import { listFlags, pageFlags, rangeFlags, requestFilterFlags } from '../../command/flags.ts';
import { REQUEST_RECEIPT_FIELDS } from '@svc/contract/fields';
import { REQUEST_COLUMNS } from '../../features/logs/requests.ts';
import { describeNone, listOutput, printList } from '../../command/print-list.ts';
import { filterRows } from '../../command/filter-rows.ts';
import { printTableNote } from '../../format/rows.ts';
import { toTimeRange } from '../../command/log-range.ts';

const UNDERSTOOD_NOTE =
  'Was it understood? svc syncs list --request ID shows its syncs; on the server, svc-server requests show ID says why there are none.';

export default class RequestsList extends BaseCommand {
  static override summary = 'List the newest requests (posts of sequencers to the sources)';
  static override description =
    'The API does not tell whether a request was understood. svc syncs list --request ID shows the syncs of its events; on the server, svc-server requests show ID says why there are none.';
  static override examples = [
    { description: 'The requests of today', command: '<%= config.bin %> requests list --since today' },
    {
      description: 'All requests of one source in January',
      command: '<%= config.bin %> requests list --source 21 --month 2026-01 --all --format ndjson',
    },
  ];
  static override flags = {
    ...rangeFlags,
    ...requestFilterFlags,
    connection: Flags.integer({
      description: 'Only requests for this connection; filtered here, not by the API',
      helpValue: 'ID',
      min: 1,
    }),
    ...pageFlags,
    ...listFlags,
  };

  async run(): Promise<void> {
    const { flags } = await this.parse(RequestsList);
    const range = this.logRange(flags);
    const output = listOutput(flags, {
      allFields: REQUEST_RECEIPT_FIELDS,
      columns: REQUEST_COLUMNS,
      whenEmpty: describeNone('requests', range, flags),
    });
    const client = this.connect(flags);
    const { requests, sources } = client;
    const params = await toTimeRange(client, range);
    const list = flags.source === undefined ? requests.list(params) : sources.listRequests(flags.source, params);
    const { connection } = flags;
    const rows =
      connection === undefined
        ? list
        : filterRows(list, ({ connectionId }) => connectionId === connection, {
            ...{ rowsName: 'requests', isJson: flags.json },
          });
    await printList(rows, flags, output, { rowsName: 'requests', range });
    if (process.stdout.isTTY && output.format === 'table') printTableNote(UNDERSTOOD_NOTE);
  }
}
