/** Requests as operators see them: what was received, what became of it, and reading it again. */
import { parseReceivedBody } from '@svc/domain/syncs/inbound-post';
import type * as z from 'zod';
import { findPersonRecords } from '@svc/engine/crm/person-records';
import { reprocessReceiptsJob } from '@svc/engine/pipeline/reprocess-receipts';
import { enqueue } from '@svc/engine/queue/queue';
import { WORKER_LOCK } from '@svc/engine/store/database/db';
import {
  findReceiptPosition,
  getReceipt,
  type ListedReceipt,
  listReceipts as listReceiptRows,
  type ReceiptFilter,
} from '@svc/engine/store/receipt-log';
import { readReceiptStory } from '@svc/engine/store/receipt-story';
import { endReceiptRun, insertReceiptRun, listReceiptRuns, type ReceiptRun } from '@svc/engine/store/receipt-runs';
import { isAnnounced } from '@svc/engine/store/database/session';
import * as declared from '../declared/requests.ts';
import { AdminError, conflict, existing, invalidInput } from './admin-error.ts';
import { parseOperatorInstant } from './instants.ts';
import { type AdminContext, implement } from './operation.ts';
import { redactHeaders, redactPayload } from './redact-payload.ts';
import { connectionOfSource, requireConnection, selectConnections } from './references.ts';

export const listReceipts = implement(declared.listReceipts, async (ctx, input) => {
  const { limit, since, until, before } = input;
  const instantOf = (field: string, text: string | undefined) =>
    text === undefined ? undefined : parseOperatorInstant(field, text, { now: ctx.clock.now(), ages: 'past' });
  const range = { from: instantOf('since', since), to: instantOf('until', until) };
  const after =
    before === undefined ? undefined : existing(await findReceiptPosition(ctx.db, before), 'request', before);
  const filter = { ...(await ownersOf(ctx, input)), state: input.outcome, ...range };
  const rows = await listReceiptRows(ctx.db, filter, { after, limit: limit + 1 });
  const shown = rows.slice(0, limit);
  return { requests: shown.map(toReceipt), next: rows.length > limit ? (shown.at(-1)?.id ?? null) : null };
});

async function ownersOf(
  ctx: AdminContext,
  input: z.output<typeof declared.listReceipts.input>,
): Promise<ReceiptFilter> {
  const { sourceId, accountId, connectionId } = input;
  const connections = await selectConnections(ctx.db, { accountId, connectionId });
  const connectionIds = connections.map((connection) => connection.id);
  if (sourceId !== undefined) {
    const ofSource = await connectionOfSource(ctx.db, sourceId);
    if (!connectionIds.includes(ofSource)) {
      throw conflict(`Source ${sourceId} belongs to connection ${ofSource}, which the other filters exclude.`);
    }
    return { sourceId, connectionIds, accountIds: [] };
  }
  // Requests of removed sources belong to the account.
  const accountIds = connectionId === undefined ? connections.map((connection) => connection.accountId) : [];
  return { connectionIds, accountIds: [...new Set(accountId === undefined ? accountIds : [accountId])] };
}

function toReceipt<Row extends ListedReceipt>({ outcome, ...row }: Row) {
  return { ...row, outcome: outcome ?? ('waiting' as const) };
}

/** A request of thousands of events has more people than anybody looks up. */
const PEOPLE_MAX = 500;

async function recordsOf(ctx: AdminContext, connectionId: number | null, recipients: readonly string[]) {
  if (connectionId === null) return [];
  const people = recipients.slice(0, PEOPLE_MAX).map((recipient) => recipient.toLowerCase());
  return findPersonRecords(ctx, [connectionId], people);
}

export const showReceipt = implement(declared.showReceipt, async (ctx, { id: receiptId }) => {
  const { path, body, headers, ...row } = existing(await getReceipt(ctx.db, receiptId), 'request', receiptId);
  const recipients = row.events.map(({ toEmail }) => toEmail);
  const eventIds = row.events.map((event) => event.id);
  const request = {
    ...toReceipt(row),
    ...(await readReceiptStory(ctx.db, row, recipients, eventIds)),
    records: await recordsOf(ctx, row.connectionId, recipients),
    headers: redactHeaders(headers),
    // Who knows the path can post events.
    body: body === null ? null : redactPayload(readBody(body, headers['content-type']), [path]),
  };
  return { request };
});

/** Every accepted body can be parsed; one that was changed in the database is shown as text. */
function readBody(body: Buffer, contentType: string | undefined): unknown {
  const text = body.toString('utf8');
  try {
    return parseReceivedBody(text, contentType);
  } catch {
    return text;
  }
}

export const reprocessReceipts = implement(declared.reprocessReceipts, async (ctx, input) => {
  const { sourceId, forward: isForwarding, dryRun: isDryRun, outcomes = null } = input;
  const now = ctx.clock.now();
  const from = parseOperatorInstant('since', input.since, { now, ages: 'past' });
  const until = input.until === undefined ? now : parseOperatorInstant('until', input.until, { now, ages: 'past' });
  if (until <= from) throw invalidInput('until: must be later than since');
  await assertWritable(ctx, await connectionOfSource(ctx.db, sourceId), isForwarding);
  const run = await ctx.db.transaction(
    async (tx) => {
      const inserted = await insertReceiptRun(tx, { sourceId, from, until, outcomes, isForwarding, isDryRun }, now);
      if (inserted !== null) await enqueue(tx, reprocessReceiptsJob(inserted.id, now));
      return inserted;
    },
    // Counts the requests of the time span.
    { isLong: true },
  );
  if (run === null) {
    throw conflict(
      `Another run of source ${sourceId} is under way: svc-server requests reprocess --status shows it, --stop ID stops it.`,
    );
  }
  const isServed = ctx.areWorkersRunning() || (await isAnnounced(ctx.db, WORKER_LOCK));
  return {
    run: toRun(run),
    notices: isServed ? [] : ['No server is running: the requests are read once svc-server start runs.'],
  };
});

/** What is read but not written would count as received before, and never be written. */
export async function assertWritable(ctx: AdminContext, connectionId: number, isForwarding: boolean): Promise<void> {
  const { capabilities, hasCrmToken } = await requireConnection(ctx.db, connectionId);
  if (!capabilities.sync && !isForwarding) {
    throw conflict(
      `Syncing is switched off on connection ${connectionId}, so nothing would be written: svc-server capabilities set --connection ${connectionId} --sync on`,
    );
  }
  if (capabilities.sync && !hasCrmToken) {
    throw conflict(`Connection ${connectionId} is disconnected from its CRM: reconnect it first.`);
  }
}

const RUNS_MAX = 100;

export const listRuns = implement(declared.listRuns, async (ctx, { sourceId, runId }) => {
  const runs = await listReceiptRuns(ctx.db, { sourceId, runId, limit: RUNS_MAX });
  return { runs: runs.map(toRun) };
});

export const stopRun = implement(declared.stopRun, async (ctx, { id: runId }) => {
  const isStopped = await endReceiptRun(ctx.db, runId, 'Stopped by an operator.', ctx.clock.now());
  const [run] = await listReceiptRuns(ctx.db, { runId, limit: 1 });
  if (!run) {
    throw new AdminError('not_found', `There is no run ${runId}: svc-server requests reprocess --status shows them.`);
  }
  if (!isStopped) throw conflict(`Run ${runId} has ended already.`);
  return { run: toRun(run) };
});

function toRun(run: ReceiptRun): declared.AdminReceiptRun {
  const { id, sourceId, from: since, until, outcomes, isForwarding: forward, isDryRun: dryRun } = run;
  const { state, stopReason, total, counts, createdAt, endedAt } = run;
  const { newEvents: _newEvents, forwardings: _forwardings, relayMails: _relayMails, ...requests } = counts;
  const lookedAt = Object.values(requests).reduce((sum, count) => sum + count, 0);
  return {
    ...{ id, sourceId, since, until, outcomes, forward, dryRun, state, stopReason, total, lookedAt, counts },
    ...{ createdAt, endedAt },
  };
}
