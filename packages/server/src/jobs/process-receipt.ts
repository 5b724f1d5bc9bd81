/**
 * From a receipt to its events: the adapter reads the payload, events that this source has not sent before are kept,
 * and each gets a job that writes it to the CRM. All of it, the receipt's outcome included, is one transaction.
 */
import { normalize } from '../connectors/sequencers/index.ts';
import type { Context } from '../context.ts';
import { parseJson } from '../inbound/json-body.ts';
import type { Db } from '../store/db.ts';
import {
  getReceiptToProcess,
  insertCategorySignals,
  insertNewEvents,
  type ReceiptOutcome,
  type ReceiptToProcess,
  setReceiptOutcome,
} from '../store/inbound.ts';
import { type ClaimedJob, enqueue, finish } from './queue.ts';
import { writeCrmJob } from './write-crm.ts';

export const PROCESS_RECEIPT = 'process-receipt';

export function createProcessReceiptHandler(ctx: Context): (job: ClaimedJob) => Promise<void> {
  return async (job) => {
    const receipt = await getReceiptToProcess(ctx.db, Number(job.ref));
    await ctx.db.transaction(async (tx) => {
      // First, so that a worker whose lease was lost stops before it does anything.
      await finish(tx, job);
      if (receipt) {
        const { outcome, reason } = await keepEvents(tx, receipt, ctx.clock.now());
        await setReceiptOutcome(tx, receipt.id, outcome, reason);
      }
    });
    ctx.wakeWorkers();
  };
}

async function keepEvents(
  tx: Db,
  receipt: ReceiptToProcess,
  now: Date,
): Promise<{ outcome: ReceiptOutcome; reason: string | null }> {
  const { source } = receipt;
  if (!source) return { outcome: 'ignored', reason: 'The source is gone.' };
  if (!source.canSync) return { outcome: 'ignored', reason: 'Syncing is switched off on the connection.' };
  if (!receipt.body) return { outcome: 'unparsed', reason: 'The body is not kept any more.' };
  const result = normalize(source.platform, {
    headers: receipt.headers,
    body: parseJson(receipt.body),
    bodyHash: receipt.bodySha256 ?? '',
  });
  if (result.outcome !== 'events') return result;
  const inserted = await insertNewEvents(tx, { id: receipt.id, source }, result.events, now);
  if (inserted.length === 0) return { outcome: 'duplicate', reason: 'Every event of it was received before.' };
  const newKeys = new Set(inserted.map((row) => row.eventKey));
  const newEvents = result.events.filter((event) => newKeys.has(event.eventKey));
  await insertCategorySignals(tx, { accountId: receipt.accountId, source }, newEvents, now);
  await enqueue(tx, ...inserted.map((row) => writeCrmJob(row.id, source.connectionId, now)));
  return { outcome: 'synced', reason: null };
}
