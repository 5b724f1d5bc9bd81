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
  RETRY_ALL_WAIT_FIELDS,
  runRetryAll,
  retryAllLines,
  retryLines,
} from '../../features/retries/retry-all.ts';
import { RETRIES_FIELDS } from '../../features/retries/retries-result.ts';
import { retryIds } from '../../features/retries/retry-ids.ts';
import { durationFlag } from '../../command/duration.ts';
import { resolveRange } from '../../command/time-range.ts';

/** Flags that select syncs, which are allowed with --all only. */
const ALL_ONLY_FLAGS = [
  'since',
  'until',
  'from',
  'to',
  'month',
  'source',
  'connection',
  'dry-run',
  'include-recovered',
] as const;

export default class SyncsRetry extends BaseCommand {
  static override summary = 'Retry failed syncs';
  static override description =
    'A retry is queued and becomes a new sync; with --wait the command waits until it has, and exits with 9 if that sync failed too. Needs a key with write scope. --all retries the failures of a range one after another: the newest attempt at each event, unless the event has succeeded since, and only for CRMs that support retries. Asks for confirmation; without a terminal, --yes is needed. --json prints {"queued", "syncId"}; with several ids or --wait {"exitCode", "syncs": [{"id", "outcome", "sync", "error"}]}, where outcome is queued, refused (error says why), or with --wait the status of the new sync (sync) or timeout; with --all {"from", "to", "dryRun", "found", "queued": [id], "skipped": [{"id", "reason"}], "refused": [{"id", "status", "message"}]}, where reason is recovered, superseded or crm, and with --wait also "syncs": [{"id", "outcome", "sync"}]; with --dry-run, queued lists the syncs that would be retried.';
  static override examples = [
    { description: 'One sync', command: '<%= config.bin %> syncs retry 700123' },
    {
      description: 'Several syncs, with their results',
      command: '<%= config.bin %> syncs retry 700123 700124 700125 --wait',
    },
    {
      description: 'Show what a retry of the last day would do',
      command: '<%= config.bin %> syncs retry --all --since 24h --dry-run',
    },
    {
      description: 'All failures of the last day, with their results',
      command: '<%= config.bin %> syncs retry --all --since 24h --wait',
    },
    {
      description: 'All failures of one source in the last day, from a script',
      command: '<%= config.bin %> syncs retry --all --since 24h --source 21 --yes --json',
    },
  ];
  static override exitCodes = {
    2: 'also --all without --yes and without a terminal',
    6: 'this sync cannot be retried; with several: none of them can',
    9: 'with --wait: the event could not be written again',
    10: 'some retries were queued or succeeded, others not',
    11: 'with --wait: the timeout was reached without other failures; the retries stay queued',
  };
  static override args = { id: Args.integer({ description: 'Ids of syncs', multiple: true, min: 1 }) };
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
    wait: Flags.boolean({ description: 'Wait until every retry has become a sync', exclusive: ['dry-run'] }),
    timeout: durationFlag({
      description:
        'Time limit of one attempt; with --wait: the longest wait after the last retry is queued, default 5m',
      helpValue: '5m',
      min: 1,
    }),
    interval: durationFlag({
      description: 'With --wait: time between two requests, default 2s',
      helpValue: '2s',
      min: 1,
      dependsOn: ['wait'],
    }),
    yes: yesFlag,
    fields: fieldsFlag,
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(SyncsRetry);
    const [id, ...others] = args.id ?? [];
    if (flags.all === (id !== undefined)) {
      throw usageError('Either ids of syncs or --all is needed', 'For example: svc syncs retry --all --since 24h.');
    }
    const wrong = ALL_ONLY_FLAGS.find((name) => flags[name] !== undefined && flags[name] !== false);
    if (id !== undefined && wrong !== undefined) throw usageError(`--${wrong} can be used only together with --all`);
    const isBatch = flags.wait || others.length > 0;
    const fields = parseFields(
      flags.fields,
      flags.all
        ? flags.wait
          ? RETRY_ALL_WAIT_FIELDS
          : RETRY_ALL_FIELDS
        : isBatch
          ? RETRIES_FIELDS
          : RETRY_QUEUED_FIELDS,
    );
    const { timeout, interval = 2 } = flags;
    const client = this.connect({ ...flags, timeout: (flags.wait ? undefined : timeout) ?? this.attemptSeconds() });
    const output = { isJson: flags.json, fields };
    const wait = flags.wait ? { timeoutMs: (timeout ?? 5 * 60) * 1000, pollMs: interval * 1000 } : null;
    if (id !== undefined && isBatch) {
      process.exitCode = await retryIds(client, [id, ...others], { ...output, wait });
      return;
    }
    if (id !== undefined) {
      const retry = await client.syncs.retry(id);
      return printRecord(retry, { ...output, lines: () => retryLines(retry) });
    }
    if (flags['dry-run']) await noteReadOnlyKey(client, flags.json);
    const result = await runRetryAll(client, {
      range: resolveRange(flags, Date.now()),
      sourceId: flags.source,
      connectionId: flags.connection,
      includesRecovered: flags['include-recovered'],
      dryRun: flags['dry-run'],
      yes: flags.yes,
      wait,
      isJson: flags.json,
    });
    await printRecord(result, { ...output, lines: () => retryAllLines(result) });
    process.exitCode = exitCodeOfRetryAll(result);
  }
}
