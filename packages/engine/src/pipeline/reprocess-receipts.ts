/**
 * Reads the stored receipts of a source again, after an adapter or a mapping improved; `reread.ts` has the rules.
 *
 * A run is one row and one job, however many receipts it has. Each claim of the job reads the next receipts in the order
 * in which they were received, and commits what they give together with the position of the run, so a killed run goes on
 * behind the last committed receipt. All runs share one fairness key and one worker of all processes, and a run waits
 * while its connection has many events to write, so that fresh receipts and their events have their turns.
 */
import type { NormalizeResult } from '@svc/sequencers';
import type { Context } from '../context.ts';
import { composeRef, fairnessKeys, parseRef, REPROCESS_RECEIPTS } from '../jobs/kinds.ts';
import { settle } from '../queue/job-batches.ts';
import { type ClaimedJob, defer, enqueue, finish, type NewJob, saveProgress } from '../queue/queue.ts';
import type { JobHandler } from '../queue/runner.ts';
import { askForContacts } from '../queue/waiting-writes.ts';
import type { Db } from '../store/database/db.ts';
import { timesOf } from '../store/row-times.ts';
import { listReceiptsToProcess, setReceiptOutcomes } from '../store/receipts.ts';
import {
  advanceReceiptRun,
  endReceiptRun,
  findKnownKeys,
  getRunToContinue,
  listGivenEvents,
  listReceiptsOfRun,
  listUnwrittenEvents,
  type RunReceipt,
  type RunToContinue,
  type UnwrittenEvent,
} from '../store/receipt-runs.ts';
import type { RunCounts } from '../store/stored-json.ts';
import { isReread, outcomeOfRereading, type Processed, pickFurtherEvents } from './reread.ts';
import { BUSY_WAIT_MS, isConnectionBusy, RunStoppedError, whyStopped } from './run-conditions.ts';
import { writeCrmJob } from './write-crm.ts';
import { hasSource, readReceipt, type Reading, type StoredReadings, storeEvents } from './store-inbound-events.ts';

/** Receipts that one claim looks at, and how many of them it reads. */
const LOOKED_AT_MAX = 1_000;
const READ_MAX = 200;
/** Events that one claim stores; the receipt that exceeds it is the last one. */
const EVENTS_MAX = 1_000;

/** Returns the job of a run. */
export function reprocessReceiptsJob(runId: number, now: Date): NewJob {
  const fairnessKey = fairnessKeys.rereading();
  return { kind: REPROCESS_RECEIPTS, ref: composeRef(runId), fairnessKey, dueAt: now, createdAt: now };
}

export function createReprocessReceiptsHandler(ctx: Context): JobHandler {
  return async (job) => {
    const run = await getRunToContinue(ctx.db, parseRef(job).subjectId);
    if (run === null) {
      await finish(ctx.db, job);
      return;
    }
    const stopReason = whyStopped(run);
    if (stopReason !== null) {
      await end(ctx, job, run, { stopReason });
      return;
    }
    if (await isConnectionBusy(ctx.db, run)) {
      await defer(ctx.db, job, { dueAt: new Date(ctx.clock.now().getTime() + BUSY_WAIT_MS) });
      return;
    }
    const step = await readNext(ctx, run);
    if (step.position === null) await end(ctx, job, run, { stopReason: null });
    else await store(ctx, job, run, step);
  };
}

async function end(
  ctx: Context,
  job: ClaimedJob,
  run: RunToContinue,
  { stopReason }: { stopReason: string | null },
): Promise<void> {
  await settle(ctx.db, [job], async (tx) => {
    await finish(tx, job);
    await endReceiptRun(tx, run.id, stopReason, ctx.clock.now());
  });
  const { id: runId, sourceId, isDryRun, counts } = run;
  ctx.log.info({ runId, sourceId, isDryRun, stopReason, ...counts }, 'a run that reads receipts again has ended');
}

interface ReadAgain extends Reading {
  before: Processed;
  result: NormalizeResult;
  hasChanged: boolean;
}

interface Step {
  readings: ReadAgain[];
  withoutBody: number;
  skipped: number;
  /** Receipts whose events were read before. */
  syncedIds: number[];
  /** Null when there is no further receipt. */
  position: { at: Date; id: number } | null;
}

/** Reads the next receipts of a run: those up to a position, in the order in which they were received. */
async function readNext(ctx: Context, run: RunToContinue): Promise<Step> {
  const rows = await listReceiptsOfRun(ctx.db, run, LOOKED_AT_MAX);
  const isWanted = (row: RunReceipt): row is RunReceipt & Processed =>
    row.outcome !== null && isReread({ outcome: row.outcome, reason: row.reason }, run.outcomes);
  const wanted = rows.filter((row) => isWanted(row) && row.hasBody).slice(0, READ_MAX);
  const ids = wanted.map(({ id }) => id);
  const given = Map.groupBy(await listGivenEvents(ctx.db, ids), ({ requestId }) => requestId);
  // Fewer when the bodies are large.
  const found = await listReceiptsToProcess(ctx.db, ids, timesOf(wanted.map(({ at }) => at)));
  const [first] = wanted;
  const receipts = new Map(found.map((receipt) => [receipt.id, receipt]));
  const step: Step = { readings: [], withoutBody: 0, skipped: 0, syncedIds: [], position: null };
  let eventCount = 0;
  for (const row of rows) {
    if (!isWanted(row)) step.skipped += 1;
    else if (!row.hasBody) step.withoutBody += 1;
    else {
      const receipt = receipts.get(row.id);
      // The next claim reads it; the first one was removed just now.
      if (receipt === undefined && row.id !== first?.id) break;
      if (receipt === undefined || !hasSource(receipt)) step.skipped += 1;
      else {
        const result = readReceipt(receipt);
        const read = result.outcome === 'events' ? result.events : [];
        if (eventCount > 0 && eventCount + read.length > EVENTS_MAX) break;
        eventCount += read.length;
        const before = { outcome: row.outcome, reason: row.reason };
        const picked = pickFurtherEvents(before, given.get(row.id) ?? [], read);
        step.readings.push({ receipt, before, result, ...picked });
      }
    }
    if (isWanted(row) && row.outcome === 'synced') step.syncedIds.push(row.id);
    step.position = { at: row.at, id: row.id };
  }
  return step;
}

/** Commits what the receipts give, and where the run continues. */
async function store(ctx: Context, job: ClaimedJob, run: RunToContinue, step: Step): Promise<void> {
  const { readings, position } = step;
  const now = ctx.clock.now();
  const hasJobs = await settle(ctx.db, [job], async (tx) => {
    // Also begins the backoff of a failure anew.
    await saveProgress(tx, job, {});
    const stored = run.isDryRun
      ? { newByReceipt: await planEvents(tx, run, readings), ...NOTHING_STORED }
      : await storeEvents(tx, readings, {
          now,
          isForwarding: run.isForwarding,
          // An old category must not replace one that the lead was given since.
          categoryAt: (_event, { receivedAt }) => receivedAt,
        });
    const { newByReceipt } = stored;
    const unwritten = run.canSync ? await listUnwrittenEvents(tx, step.syncedIds) : [];
    if (!run.isDryRun) await writeNow(tx, run, unwritten, now);
    if (!run.isDryRun) await setReceiptOutcomes(tx, changedOutcomes(readings, stored));
    const counts = addCounts(run.counts, step, { ...stored, triedNow: unwritten.length });
    if (!(await advanceReceiptRun(tx, run.id, { position, counts }))) throw new RunStoppedError();
    await defer(tx, job, { dueAt: now });
    return newByReceipt.size + unwritten.length > 0;
  }).catch(async (error: unknown) => {
    if (!(error instanceof RunStoppedError)) throw error;
    await finish(ctx.db, job);
    return false;
  });
  if (hasJobs && !run.isDryRun) ctx.wakeWorkers();
}

/** Tries to write events that a write policy kept back: it may have changed, and so may the CRM. */
async function writeNow(
  tx: Db,
  { connectionId }: RunToContinue,
  events: readonly UnwrittenEvent[],
  now: Date,
): Promise<void> {
  const leftOut = events.filter(({ state }) => state === 'left-out');
  const waiting = events.filter(({ state }) => state === 'waits');
  if (leftOut.length > 0) await enqueue(tx, ...leftOut.map(({ id }) => writeCrmJob(id, connectionId, now)));
  if (waiting.length > 0) {
    await askForContacts(
      tx,
      waiting.map(({ id }) => id),
      now,
    );
  }
}

type NewByReceipt = ReadonlyMap<number, readonly unknown[]>;

interface Changes {
  newByReceipt: NewByReceipt;
  repeatedByReceipt: StoredReadings['repeatedByReceipt'];
}

const NOTHING_STORED = { repeatedByReceipt: new Map<number, number[]>(), forwardingCount: 0, relayMailCount: 0 };

/** Returns the events of a dry run that would be new, by receipt. Events that several steps have count in each. */
async function planEvents(tx: Db, run: RunToContinue, readings: readonly ReadAgain[]): Promise<NewByReceipt> {
  const keys = readings.flatMap(({ events }) => events.map(({ eventKey }) => eventKey));
  const known = await findKnownKeys(tx, run.sourceId, keys);
  const planned = new Map<number, string[]>();
  for (const { receipt, events } of readings) {
    for (const { eventKey } of events) {
      if (known.has(eventKey)) continue;
      known.add(eventKey);
      planned.set(receipt.id, [...(planned.get(receipt.id) ?? []), eventKey]);
    }
  }
  return planned;
}

function changedOutcomes(readings: readonly ReadAgain[], { newByReceipt, repeatedByReceipt }: Changes) {
  return readings.flatMap(({ receipt, before, result, hasChanged }) => {
    const { canSync } = receipt.source;
    const hasNewEvents = newByReceipt.has(receipt.id);
    const after = outcomeOfRereading(before, result, { hasNewEvents, hasChanged, canSync });
    const repeatedEventIds = repeatedByReceipt.get(receipt.id) ?? [];
    return after === null
      ? []
      : [{ requestId: receipt.id, receivedAt: receipt.receivedAt, repeatedEventIds, ...after }];
  });
}

function addCounts(
  before: RunCounts,
  { readings, withoutBody, skipped }: Step,
  stored: { newByReceipt: NewByReceipt; forwardingCount: number; relayMailCount: number; triedNow: number },
): RunCounts {
  const counts = { ...before };
  counts.withoutBody += withoutBody;
  counts.skipped += skipped;
  counts.triedNow += stored.triedNow;
  counts.forwardings += stored.forwardingCount;
  counts.relayMails += stored.relayMailCount;
  for (const { receipt, result, hasChanged } of readings) {
    const newEvents = stored.newByReceipt.get(receipt.id)?.length ?? 0;
    counts.newEvents += newEvents;
    if (newEvents > 0) counts.understood += 1;
    else if (result.outcome !== 'events') counts[result.outcome] += 1;
    else if (hasChanged) counts.changed += 1;
    else counts.known += 1;
  }
  return counts;
}
