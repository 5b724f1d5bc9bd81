/**
 * Turns a receipt into events: the adapter reads the payload, new events of this source are stored, each gets a job
 * that writes it to the CRM, and the receipt gets one for every destination it is forwarded to. All of this is one
 * transaction, including the receipt's outcome, which is about the CRM only.
 */
import { planForwardings } from '@svc/domain/forwarding/forwarding';
import { type InboundEvent, normalize } from '@svc/sequencers';
import type { Context } from '../context.ts';
import { parseReceivedJson } from '@svc/domain/syncs/inbound-post';
import type { Db } from '../store/database/db.ts';
import {
  getReceiptToProcess,
  insertCategorySignals,
  insertNewEvents,
  detachReceipt,
  type ReceiptOutcome,
  type ReceiptSource,
  type ReceiptToProcess,
  setReceiptOutcome,
} from '../store/inbound.ts';
import { forwardEventJob } from './forward-event.ts';
import { type ClaimedJob, enqueue, finish } from '../queue/queue.ts';
import { writeCrmJob } from './write-crm.ts';

export const PROCESS_RECEIPT = 'process-receipt';

interface Outcome {
  outcome: ReceiptOutcome;
  reason: string | null;
}

/** A source whose payloads are not understood may send thousands a minute. */
const WARNING_INTERVAL_MS = 3_600_000;

const SYNC_IS_OFF: Outcome = { outcome: 'ignored', reason: 'Syncing is switched off on the connection.' };

export function createProcessReceiptHandler(ctx: Context): (job: ClaimedJob) => Promise<void> {
  const warnedAt = new Map<number, number>();
  return async (job) => {
    const receipt = await getReceiptToProcess(ctx.db, Number(job.ref));
    const idle = await ctx.db.transaction(async (tx) => {
      // First, so that a worker without its lease stops before it changes anything.
      await finish(tx, job);
      if (!receipt) return null;
      const { id, source } = receipt;
      if (source === null) {
        await detachReceipt(tx, id);
        return null;
      }
      const { outcome, reason } = await processReceipt(tx, { ...receipt, source }, ctx.clock.now());
      await setReceiptOutcome(tx, id, outcome, reason);
      if (outcome === 'synced') return null;
      return { requestId: id, sourceId: source.id, platform: source.platform, outcome, reason };
    });
    // The API shows no outcomes, so the log is where an operator sees why a request has no sync.
    if (idle !== null) {
      const now = ctx.clock.now().getTime();
      const isWarning =
        idle.outcome === 'unparsed' && now - (warnedAt.get(idle.sourceId) ?? -Infinity) >= WARNING_INTERVAL_MS;
      if (isWarning) warnedAt.set(idle.sourceId, now);
      if (isWarning)
        ctx.log.warn(
          idle,
          'a payload was not understood: it is kept, and nothing is written (further ones of this source in the next hour are logged at debug)',
        );
      else ctx.log.debug(idle, 'a request adds nothing to the CRM');
    }
    ctx.wakeWorkers();
  };
}

type ReceiptOfSource = ReceiptToProcess & { source: ReceiptSource };

async function processReceipt(tx: Db, receipt: ReceiptOfSource, now: Date): Promise<Outcome> {
  const { source } = receipt;
  if (!source.canSync && source.bindings.length === 0) return SYNC_IS_OFF;
  const outcome = await enqueueNewEvents(tx, receipt, now);
  return source.canSync ? outcome : SYNC_IS_OFF;
}

/** Stores the receipt's new events and enqueues their writes and forwardings. */
async function enqueueNewEvents(tx: Db, receipt: ReceiptOfSource, now: Date): Promise<Outcome> {
  const { source, receivedAt } = receipt;
  if (!receipt.body) return { outcome: 'unparsed', reason: 'The body is no longer stored.' };
  const result = normalize(source.platform, {
    headers: receipt.headers,
    body: parseReceivedJson(receipt.body.toString('utf8')),
    bodyHash: receipt.bodySha256 ?? '',
  });
  if (result.outcome !== 'events') return result;
  const newEvents = await storeNewEvents(tx, receipt, result.events, now);
  if (newEvents.length === 0) return { outcome: 'duplicate', reason: 'All of its events were received before.' };
  const writes = source.canSync ? newEvents.map(({ id }) => writeCrmJob(id, source.connectionId, now)) : [];
  const forwardings = planForwardings({ receivedAt, newEvents, bindings: source.bindings });
  await enqueue(tx, ...writes, ...forwardings.map((forwarding) => forwardEventJob(receipt.accountId, forwarding, now)));
  return { outcome: 'synced', reason: null };
}

/** Stores the events that this source has not sent before; returns them with their ids in the order of the payload. */
async function storeNewEvents(
  tx: Db,
  receipt: ReceiptOfSource,
  events: readonly InboundEvent[],
  now: Date,
): Promise<(InboundEvent & { id: number })[]> {
  const inserted = await insertNewEvents(tx, receipt, events, now);
  const ids = new Map(inserted.map((row) => [row.eventKey, row.id]));
  const newEvents = events.flatMap((event) => {
    const id = ids.get(event.eventKey);
    return id === undefined ? [] : [{ ...event, id }];
  });
  await insertCategorySignals(tx, receipt, newEvents, now);
  return newEvents;
}
