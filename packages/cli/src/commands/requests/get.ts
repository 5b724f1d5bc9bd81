import * as Args from '@oclif/core/args';
import { REQUEST_RECEIPT_FIELDS } from '@svc/contract/fields';
import { BaseCommand } from '../../command/base-command.ts';
import { allTimeFlag, fieldsFlag, rangeFlags } from '../../command/flags.ts';
import { toTimeRange } from '../../command/log-range.ts';
import { requestLines } from '../../features/logs/requests.ts';
import { FIND_NOTE, findRow } from '../../features/logs/find-row.ts';
import { parseFields } from '../../format/fields.ts';
import { toShellWord } from '../../format/shell-quote.ts';
import { printRecord } from '../../format/record.ts';

export default class RequestsGet extends BaseCommand {
  static override summary = 'Show one request';
  static override description = FIND_NOTE;
  static override examples = [
    { description: 'A request of the last week', command: '<%= config.bin %> requests get 900123' },
    {
      description: 'Only its source',
      command: '<%= config.bin %> requests get 900123 --since 30d --json --fields sourceId',
    },
  ];
  static override args = { id: Args.integer({ description: 'Id of the request', required: true, min: 1 }) };
  static override flags = { ...rangeFlags, all: allTimeFlag, fields: fieldsFlag };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(RequestsGet);
    const fields = parseFields(flags.fields, REQUEST_RECEIPT_FIELDS);
    const range = this.logRange(flags);
    const client = this.connect(flags);
    const list = client.requests.list(await toTimeRange(client, range));
    const search = { name: 'Request', rowsName: 'requests', range, isJson: flags.json };
    const found = await findRow(list, args.id, search);
    await printRecord(found, { isJson: flags.json, fields, lines: () => requestLines(found) });
    if (!process.stdout.isTTY || flags.json || fields !== null) return;
    const start = flags.from ?? flags.since;
    const sameRange = flags.all ? ' --all' : start === undefined ? '' : ` --since ${toShellWord(start)}`;
    this.notice(`See: svc syncs list --request ${found.id}${sameRange}`);
  }
}
