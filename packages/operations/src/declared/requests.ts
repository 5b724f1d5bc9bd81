/** Requests as operators see them: what was received, what became of it, and reading it again. */
import type { PersonRecord } from '@svc/engine/crm/person-records';
import type { REREAD_OUTCOMES } from '@svc/engine/pipeline/reread';
import type { ListedReceipt, ReceiptState, ShownEvent } from '@svc/engine/store/receipt-log';
import type { ReceiptStory } from '@svc/engine/store/receipt-story';
import type { ReceiptRun } from '@svc/engine/store/receipt-runs';
import * as z from 'zod';
import { declare, type InJson, list, noun, one, type Printed, notices, flagged } from './declare.ts';
import { count, id, listFilter, oneOf, parseNames, when } from './fields.ts';
import { renderTable } from './table.ts';

const STATES = ['unparsed', 'ignored', 'duplicate', 'synced', 'waiting'] as const satisfies readonly ReceiptState[];
const REREAD = ['unparsed', 'ignored', 'synced'] as const satisfies typeof REREAD_OUTCOMES;

export interface AdminReceipt extends Omit<ListedReceipt, 'outcome'> {
  outcome: ReceiptState;
}

export const listReceipts = declare({
  name: 'requests/list',
  description: 'list requests, newest first',
  details: 'It names the reason why one was not understood or ignored.',
  example: '--source 7 --outcome unparsed --since 30d',
  permission: 'read',
  input: z.strictObject({
    ...listFilter.shape,
    sourceId: id.meta(flagged('--source <id>', 'only of this source')).optional(),
    outcome: z
      .enum(STATES, `must be one of ${STATES.join(', ')}`)
      .meta(flagged('--outcome <outcome>', 'only with this outcome; waiting: not processed yet'))
      .optional(),
    since: when(
      '--since <when>',
      'only received since then: 7d, 1h30m, yesterday, 2027-01-31 or "2027-01-31 08:00" (UTC)',
    ).optional(),
    until: when('--until <when>', 'only received up to then').optional(),
    limit: count(1_000).default(50).meta(flagged('--limit <number>', 'maximum number of requests')),
    before: id.meta(flagged('--before <id>', 'only requests older than this one: the next page')).optional(),
  }),
  result: {
    requests: list<AdminReceipt>(),
    /** The id to continue before; null at the end. */
    next: one<number | null>(),
  },
  print: ({ requests: rows, next }) => ({
    text: renderTable(
      rows,
      {
        ID: 'id',
        RECEIVED: 'createdAt',
        SOURCE: 'sourceId',
        PLATFORM: ({ platform, backfillRunId }) =>
          backfillRunId === null ? platform : `${platform ?? ''} (backfill ${backfillRunId})`,
        OUTCOME: 'outcome',
        EVENTS: ({ eventTypes }) => eventTypes.join(', '),
        BYTES: 'bodyBytes',
        REASON: 'reason',
      },
      'There are no such requests.',
    ),
    ...(next === null ? {} : { note: `More: add --before ${next}, or --limit N.` }),
  }),
});

export interface AdminReceiptDetails extends AdminReceipt, ReceiptStory {
  headers: Record<string, string>;
  /** The parsed payload without its secrets; null when it is no longer stored. */
  body: unknown;
  events: ShownEvent[];
  /** Those of the recipients in the CRM, as this service remembers them. */
  records: PersonRecord[];
}

export const showReceipt = declare({
  name: 'requests/show',
  description: 'show a request, its payload without secrets, its events and what became of them',
  details: 'See [one request](../../docs/receipts.md#look-at-one).',
  example: '5012',
  permission: 'read',
  input: z.strictObject({ id: oneOf('request') }),
  result: { request: one<AdminReceiptDetails>() },
  print: ({ request }) => describe(request),
});

export interface AdminReceiptRun
  extends Pick<
    ReceiptRun,
    'id' | 'sourceId' | 'until' | 'outcomes' | 'state' | 'stopReason' | 'counts' | 'createdAt' | 'endedAt'
  > {
  since: Date;
  forward: boolean;
  dryRun: boolean;
  /** Requests of the time span when the run began, and how many of them were looked at. */
  total: number;
  lookedAt: number;
}

export const reprocessReceipts = declare({
  name: 'requests/reprocess',
  description: 'read stored requests again, after an adapter or a mapping improved',
  details:
    'A server does it in the background ([rules](../../docs/receipts.md#read-requests-again)). `--status` shows the runs, `--stop` stops one.',
  example: '--source 7 --since 30d --dry-run',
  permission: 'write',
  input: z.strictObject({
    sourceId: id.meta(flagged('--source <id>', 'the source')),
    since: when(
      '--since <when>',
      'requests from then on: 30d, 1h30m, yesterday, 2027-01-31 or "2027-01-31 08:00" (UTC)',
    ),
    until: when('--until <when>', 'requests up to then (default: now)').optional(),
    outcomes: z
      .array(
        z.enum(
          REREAD,
          `must be one of ${REREAD.join(', ')}: a duplicate only repeats another request, and is not read again`,
        ),
      )
      .min(1, 'must name at least one outcome')
      .meta(
        flagged(
          '--outcome <names>',
          'only with these outcomes, with commas: unparsed, ignored, synced (default: all of them, without those ignored because syncing was off)',
          { parse: parseNames },
        ),
      )
      .optional(),
    forward: z
      .boolean('must be true or false')
      .default(false)
      .meta(flagged('--forward', 'also forward requests with new events, and relay their replies')),
    dryRun: z
      .boolean('must be true or false')
      .default(false)
      .meta(flagged('--dry-run', 'only count what would be new')),
  }),
  result: { run: one<AdminReceiptRun>(), notices },
  print: ({ run }) => ({
    text: `Run ${run.id} looks at ${run.total} requests of source ${run.sourceId}, in the background.`,
    note: 'Progress: svc-server requests reprocess --status. Ctrl-C does not stop it.',
  }),
});

export const listRuns = declare({
  name: 'requests/runs',
  command: null,
  description: 'list the runs that read requests again, newest first',
  permission: 'read',
  input: z.strictObject({ sourceId: id.optional(), runId: id.optional() }),
  result: { runs: list<AdminReceiptRun>() },
  print: ({ runs }) =>
    runs.length === 0
      ? 'No requests were read again yet.'
      : runs
          .map((run) => `${summarize(run)}\n  Requests from ${run.since} to ${run.until}; begun at ${run.createdAt}.`)
          .join('\n'),
});

export const stopRun = declare({
  name: 'requests/stop',
  command: null,
  description: 'stop a run; what it has read stays',
  permission: 'write',
  input: z.strictObject({ id }),
  result: { run: one<AdminReceiptRun>() },
  print: ({ run }) => summarize(run),
});

export const requests = noun('requests', 'what sequencers posted, and what became of it', [
  listReceipts,
  showReceipt,
  reprocessReceipts,
  listRuns,
  stopRun,
]);

export function summarize(run: InJson<AdminReceiptRun>): string {
  const { id: runId, sourceId, state, stopReason, dryRun, total, lookedAt, counts } = run;
  const {
    understood,
    newEvents,
    known,
    changed,
    unparsed,
    ignored,
    withoutBody,
    skipped,
    forwardings,
    relayMails,
    triedNow,
  } = counts;
  const parts = [
    `${newEvents} ${dryRun ? 'events would be new' : 'new events'} in ${understood} requests`,
    ...(forwardings === 0 ? [] : [`${forwardings} forwardings`]),
    ...(relayMails === 0 ? [] : [`${relayMails} relay mails`]),
    ...(triedNow === 0
      ? []
      : [`${triedNow} events that a write policy kept back ${dryRun ? 'would be' : 'are'} tried again`]),
    ...(known === 0 ? [] : [`nothing new in ${known}`]),
    ...(changed === 0 ? [] : [`${changed} read differently than before, and left as they are`]),
    `${unparsed} not understood`,
    `${ignored} ignored`,
    ...(withoutBody === 0 ? [] : [`${withoutBody} whose payload is no longer stored`]),
    ...(skipped === 0 ? [] : [`${skipped} skipped`]),
  ];
  const end = state === 'stopped' ? `was stopped (${stopReason})` : state === 'done' ? 'is done' : 'is under way';
  return `${dryRun ? 'Dry run' : 'Run'} ${runId} of source ${sourceId} ${end}, ${lookedAt} of ${total} requests: ${parts.join(', ')}.`;
}

/** A payload may be a single line of megabytes. */
const LINES_MAX = 500;
const LINE_LENGTH_MAX = 1_000;

function describe(request: InJson<AdminReceiptDetails>): Printed {
  const { createdAt, outcome, reason, sourceId, platform, connectionId, bodyBytes, headers, body, events } = request;
  const { syncs, deliveries, mails, backfillRunId } = request;
  const owner = sourceId === null ? 'a removed source' : `source ${sourceId} (${platform}, connection ${connectionId})`;
  const all = bodyBytes === null ? [] : JSON.stringify(body, null, 2).split('\n');
  const lines = all.slice(0, LINES_MAX).map((line) => `  ${cutLine(line)}`);
  const isCut = all.length > LINES_MAX || all.some((line) => line.length > LINE_LENGTH_MAX);
  const text = [
    `Request ${request.id} of ${owner}, ${backfillRunId === null ? 'received' : `read by backfill ${backfillRunId} at`} ${createdAt}`,
    `Outcome: ${outcome}${reason === null ? '' : ` (${reason})`}`,
    '',
    'Events:',
    renderTable(
      events,
      {
        '  ID': (row) => `  ${row.id}`,
        TYPE: 'eventType',
        RECIPIENT: 'toEmail',
        SYNC: 'syncId',
        STATUS: ({ syncStatus, heldUntil }) => (heldUntil === null ? syncStatus : `held until ${heldUntil}`),
      },
      '  none were read from it',
    ),
    ...(syncs.length === 0
      ? []
      : [
          '',
          'Syncs:',
          renderTable(syncs, { '  ID': (row) => `  ${row.id}`, AT: 'createdAt', STATUS: 'status', ERROR: errorOf }, ''),
        ]),
    ...(deliveries.length === 0
      ? []
      : [
          '',
          'Deliveries:',
          renderTable(
            deliveries,
            {
              '  ID': (row) => `  ${row.id}`,
              AT: 'createdAt',
              DESTINATION: 'destinationId',
              STATUS: 'status',
              HTTP: 'httpStatus',
              ERROR: 'error',
            },
            '',
          ),
        ]),
    ...(mails.length === 0
      ? []
      : [
          '',
          'Mails to sales reps:',
          renderTable(
            mails,
            {
              '  ID': (row) => `  ${row.id}`,
              RELAY: 'relayId',
              STATUS: 'status',
              DUE: 'dueAt',
              ENDED: 'endedAt',
              ERROR: 'error',
            },
            '',
          ),
        ]),
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
  if (events.some(({ heldUntil }) => heldUntil !== null)) {
    notes.push(`A write policy holds events of leads: svc-server sources held ${sourceId}`);
  }
  return notes.length === 0 ? { text } : { text, note: notes.join(' ') };
}

function errorOf({ error }: { error: Record<string, unknown> | null }): string {
  if (error === null) return '';
  return cutLine(typeof error['message'] === 'string' ? error['message'] : JSON.stringify(error));
}

function cutLine(line: string): string {
  if (line.length <= LINE_LENGTH_MAX) return line;
  return `${line.slice(0, LINE_LENGTH_MAX).toWellFormed()} ... (${line.length - LINE_LENGTH_MAX} more characters)`;
}
