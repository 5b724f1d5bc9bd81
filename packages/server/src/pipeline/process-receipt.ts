/**
 * Turns receipts into events: the adapter reads the payload, new events of this source are stored, each gets a job
 * that writes it to the CRM, and the receipt gets one for every destination it is forwarded to. All of this is one
 * transaction, including the receipt's outcome, which is about the CRM only.
 *
 * Receipts that wait together are processed together, in the order in which they were received, with a few statements
 * for all of them. If that fails, each is processed alone, so that one that cannot be processed delays no other.
 */
import { planForwardings } from '@svc/domain/forwarding/forwarding';
import { type NormalizeResult, normalize } from '@svc/sequencers';
import type { Context } from '../context.ts';
import { parseReceivedJson } from '@svc/domain/syncs/inbound-post';
import { createBatcher } from '../store/database/batcher.ts';
import type { Db } from '../store/database/db.ts';
import {
  detachReceipts,
  insertCategorySignals,
  insertNewEvents,
  listReceiptsToProcess,
  type ProcessedReceipt,
  type ReceiptSource,
  type ReceiptToProcess,
  setReceiptOutcomes,
} from '../store/receipts.ts';
import { forwardEventJob } from './forward-event.ts';
import { runTogether, settle } from '../queue/job-batches.ts';
import { type ClaimedJob, enqueue, finishAll } from '../queue/queue.ts';
import type { BatchHandler } from '../queue/runner.ts';
import { writeCrmJob } from './write-crm.ts';

export const PROCESS_RECEIPT = 'process-receipt';

/** Enough that the statements of a batch cost little per receipt, few enough that a batch takes some 50 ms. */
const BATCH_SIZE = 200;
/** As many as there are workers. */
const CONNECTIONS_AT_ONCE = 16;

/** A source whose payloads are not understood may send thousands a minute. */
const WARNING_INTERVAL_MS = 3_600_000;

const SYNC_IS_OFF = { outcome: 'ignored', reason: 'Syncing is switched off on the connection.' } as const;

export function createProcessReceiptHandler(ctx: Context): BatchHandler {
  const report = createReport(ctx);
  // Receipts of many connections share the statements, because each connection may have only a few.
  const process = createBatcher<readonly ClaimedJob[], void>({
    itemsMax: CONNECTIONS_AT_ONCE,
    run: async (groups) => {
      let left = groups.flat().toSorted((a, b) => Number(a.ref) - Number(b.ref));
      while (left.length > 0) {
        const receipts = await listReceiptsToProcess(
          ctx.db,
          left.map((job) => Number(job.ref)),
        );
        const lastId = receipts.at(-1)?.id ?? Infinity;
        const read = left.filter((job) => Number(job.ref) <= lastId);
        left = left.slice(read.length);
        report(await settle(ctx.db, read, (tx) => processReceipts(tx, read, receipts, ctx.clock.now())));
      }
      ctx.wakeWorkers();
      return groups.map(() => undefined);
    },
  });
  return { batchSize: BATCH_SIZE, handleBatch: (jobs) => runTogether(jobs, process) };
}

type ReceiptOfSource = ReceiptToProcess & { source: ReceiptSource };
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
  const heldIds = new Set(jobs.filter((job) => held.has(job.id)).map((job) => Number(job.ref)));
  const mine = receipts.filter(({ id }) => heldIds.has(id));
  await detachReceipts(
    tx,
    mine.filter(({ source }) => source === null).map(({ id }) => id),
  );
  const readings = mine.filter(hasSource).map((receipt) => ({ receipt, result: read(receipt) }));
  const received = readings.flatMap(({ receipt, result }) =>
    result.outcome === 'events' ? result.events.map((event) => ({ receipt, event })) : [],
  );
  const newEvents = await insertNewEvents(tx, received, now);
  await insertCategorySignals(tx, newEvents, now);
  const newByReceipt = Map.groupBy(newEvents, ({ receipt }) => receipt.id);
  const jobsOfEvents = readings.flatMap(({ receipt }) => {
    const { accountId, receivedAt, source } = receipt;
    const events = (newByReceipt.get(receipt.id) ?? []).map(({ id, event }) => ({ id, eventType: event.eventType }));
    const writes = source.canSync ? events.map(({ id }) => writeCrmJob(id, source.connectionId, now)) : [];
    const forwardings = planForwardings({ receivedAt, newEvents: events, bindings: source.bindings });
    return [...writes, ...forwardings.map((forwarding) => forwardEventJob(accountId, forwarding, now))];
  });
  if (jobsOfEvents.length > 0) await enqueue(tx, ...jobsOfEvents);
  const processed = readings.map(({ receipt, result }) => ({
    ...toOutcome(receipt, result, newByReceipt.has(receipt.id)),
    requestId: receipt.id,
    sourceId: receipt.source.id,
    platform: receipt.source.platform,
  }));
  await setReceiptOutcomes(tx, processed);
  return processed;
}

function hasSource(receipt: ReceiptToProcess): receipt is ReceiptOfSource {
  return receipt.source !== null;
}

/** Reads the events of a receipt, or says why it adds none. */
function read(receipt: ReceiptOfSource): NormalizeResult {
  const { source, body, headers, bodySha256 } = receipt;
  if (!source.canSync && source.bindings.length === 0) return SYNC_IS_OFF;
  if (!body) return { outcome: 'unparsed', reason: 'The body is no longer stored.' };
  return normalize(source.platform, {
    headers,
    body: parseReceivedJson(body.toString('utf8')),
    bodyHash: bodySha256 ?? '',
  });
}

function toOutcome(
  { source }: ReceiptOfSource,
  result: NormalizeResult,
  hasNewEvents: boolean,
): Pick<ProcessedReceipt, 'outcome' | 'reason'> {
  if (!source.canSync) return SYNC_IS_OFF;
  if (result.outcome !== 'events') return result;
  if (hasNewEvents) return { outcome: 'synced', reason: null };
  return { outcome: 'duplicate', reason: 'All of its events were received before.' };
}

/** The API shows no outcomes, so the log is where an operator sees why a request has no sync. */
function createReport(ctx: Context): (processed: readonly Processed[]) => void {
  const warnedAt = new Map<number, number>();
  return (processed) => {
    for (const entry of processed) {
      if (entry.outcome === 'synced') continue;
      const now = ctx.clock.now().getTime();
      const isWarning =
        entry.outcome === 'unparsed' && now - (warnedAt.get(entry.sourceId) ?? -Infinity) >= WARNING_INTERVAL_MS;
      if (isWarning) {
        warnedAt.set(entry.sourceId, now);
        ctx.log.warn(
          entry,
          'a payload was not understood: it is kept, and nothing is written (further ones of this source in the next hour are logged at debug)',
        );
      } else ctx.log.debug(entry, 'a request adds nothing to the CRM');
    }
  };
}
