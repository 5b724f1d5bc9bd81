import * as Args from '@oclif/core/args';
import * as Flags from '@oclif/core/flags';
import { BaseCommand } from '../../command/base-command.ts';
import { usageError } from '../../errors/cli-error.ts';
import { fieldsFlag, rangeFlags, yesFlag } from '../../command/flags.ts';
import { RETRY_QUEUED_FIELDS } from '@svc/contract/fields';
import { noteReadOnlyKey } from '../../command/note-read-only-key.ts';
import { parseFields } from '../../format/fields.ts';
import { printRecord } from '../../format/record.ts';
import {
  exitCodeOfRetryAll,
  RETRY_ALL_FIELDS,
  runRetryAll,
  retryAllLines,
  retryLines,
} from '../../features/retries/retry-all.ts';
import { resolveRange } from '../../command/time-range.ts';

/** Flags that select syncs, which are allowed with --all only. */
const ALL_ONLY_FLAGS = [
  'since',
  'until',
  'from',
  'to',
  'source',
  'connection',
  'dry-run',
  'include-recovered',
] as const;

export default class SyncsRetry extends BaseCommand {
  static override summary = 'Retry failed syncs';
  static override description =
    'A retry is queued and becomes a new sync. Needs a key with write scope. --all retries the failures of a range one after another: the newest attempt at each event, unless the event has succeeded since, and only for CRMs that support retries. Asks for confirmation; without a terminal, --yes is needed. --json prints {"queued", "syncId"}; with --all {"from", "to", "dryRun", "found", "queued": [id], "skipped": [{"id", "reason"}], "refused": [{"id", "status", "message"}]}, where reason is recovered, superseded or crm; with --dry-run, queued lists the syncs that would be retried.';
  static override examples = [
    { description: 'One sync', command: '<%= config.bin %> syncs retry 700123' },
    {
      description: 'Show what a retry of the last day would do',
      command: '<%= config.bin %> syncs retry --all --since 24h --dry-run',
    },
    {
      description: 'All failures of one source in the last day, from a script',
      command: '<%= config.bin %> syncs retry --all --since 24h --source 21 --yes --json',
    },
  ];
  static override exitCodes = {
    2: 'also --all without --yes and without a terminal',
    6: 'this sync cannot be retried; with --all: none of them can',
    10: 'some retries were queued, others refused',
  };
  static override args = { id: Args.integer({ description: 'Id of the sync', min: 1 }) };
  static override flags = {
    all: Flags.boolean({ description: 'Retry all failures of a range; needs --since or --from', default: false }),
    ...rangeFlags,
    source: Flags.integer({ description: 'Only syncs of this source', helpValue: 'ID', min: 1 }),
    connection: Flags.integer({ description: 'Only syncs to this connection', helpValue: 'ID', min: 1 }),
    'include-recovered': Flags.boolean({
      description: 'Also retry events that have succeeded since; reads failed syncs only, which needs fewer requests',
      default: false,
    }),
    'dry-run': Flags.boolean({ description: 'Show what would be retried, and retry nothing', default: false }),
    yes: yesFlag,
    fields: fieldsFlag,
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(SyncsRetry);
    if (flags.all === (args.id !== undefined)) {
      throw usageError('Either the id of a sync or --all is needed', 'For example: svc syncs retry --all --since 24h.');
    }
    const known = flags.all ? RETRY_ALL_FIELDS : RETRY_QUEUED_FIELDS;
    const fields = parseFields(flags.fields, known);
    if (args.id !== undefined) {
      const wrong = ALL_ONLY_FLAGS.find((name) => flags[name] !== undefined && flags[name] !== false);
      if (wrong !== undefined) throw usageError(`--${wrong} can be used with --all only, not with an id`);
      const retry = await this.connect(flags).syncs.retry(args.id);
      return printRecord(retry, { isJson: flags.json, fields, lines: () => retryLines(retry) });
    }
    const client = this.connect(flags);
    if (flags['dry-run']) await noteReadOnlyKey(client, flags.json);
    const result = await runRetryAll(client, {
      range: resolveRange(flags, Date.now()),
      sourceId: flags.source,
      connectionId: flags.connection,
      includesRecovered: flags['include-recovered'],
      dryRun: flags['dry-run'],
      yes: flags.yes,
      isJson: flags.json,
    });
    await printRecord(result, { isJson: flags.json, fields, lines: () => retryAllLines(result) });
    process.exitCode = exitCodeOfRetryAll(result);
  }
}
