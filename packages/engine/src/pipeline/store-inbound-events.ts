/** Reads the events of receipts and stores those that are new, with the jobs that write, forward and relay them. */
import { isInterest } from '@svc/domain/alerts/incident-plan';
import { planForwardings } from '@svc/domain/forwarding/forwarding';
import { planRelays } from '@svc/domain/relays/relay-reply';
import { parseReceivedBody } from '@svc/domain/syncs/inbound-post';
import { type InboundEvent, type NormalizeResult, normalize } from '@svc/sequencers';
import { alertJob } from '../alerts/alert-messages.ts';
import { enqueue, type NewJob } from '../queue/queue.ts';
import { beginIncidents } from '../store/alert-incidents.ts';
import type { Db } from '../store/database/db.ts';
import {
  findStoredEvents,
  insertCategorySignals,
  insertNewEvents,
  type ReceiptSource,
  type ReceiptToProcess,
} from '../store/receipts.ts';
import { insertRelayMails, type NewRelayMail } from '../store/relay-mails.ts';
import { forwardEventJob } from './forward-event.ts';
import { holdNewEvents } from './hold-events.ts';
import { suppressContacts } from './suppress-contacts.ts';
import { relayMailJob } from './relay-attempt.ts';
import { writeCrmJob } from './write-crm.ts';

export const SYNC_IS_OFF = { outcome: 'ignored', reason: 'Syncing is switched off on the connection.' } as const;

export type ReceiptOfSource = ReceiptToProcess & { source: ReceiptSource };

export function hasSource(receipt: ReceiptToProcess): receipt is ReceiptOfSource {
  return receipt.source !== null;
}

/** Reads the events of a receipt, or says why it adds none. */
export function readReceipt(receipt: ReceiptOfSource): NormalizeResult {
  const { source, body, headers, bodySha256 } = receipt;
  if (!source.canSync && source.bindings.length === 0 && source.relays.length === 0) return SYNC_IS_OFF;
  if (!body) return { outcome: 'unparsed', reason: 'The body is no longer stored.' };
  return normalize(source, {
    headers,
    body: parseReceivedBody(body.toString('utf8'), headers['content-type']),
    bodyHash: bodySha256 ?? '',
  });
}

/** Returns what an operator should know about events that were read; null when all of the body was. */
export function describeNotices(result: NormalizeResult): string | null {
  return result.outcome === 'events' && result.notices.length > 0 ? result.notices.join(' ') : null;
}

export interface Reading {
  receipt: ReceiptOfSource;
  events: readonly InboundEvent[];
  /** `traceparent` of the span that reads the receipt. Default: none. */
  trace?: string | undefined;
}

export interface StoredReadings {
  /** The new events by the id of their receipt. */
  newByReceipt: ReadonlyMap<number, readonly { id: number }[]>;
  /** The ids of events that were stored before, by the id of the receipt that repeats them. */
  repeatedByReceipt: ReadonlyMap<number, readonly number[]>;
  forwardingCount: number;
  relayMailCount: number;
}

export interface StoreOptions {
  now: Date;
  /** False when only the CRM gets the events. */
  isForwarding: boolean;
  /** Whether replies are relayed, and people alerted of interest. Default: as `isForwarding`. */
  isNotifying?: boolean;
  /** When the category of an event was given. */
  categoryAt: (event: InboundEvent, receipt: { receivedAt: Date }) => Date;
}

/**
 * Stores the events that their source has not sent before, in the caller's transaction, and enqueues what follows from
 * them.
 *
 * @param readings in the order in which they were received
 */
export async function storeEvents(
  tx: Db,
  readings: readonly Reading[],
  options: StoreOptions,
): Promise<StoredReadings> {
  const { now, isForwarding, isNotifying = isForwarding, categoryAt } = options;
  const received = readings.flatMap(({ receipt, events }) => events.map((event) => ({ receipt, event })));
  const newEvents = await insertNewEvents(tx, received, now);
  await insertCategorySignals(
    tx,
    newEvents.map((entry) => ({ ...entry, at: categoryAt(entry.event, entry.receipt) })),
  );
  await suppressContacts(tx, newEvents, now);
  const newByReceipt = Map.groupBy(newEvents, ({ receipt }) => receipt.id);
  const isNew = new Set(newEvents.map(({ event }) => event));
  const repeatedByReceipt = await findStoredEvents(
    tx,
    received.filter(({ event }) => !isNew.has(event)),
  );
  const planned = isNotifying ? readings.flatMap(({ receipt }) => planMails(receipt, newByReceipt)) : [];
  const mails = await insertRelayMails(tx, planned, now);
  const writesByEvent = await holdNewEvents(tx, newEvents, now);
  let forwardingCount = 0;
  const jobs = readings.flatMap(({ receipt: { id: receiptId, accountId, receivedAt, source }, trace = null }) => {
    const events = (newByReceipt.get(receiptId) ?? []).map(({ id, event }) => ({ id, eventType: event.eventType }));
    const written = source.canSync ? events.flatMap(({ id }) => writesByEvent.get(id) ?? [id]) : [];
    const writes = written.map((id) => writeCrmJob(id, source.connectionId, now));
    const bindings = isForwarding ? source.bindings : [];
    const forwardings = planForwardings({ receivedAt, newEvents: events, bindings });
    forwardingCount += forwardings.length;
    const forwards = forwardings.map((forwarding) => forwardEventJob({ accountId, receivedAt }, forwarding, now));
    return [...writes, ...forwards].map((job): NewJob => ({ ...job, trace }));
  });
  const traceByReceipt = new Map(readings.map(({ receipt, trace }) => [receipt.id, trace]));
  const traceOf = new Map(newEvents.map(({ id, receipt }) => [id, traceByReceipt.get(receipt.id)]));
  jobs.push(...mails.map((mail): NewJob => ({ ...relayMailJob(mail, now), trace: traceOf.get(mail.eventId) ?? null })));
  if (isNotifying) jobs.push(...(await alertOfInterest(tx, newEvents, now)));
  if (jobs.length > 0) await enqueue(tx, ...jobs);
  return { newByReceipt, repeatedByReceipt, forwardingCount, relayMailCount: mails.length };
}

/** Returns the jobs that tell channels of events which say that a lead is interested. */
async function alertOfInterest(
  tx: Db,
  newEvents: readonly { id: number; receipt: ReceiptOfSource; event: InboundEvent }[],
  now: Date,
): Promise<NewJob[]> {
  const conditions = newEvents
    .filter(({ event }) => isInterest(event))
    .map(({ id, receipt: { id: requestId, accountId, source } }) => ({
      ...{ topic: 'interested-reply' as const, subject: `event ${id}`, accountId },
      ...{ connectionId: source.connectionId, sourceId: source.id },
      facts: { platform: source.platform, sourceId: source.id, requestId },
    }));
  const messages = await beginIncidents(tx, conditions, { now, isMoment: true });
  return messages.map((message) => alertJob(message, now));
}

type NewEvents = ReadonlyMap<number, readonly { id: number; event: InboundEvent }[]>;

/** Returns the mails of the relay of a receipt's source. */
function planMails(
  { id: receiptId, accountId, receivedAt, source }: ReceiptOfSource,
  newByReceipt: NewEvents,
): NewRelayMail[] {
  const newEvents = (newByReceipt.get(receiptId) ?? []).map(({ id, event }) => ({ id, eventType: event.eventType }));
  const { connectionId, relays } = source;
  return planRelays({ receivedAt, newEvents, relays }).map(({ relayId, event, dueAt }) => ({
    ...{ accountId, connectionId, relayId, receivedAt, dueAt },
    eventId: event.id,
  }));
}
