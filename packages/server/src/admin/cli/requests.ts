import { setTimeout as sleep } from 'node:timers/promises';
import { type Command, Option } from 'commander';
import type { AdminReceiptDetails, AdminReceiptRun } from '@svc/operations/work/requests';
import { defineVerb, type ListOptions, withListFilter } from './define.ts';
import { type AdminOptions, configFor, parseCount, parseId, parseNames } from './options.ts';
import { print, runAdmin } from './run.ts';
import { sanitize } from '@svc/engine/runtime/terminal-text';
import { renderTable } from './table.ts';

type State = 'unparsed' | 'ignored' | 'duplicate' | 'synced' | 'waiting';
type Reread = 'unparsed' | 'ignored' | 'synced';
const STATES: readonly State[] = ['unparsed', 'ignored', 'duplicate', 'synced', 'waiting'];

export function defineRequests(program: Command): void {
  const requests = program.command('requests').description('what sequencers posted, and what became of it');
  defineList(requests);
  defineVerb(requests, 'show', 'show a request, its payload without secrets, and its events', 'requests show 5012')
    .argument('<id>', 'the request, as requests list shows it', parseId)
    .action(async (id: number, options: AdminOptions) => {
      await runAdmin('requests/show', { id }, options, ({ request }) => describe(request));
    });
  defineReprocess(requests);
}

interface ReceiptsListOptions extends ListOptions {
  source?: number;
  outcome?: State;
  since?: string;
  limit: number;
  before?: number;
}

function defineList(requests: Command): void {
  const example = 'requests list --source 7 --outcome unparsed --since 30d';
  withListFilter(defineVerb(requests, 'list', 'list requests, newest first', example), parseId)
    .option('--source <id>', 'only of this source', parseId)
    .addOption(new Option('--outcome <outcome>', 'only with this outcome; waiting: not processed yet').choices(STATES))
    .option('--since <when>', 'only received since then: 7d, 1h30m, yesterday, 2027-01-31 or "2027-01-31 08:00" (UTC)')
    .option('--limit <number>', 'maximum number of requests', parseCount, 50)
    .option('--before <id>', 'only requests older than this one: the next page', parseId)
    .action(async (options: ReceiptsListOptions) => {
      const { account: accountId, connection: connectionId, source: sourceId, outcome, since, limit, before } = options;
      const input = { accountId, connectionId, sourceId, outcome, since, limit, before };
      await runAdmin('requests/list', input, options, (result) => ({
        text: renderTable(
          result.requests,
          {
            ID: (row) => row.id,
            RECEIVED: (row) => row.createdAt,
            SOURCE: (row) => row.sourceId,
            PLATFORM: (row) => row.platform,
            OUTCOME: (row) => row.outcome,
            BYTES: (row) => row.bodyBytes,
            REASON: (row) => row.reason,
          },
          'There are no such requests.',
        ),
        ...(result.next === null ? {} : { note: `More: add --before ${result.next}, or --limit N.` }),
      }));
    });
}

/** A payload may be a single line of megabytes. */
const LINES_MAX = 500;
const LINE_LENGTH_MAX = 1_000;

function describe(request: AdminReceiptDetails): { text: string; note?: string } {
  const { id, createdAt, outcome, reason, sourceId, platform, connectionId, bodyBytes, headers, body, events } =
    request;
  const owner = sourceId === null ? 'a removed source' : `source ${sourceId} (${platform}, connection ${connectionId})`;
  const all = bodyBytes === null ? [] : JSON.stringify(body, null, 2).split('\n');
  const lines = all.slice(0, LINES_MAX).map((line) => `  ${cutLine(line)}`);
  const isCut = all.length > LINES_MAX || all.some((line) => line.length > LINE_LENGTH_MAX);
  const text = [
    `Request ${id} of ${owner}, received ${createdAt}`,
    `Outcome: ${outcome}${reason === null ? '' : ` (${reason})`}`,
    '',
    'Events:',
    renderTable(
      events,
      {
        '  ID': (row) => `  ${row.id}`,
        TYPE: (row) => row.eventType,
        RECIPIENT: (row) => row.toEmail,
        SYNC: (row) => row.syncId,
        STATUS: (row) => row.syncStatus,
      },
      '  none were read from it',
    ),
    '',
    'Headers:',
    ...Object.entries(headers).map(([name, value]) => `  ${name}: ${cutLine(value)}`),
    '',
    bodyBytes === null ? 'The body is no longer stored.' : `Body (${bodyBytes} bytes):`,
    ...lines,
  ].join('\n');
  const notes = [
    ...(isCut ? ['The body is cut: --json shows all of it.'] : []),
    ...(outcome === 'unparsed' && sourceId !== null && body !== null
      ? [`To set how such payloads are read: svc-server sources map --source ${sourceId}`]
      : []),
  ];
  return notes.length === 0 ? { text } : { text, note: notes.join(' ') };
}

function cutLine(line: string): string {
  if (line.length <= LINE_LENGTH_MAX) return line;
  return `${line.slice(0, LINE_LENGTH_MAX).toWellFormed()} ... (${line.length - LINE_LENGTH_MAX} more characters)`;
}

interface ReprocessOptions extends AdminOptions {
  source?: number;
  since?: string;
  until?: string;
  outcome?: string[];
  forward: boolean;
  dryRun: boolean;
  wait: boolean;
  status: boolean;
  stop?: number;
}

function defineReprocess(requests: Command): void {
  defineVerb(
    requests,
    'reprocess',
    'read stored requests again, after an adapter or a mapping improved',
    'requests reprocess --source 7 --since 30d --dry-run',
  )
    .option('--source <id>', 'the source', parseId)
    .option('--since <when>', 'requests from then on: 30d, 1h30m, yesterday, 2027-01-31 or "2027-01-31 08:00" (UTC)')
    .option('--until <when>', 'requests up to then (default: now)')
    .option(
      '--outcome <names>',
      'only with these outcomes, with commas: unparsed, ignored, synced (default: all of them, without those ignored because syncing was off)',
      parseNames,
    )
    .option('--forward', 'also forward requests with new events, and relay their replies', false)
    .option('--dry-run', 'only count what would be new', false)
    .option('--no-wait', 'do not wait for the end')
    .option('--status', 'show the runs and how far they are', false)
    .option('--stop <run>', 'stop a run; what it has read stays', parseId)
    .action(async (options: ReprocessOptions, command: Command) => {
      const { source: sourceId, since, until, forward, dryRun } = options;
      if (options.stop !== undefined) {
        await runAdmin('requests/stop', { id: options.stop }, options, ({ run }) => ({ text: summarize(run) }));
      } else if (options.status) {
        await runAdmin('requests/runs', { sourceId }, options, ({ runs }) => ({ text: renderRuns(runs) }));
      } else if (sourceId === undefined || since === undefined) {
        command.error('error: name the requests with --source and --since, or use --status or --stop.');
      } else {
        // The operation checks the names.
        const outcomes = options.outcome as Reread[] | undefined;
        const input = { sourceId, since, until, outcomes, forward, dryRun };
        const { run, notices } = await runAdmin('requests/reprocess', input, options, ({ run: begun }) => ({
          text: `Run ${begun.id} looks at ${begun.total} requests of source ${begun.sourceId}, in the background.`,
          note: 'Progress: svc-server requests reprocess --status. Ctrl-C does not stop it.',
        }));
        if (options.wait && options.json !== true && notices.length === 0) await waitForEnd(run.id, options);
      }
    });
}

const POLL_MS = 1_000;
/** A run may take hours. */
const PROGRESS_POLLS = 10;

async function waitForEnd(runId: number, options: AdminOptions): Promise<void> {
  const { executeAdmin } = await import('../execute.ts');
  const config = configFor(options);
  for (let polls = 1; ; polls += 1) {
    await sleep(POLL_MS);
    const [run] = (await executeAdmin(config, 'requests/runs', { runId })).runs;
    if (run?.state === 'running') {
      if (polls % PROGRESS_POLLS === 0) process.stderr.write(`${sanitize(summarize(run))}\n`);
      continue;
    }
    print(`${sanitize(run === undefined ? 'The source was removed.' : summarize(run))}\n`);
    return;
  }
}

function summarize({ id, sourceId, state, stopReason, dryRun, total, lookedAt, counts }: AdminReceiptRun): string {
  const { understood, newEvents, known, changed, unparsed, ignored, withoutBody, skipped, forwardings, relayMails } =
    counts;
  const parts = [
    `${newEvents} ${dryRun ? 'events would be new' : 'new events'} in ${understood} requests`,
    ...(forwardings === 0 ? [] : [`${forwardings} forwardings`]),
    ...(relayMails === 0 ? [] : [`${relayMails} relay mails`]),
    ...(known === 0 ? [] : [`nothing new in ${known}`]),
    ...(changed === 0 ? [] : [`${changed} read differently than before, and left as they are`]),
    `${unparsed} not understood`,
    `${ignored} ignored`,
    ...(withoutBody === 0 ? [] : [`${withoutBody} whose payload is no longer stored`]),
    ...(skipped === 0 ? [] : [`${skipped} skipped`]),
  ];
  const end = state === 'stopped' ? `was stopped (${stopReason})` : state === 'done' ? 'is done' : 'is under way';
  return `${dryRun ? 'Dry run' : 'Run'} ${id} of source ${sourceId} ${end}, ${lookedAt} of ${total} requests: ${parts.join(', ')}.`;
}

function renderRuns(runs: readonly AdminReceiptRun[]): string {
  if (runs.length === 0) return 'No requests were read again yet.';
  return runs
    .map((run) => `${summarize(run)}\n  Requests from ${run.since} to ${run.until}; begun at ${run.createdAt}.`)
    .join('\n');
}
