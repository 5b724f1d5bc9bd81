/**
 * Reads the past activity of a source at its sequencer, and stores what is new as if it had been posted.
 *
 * A run is one row and one job. Each claim of the job makes one call, and commits what it gives together with the place
 * where the next call continues, so a killed run repeats one call at most, and keys drop what it brings again. A run waits while its
 * connection has many events to write, as `pipeline/reprocess-receipts.ts` does.
 *
 * An entry is stored as a receipt when it has an event that the source does not know. Entries that bring nothing new are
 * only counted, so a repeated run adds nothing. No reply is mailed and no alert is sent, because what happened is old.
 */
import { createHash } from 'node:crypto';
import { nextTry } from '@svc/domain/blocklists/blocklist-schedule';
import { type InboundEvent, normalize } from '@svc/sequencers';
import type { HistoryItem, HistoryPage } from '@svc/sequencers/history';
import type { Context } from '../context.ts';
import { BACKFILL_SOURCE, composeRef, fairnessKeys, parseRef } from '../jobs/kinds.ts';
import { toOutcome } from '../pipeline/process-receipt.ts';
import { BUSY_WAIT_MS, isConnectionBusy, RunStoppedError, whyStopped } from '../pipeline/run-conditions.ts';
import { hasSource, readReceipt, storeEvents } from '../pipeline/store-inbound-events.ts';
import { settle } from '../queue/job-batches.ts';
import { type ClaimedJob, defer, finish, type NewJob, saveProgress } from '../queue/queue.ts';
import type { JobHandler } from '../queue/runner.ts';
import { openSecret } from '../secrets/open-secret.ts';
import {
  advanceBackfillRun,
  type BackfillRun,
  type BackfillToContinue,
  endBackfillRun,
  getBackfillToContinue,
  insertBackfilledReceipts,
} from '../store/backfill-runs.ts';
import type { Db } from '../store/database/db.ts';
import { findKnownKeys } from '../store/receipt-runs.ts';
import { listReceiptsToProcess, setReceiptOutcomes } from '../store/receipts.ts';
import { timesOf } from '../store/row-times.ts';
import type { BackfillCounts } from '../store/stored-json.ts';

/** Failures in a row after which a run is stopped: about a day with the longest wait of eight minutes. */
const GIVE_UP_AFTER = 170;
/** Different reasons that a run names. */
const REASONS_MAX = 10;

/** Returns the job of a run. */
export function backfillSourceJob(runId: number, connectionId: number, now: Date): NewJob {
  const fairnessKey = fairnessKeys.connection(connectionId);
  return { kind: BACKFILL_SOURCE, ref: composeRef(runId), fairnessKey, dueAt: now, createdAt: now };
}

export function createBackfillSourceHandler(ctx: Context): JobHandler {
  return async (job) => {
    const run = await getBackfillToContinue(ctx.db, parseRef(job).subjectId);
    if (run === null) return await finish(ctx.db, job);
    const stopReason = whyStopped(run);
    if (stopReason !== null) return await end(ctx, job, run, stopReason);
    if (await isConnectionBusy(ctx.db, run)) {
      return await defer(ctx.db, job, { dueAt: new Date(ctx.clock.now().getTime() + BUSY_WAIT_MS) });
    }

    const client = await ctx.sequencerHistory(run.reader.platform);
    if (client === undefined) {
      return await end(ctx, job, run, `This release does not read the past activity of ${run.reader.platform}.`);
    }
    const token = await openToken(ctx, run);
    if (token === null) return await end(ctx, job, run, lostKey(run));
    const answer = await client.next({ ...run, token }, run.cursor);
    if (answer.status === 'success') return await store(ctx, job, run, answer.page, client.pauseMs);

    const { message, retry } = answer.failure;
    const failures = countFailures(job) + 1;
    if (retry === 'never' || failures >= GIVE_UP_AFTER) return await end(ctx, job, run, `${message}.`);
    const { dueAt } = nextTry({ failureCount: failures - 1, retry, at: ctx.clock.now() });
    await defer(ctx.db, job, { dueAt, state: { failures }, error: message });
  };
}

async function openToken(ctx: Context, { sealedToken, sequencerKeyId }: BackfillToContinue): Promise<string | null> {
  if (sealedToken === null || sequencerKeyId === null) return null;
  const token = openSecret(ctx, sealedToken, { kind: 'sequencer key', id: sequencerKeyId });
  // A server that lacks the key returns the job to the others.
  if (token === null) await ctx.assertKeys();
  return token;
}

function lostKey({ sequencerKeyId: id }: BackfillToContinue): string {
  if (id === null) return 'The API key of the run was removed.';
  return `The API key of the run cannot be decrypted: svc-server sequencer-keys set-token ${id} stores it again.`;
}

function countFailures({ state }: ClaimedJob): number {
  const { failures } = { ...state } as { readonly failures?: unknown };
  return typeof failures === 'number' ? failures : 0;
}

async function end(ctx: Context, job: ClaimedJob, run: BackfillRun, stopReason: string): Promise<void> {
  await settle(ctx.db, [job], async (tx) => {
    await finish(tx, job);
    await endBackfillRun(tx, run.id, stopReason, ctx.clock.now());
  });
  ctx.log.warn({ runId: run.id, sourceId: run.sourceId, stopReason }, 'the backfill of a source was stopped');
}

/** Commits what a page gives, and where the run continues. */
async function store(
  ctx: Context,
  job: ClaimedJob,
  run: BackfillToContinue,
  page: HistoryPage,
  pauseMs: number,
): Promise<void> {
  const now = ctx.clock.now();
  const entries = page.items.map((item) => readItem(run, item));
  const counts = await settle(ctx.db, [job], async (tx) => {
    // Also begins the backoff of a failure anew.
    await saveProgress(tx, job, {});
    const keys = entries.flatMap(({ events }) => events.map(({ eventKey }) => eventKey));
    const known = await findKnownKeys(tx, run.sourceId, keys);
    const fresh: Entry[] = [];
    const counted = structuredClone(run.counts);
    for (const entry of entries) {
      counted.entries += 1;
      countOther(counted, entry);
      const isNew = entry.events.map((event) => countEvent(counted, event, known));
      if (isNew.includes(true)) fresh.push(entry);
    }
    if (!run.isDryRun) counted.forwardings += await storeReceipts(tx, run, fresh, now);
    const hasAdvanced = await advanceBackfillRun(tx, run.id, { cursor: page.next, counts: counted });
    if (!hasAdvanced) throw new RunStoppedError();
    if (page.next !== null) await defer(tx, job, { dueAt: new Date(now.getTime() + pauseMs) });
    else {
      await finish(tx, job);
      await endBackfillRun(tx, run.id, null, now);
    }
    return counted;
  }).catch(async (error: unknown) => {
    if (!(error instanceof RunStoppedError)) throw error;
    await finish(ctx.db, job);
    return null;
  });
  if (!run.isDryRun) ctx.wakeWorkers();
  if (page.next !== null || counts === null) return;
  const { id: runId, sourceId, isDryRun } = run;
  const { entries: read, newEvents, known } = counts;
  ctx.log.info({ runId, sourceId, isDryRun, read, newEvents, known }, 'the backfill of a source has ended');
}

interface Entry {
  body: Buffer | null;
  sha256: string;
  events: readonly InboundEvent[];
  /** Why it has none. */
  outcome: 'unparsed' | 'ignored' | null;
  reason: string;
}

function readItem({ reader }: BackfillToContinue, item: HistoryItem): Entry {
  if ('refusal' in item) {
    return { body: null, sha256: '', events: [], outcome: 'unparsed', reason: item.refusal };
  }
  const body = Buffer.from(JSON.stringify(item.body));
  const sha256 = createHash('sha256').update(body).digest('hex');
  const headers = { 'content-type': 'application/json' };
  const result = normalize(reader, { headers, body: item.body, bodyHash: sha256 });
  if (result.outcome === 'events') return { body, sha256, events: result.events, outcome: null, reason: '' };
  return { body, sha256, events: [], outcome: result.outcome, reason: result.reason };
}

function countOther(counts: BackfillCounts, { outcome, reason }: Entry): void {
  if (outcome === null) return;
  counts[outcome] += 1;
  if (outcome === 'ignored' || counts.reasons.includes(reason) || counts.reasons.length >= REASONS_MAX) return;
  counts.reasons.push(reason);
}

/** Counts an event by its type and the month in which it happened. Returns whether it is new. */
function countEvent(counts: BackfillCounts, event: InboundEvent, known: Set<string>): boolean {
  const isNew = !known.has(event.eventKey);
  known.add(event.eventKey);
  counts[isNew ? 'newEvents' : 'known'] += 1;
  const month = event.occurredAt?.toISOString().slice(0, 7) ?? 'unknown';
  const types = (counts.months[month] ??= {});
  const ofType = (types[event.eventType] ??= { new: 0, known: 0 });
  ofType[isNew ? 'new' : 'known'] += 1;
  return isNew;
}

/** Stores the receipts with their events, and what follows from these. Returns how many forwardings that are. */
async function storeReceipts(tx: Db, run: BackfillToContinue, entries: readonly Entry[], now: Date): Promise<number> {
  const bodies = entries.flatMap(({ body, sha256 }) => (body === null ? [] : { body, sha256 }));
  let left = await insertBackfilledReceipts(tx, run, bodies, now);
  let forwardings = 0;
  while (left.length > 0) {
    // Fewer when the bodies are large.
    const receipts = await listReceiptsToProcess(tx, left, timesOf([now]));
    if (receipts.length === 0) break;
    const read = new Set(receipts.map(({ id }) => id));
    left = left.filter((id) => !read.has(id));
    const readings = receipts.filter(hasSource).map((receipt) => ({ receipt, result: readReceipt(receipt) }));
    const { newByReceipt, repeatedByReceipt, forwardingCount } = await storeEvents(
      tx,
      readings.map(({ receipt, result }) => ({ receipt, events: result.outcome === 'events' ? result.events : [] })),
      {
        now,
        isForwarding: run.isForwarding,
        isNotifying: false,
        // An old category must not replace one that the lead was given since.
        categoryAt: ({ occurredAt }) => occurredAt ?? run.from,
      },
    );
    forwardings += forwardingCount;
    await setReceiptOutcomes(
      tx,
      readings.map(({ receipt, result }) => ({
        ...toOutcome(receipt, result, newByReceipt.has(receipt.id)),
        requestId: receipt.id,
        receivedAt: receipt.receivedAt,
        repeatedEventIds: repeatedByReceipt.get(receipt.id) ?? [],
      })),
    );
  }
  return forwardings;
}
