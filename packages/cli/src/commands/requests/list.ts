import { BaseCommand } from '../../command/base-command.ts';
import { listFlags, pageFlags, rangeFlags, requestFilterFlags } from '../../command/flags.ts';
import { REQUEST_RECEIPT_FIELDS } from '@svc/contract/fields';
import { REQUEST_COLUMNS } from '../../features/logs/requests.ts';
import { listOutput, printList } from '../../command/print-list.ts';
import { resolveRange } from '../../command/time-range.ts';

export default class RequestsList extends BaseCommand {
  static override summary = 'List the newest requests (posts of sequencers to the sources)';
  static override examples = [
    { description: 'The requests of today', command: '<%= config.bin %> requests list --since today' },
    {
      description: 'All requests of one source in January',
      command: '<%= config.bin %> requests list --source 21 --from 2026-01 --to 2026-01 --all --format ndjson',
    },
  ];
  static override flags = {
    ...rangeFlags,
    ...requestFilterFlags,
    ...pageFlags,
    ...listFlags,
  };

  async run(): Promise<void> {
    const { flags } = await this.parse(RequestsList);
    const output = listOutput(flags, {
      allFields: REQUEST_RECEIPT_FIELDS,
      columns: REQUEST_COLUMNS,
      whenEmpty: 'No requests in this range.',
    });
    const range = resolveRange(flags, Date.now(), '7d');
    const { requests, sources } = this.connect(flags);
    const list = flags.source === undefined ? requests.list(range) : sources.listRequests(flags.source, range);
    await printList(list, flags, output);
  }
}
