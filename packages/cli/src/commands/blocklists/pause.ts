import * as Args from '@oclif/core/args';
import * as Flags from '@oclif/core/flags';
import { BaseCommand } from '../../command/base-command.ts';
import { exitCodeOfItems } from '../../command/batch.ts';
import { fieldsFlag } from '../../command/flags.ts';
import { noteReadOnlyKey } from '../../command/note-read-only-key.ts';
import type { Paint } from '../../terminal/colors.ts';
import { parseFields } from '../../format/fields.ts';
import { printRecord } from '../../format/record.ts';
import { terminalWidth } from '../../terminal/stdout.ts';
import { renderTable } from '../../terminal/table.ts';
import {
  pauseBlocklists,
  pauseColumns,
  PAUSE_RESULT_FIELDS,
  predictPauses,
  toPauseResult,
} from '../../features/blocklists/pause.ts';
import { pickBlocklists, requireChoice } from '../../features/blocklists/pick.ts';

export default class BlocklistsPause extends BaseCommand {
  static override summary = 'Stop pushing block lists to the sequencer';
  static override description =
    `Entries that the sequencer already has stay there. \`blocklists resync ID\` enables a list again and fetches all of it.

--json prints {exitCode, dryRun, lists: [{id, outcome, status, error}]}; outcome is paused (with --dry-run, it would be) or refused (error says why). Exit code 10: only some of the lists were paused. If only one list is given and it is refused, the command fails with that error.`;
  static override examples = [
    { description: 'Stop one list', command: '<%= config.bin %> blocklists pause 31' },
    { description: 'Stop all lists', command: '<%= config.bin %> blocklists pause --all' },
  ];
  static override exitCodes = {
    10: 'only some of the lists were paused',
  };
  static override args = {
    id: Args.integer({ description: 'Ids of block lists', multiple: true, min: 1 }),
  };
  static override flags = {
    all: Flags.boolean({ description: 'All lists accessible with the key' }),
    'dry-run': Flags.boolean({ description: 'Show what would be paused, and pause nothing', default: false }),
    fields: fieldsFlag,
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(BlocklistsPause);
    const fields = parseFields(flags.fields, PAUSE_RESULT_FIELDS);
    const choice = { ids: args.id ?? [], all: flags.all };
    requireChoice(choice);
    const client = this.connect(flags);
    const dryRun = flags['dry-run'];
    if (dryRun) await noteReadOnlyKey(client, flags.json);
    const lists = await pickBlocklists(client, choice);
    const results = dryRun ? predictPauses(lists) : await pauseBlocklists(client, lists);
    const [only, ...others] = results;
    if (!flags.all && others.length === 0 && only !== undefined && only.cause !== null) throw only.cause;
    const exitCode = exitCodeOfItems(results);
    const render = (paint: Paint) =>
      results.length === 0 ? '' : renderTable(results, pauseColumns(dryRun), { width: terminalWidth(), paint });
    await printRecord(toPauseResult(results, { exitCode, dryRun }), { isJson: flags.json, fields, render });
    if (results.length === 0 && !flags.json) this.notice('No block lists are accessible with this key.');
    process.exitCode = exitCode;
  }
}
