/**
 * Turns receipts into events: the adapter reads the payload, new events of this source are stored, each gets a job
 * that writes it to the CRM, and the receipt gets one for every destination it is forwarded to. All of this is one
 * transaction, including the receipt's outcome, which is about the CRM only.
 *
 * Receipts that wait together are processed together, in the order in which they were stored, with a few statements
 * for all of them; those of one connection by one worker of all processes at a time. If that fails, each is processed alone, so that one that cannot be processed delays no other.
 */
import type { NormalizeResult } from '@svc/sequencers';
import type { Context } from '../context.ts';
import { composeRef, parseRef } from '../jobs/kinds.ts';
import { createBatcher } from '../store/database/batcher.ts';
import type { Database, Db } from '../store/database/db.ts';
import { ANY_TIME, timesOf } from '../store/row-times.ts';
import {
  detachReceipts,
  listReceiptsToProcess,
  type ProcessedReceipt,
  type ReceiptToProcess,
  setReceiptOutcomes,
} from '../store/receipts.ts';
import { runTogether, settle } from '../queue/job-batches.ts';
import { type ClaimedJob, finishAll } from '../queue/queue.ts';
import type { BatchHandler } from '../queue/runner.ts';
import {
  describeNotices,
  hasSource,
  readReceipt,
  type ReceiptOfSource,
  storeEvents,
  SYNC_IS_OFF,
} from './store-inbound-events.ts';

/** Enough that the statements of a batch cost little per receipt, few enough that a batch takes some 50 ms. */
const BATCH_SIZE = 200;
/** As many as there are workers. */
const CONNECTIONS_AT_ONCE = 16;

/** A source whose payloads are not understood may send thousands a minute. */
const WARNING_INTERVAL_MS = 3_600_000;

export function createProcessReceiptHandler(ctx: Context): BatchHandler {
  const report = createReport(ctx);
  // Receipts of many connections share the statements, because each connection may have only a few.
  const process = createBatcher<readonly ClaimedJob[], void>({
    itemsMax: CONNECTIONS_AT_ONCE,
    run: async (groups) => {
      let left = groups.flat().toSorted((a, b) => a.id - b.id);
      while (left.length > 0) {
        const receipts = await readReceipts(ctx.db, left);
        const order = new Map(receipts.map(({ id }, index) => [composeRef(id), index]));
        // When no receipt is found, the receipts of these jobs no longer exist.
        const read = left.filter((job) => order.size === 0 || order.has(job.ref));
        read.sort((a, b) => (order.get(a.ref) ?? 0) - (order.get(b.ref) ?? 0));
        left = left.filter((job) => order.size > 0 && !order.has(job.ref));
        report(await settle(ctx.db, read, (tx) => processReceipts(tx, read, receipts, ctx.clock.now())));
      }
      ctx.wakeWorkers();
      return groups.map(() => undefined);
    },
  });
  return { batchSize: BATCH_SIZE, handleBatch: (jobs) => runTogether(jobs, process) };
}

/** Returns receipts of these jobs, none when all are gone. A job is as old as its receipt; where it is not, all months are asked. */
async function readReceipts(db: Database, jobs: readonly ClaimedJob[]): Promise<ReceiptToProcess[]> {
  const ids = jobs.map((job) => parseRef(job).subjectId);
  const receipts = await listReceiptsToProcess(db, ids, timesOf(jobs.map(({ createdAt }) => createdAt)));
  return receipts.length > 0 ? receipts : listReceiptsToProcess(db, ids, ANY_TIME);
}

type Processed = ProcessedReceipt & { sourceId: number; platform: string };

/** Finishes the jobs and stores what their receipts contain. Returns what became of them. */
async function processReceipts(
  tx: Db,
  jobs: readonly ClaimedJob[],
  receipts: readonly ReceiptToProcess[],
  now: Date,
): Promise<Processed[]> {
  // First, so that a worker without a lease changes nothing for its job.
  const held = await finishAll(tx, jobs);
  const heldIds = new Set(jobs.filter((job) => held.has(job.id)).map((job) => parseRef(job).subjectId));
  const mine = receipts.filter(({ id }) => heldIds.has(id));
  await detachReceipts(
    tx,
    mine.filter(({ source }) => source === null).map(({ id }) => id),
  );
  const spans = new Map(jobs.map((job) => [parseRef(job).subjectId, job.span]));
  const readings = mine.filter(hasSource).map((receipt) => ({ receipt, result: readReceipt(receipt) }));
  const { newByReceipt, repeatedByReceipt } = await storeEvents(
    tx,
    readings.map(({ receipt, result }) => ({
      receipt,
      events: result.outcome === 'events' ? result.events : [],
      trace: spans.get(receipt.id)?.traceparent,
    })),
    { now, isForwarding: true, categoryAt: () => now },
  );
  const processed = readings.map(({ receipt, result }) => ({
    ...toOutcome(receipt, result, newByReceipt.has(receipt.id)),
    requestId: receipt.id,
    receivedAt: receipt.receivedAt,
    repeatedEventIds: repeatedByReceipt.get(receipt.id) ?? [],
    sourceId: receipt.source.id,
    platform: receipt.source.platform,
  }));
  await setReceiptOutcomes(tx, processed);
  return processed;
}

/** Returns what becomes of a receipt whose new events are stored. */
export function toOutcome(
  { source }: ReceiptOfSource,
  result: NormalizeResult,
  hasNewEvents: boolean,
): Pick<ProcessedReceipt, 'outcome' | 'reason'> {
  if (!source.canSync) return SYNC_IS_OFF;
  if (result.outcome !== 'events') return result;
  if (hasNewEvents) return { outcome: 'synced', reason: describeNotices(result) };
  return { outcome: 'duplicate', reason: 'All of its events were received before.' };
}

const WARNINGS: Readonly<Partial<Record<ProcessedReceipt['outcome'], string>>> = {
  unparsed: 'a payload was not understood: it is kept, and nothing is written',
  synced: 'a payload was not read as a whole: its other events are written',
};

/** The API shows no outcomes, so the log is where an operator sees why a request has no sync. */
function createReport(ctx: Context): (processed: readonly Processed[]) => void {
  const warnedAt = new Map<string, number>();
  return (processed) => {
    for (const entry of processed) {
      ctx.metrics.receipts.inc({ outcome: entry.outcome });
      if (entry.outcome === 'synced' && entry.reason === null) continue;
      const warning = WARNINGS[entry.outcome];
      const key = `${entry.sourceId} ${entry.outcome}`;
      const now = ctx.clock.now().getTime();
      if (warning !== undefined && now - (warnedAt.get(key) ?? -Infinity) >= WARNING_INTERVAL_MS) {
        warnedAt.set(key, now);
        ctx.log.warn(entry, `${warning} (further ones of this source in the next hour are logged at debug)`);
      } else ctx.log.debug(entry, 'a request adds nothing to the CRM, or not all of it');
    }
  };
}
