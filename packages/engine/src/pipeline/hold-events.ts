/**
 * Events that wait for their lead (`holdUntil` of a write policy): they are stored, forwarded and relayed as all events, and are written
 * when the lead answers, gets an allowed category, or is released by hand. They have no job while they wait.
 *
 * What waits and its jobs change in one transaction, behind a lock on the source. So an event either waits, or has a job or was written,
 * also when the process is killed.
 */
import type { Logger } from 'pino';
import { dropsAt, type HeldEvent, holdEvents, leadOf, releasesLead } from '@svc/domain/policy/hold';
import type { HoldRule } from '@svc/domain/policy/write-policy';
import { enqueue } from '../queue/queue.ts';
import type { Clock } from '../runtime/clock.ts';
import { earlierTime } from '../store/database/database-clock.ts';
import type { Database, Db } from '../store/database/db.ts';
import {
  dropDueEvents,
  type HeldSelection,
  insertHeldEvents,
  insertReleasedLeads,
  type LeadOfSource,
  listEndedHolds,
  listReleasedLeads,
  lockHolds,
  type NewHeldEvent,
  takeHeldEvents,
  takeSelectedEvents,
  type WaitingEvent,
} from '../store/held-events.ts';
import type { ReceiptSource } from '../store/receipts.ts';
import { writeCrmJob } from './write-crm.ts';

/** Recipients whose events one transaction releases. */
const RECIPIENTS_AT_ONCE = 200;

export interface StoredEvent {
  id: number;
  receipt: { receivedAt: Date; source: Pick<ReceiptSource, 'id' | 'canSync' | 'holdUntil'> };
  event: HeldEvent;
}

/**
 * Decides which of these new events wait, in the caller's transaction. Returns what is written when the turn of an event comes: nothing when it
 * waits; when it releases its lead, what waited and then the event itself. An event that is not in the result is written.
 *
 * Call it behind the caller's other inserts: while it waits for its lock, a removal of the connection waits for what they have locked.
 *
 * @param events in the order in which they were received
 */
export async function holdNewEvents(
  tx: Db,
  events: readonly StoredEvent[],
  now: Date,
): Promise<ReadonlyMap<number, readonly number[]>> {
  const received = events.flatMap(toReceived);
  const writes = new Map<number, readonly number[]>();
  if (received.length === 0) return writes;
  const sources = await lockHolds(tx, [...new Set(received.map(({ lead }) => lead.sourceId))]);
  const releasing = received.filter(({ rule, event }) => releasesLead(rule, event)).map(({ lead }) => lead);
  const waiting = releasing.length === 0 ? [] : await takeHeldEvents(tx, releasing);
  const leads = received.map(({ lead }) => lead);
  const before = await listReleasedLeads(tx, leads);
  const held: NewHeldEvent[] = [];
  const released: LeadOfSource[] = [];
  for (const [sourceId, ofSource] of Map.groupBy(received, ({ lead }) => lead.sourceId)) {
    const [first] = ofSource;
    if (first === undefined) continue;
    const decided = decide(first.rule, ofSource, {
      released: before.filter((lead) => lead.sourceId === sourceId),
      waiting: waiting.filter((lead) => lead.sourceId === sourceId),
    });
    // The source may have been removed just now.
    const isThere = sources.has(sourceId);
    for (const { id } of ofSource) writes.set(id, (isThere ? decided.writes.get(id) : undefined) ?? []);
    if (!isThere) continue;
    released.push(...decided.released.map((lead) => ({ sourceId, ...lead })));
    for (const { id, lead, rule, receivedAt } of ofSource) {
      if (!decided.held.has(id)) continue;
      held.push({ ...lead, eventId: id, receivedAt, dropsAt: dropsAt(rule, now) });
    }
  }
  await insertHeldEvents(tx, held, now);
  await insertReleasedLeads(tx, released, now);
  return writes;
}

interface Received {
  id: number;
  event: HeldEvent;
  rule: HoldRule;
  lead: LeadOfSource;
  receivedAt: Date;
}

/** Events that come while syncing is switched off are never written, so they neither wait nor release. */
function toReceived({ id, event, receipt: { receivedAt, source } }: StoredEvent): Received[] {
  const { id: sourceId, canSync, holdUntil: rule } = source;
  return rule === null || !canSync ? [] : [{ id, event, rule, receivedAt, lead: { sourceId, ...leadOf(event) } }];
}

/** Decides about the events of one source. */
function decide(
  rule: HoldRule,
  received: readonly Received[],
  before: { released: readonly LeadOfSource[]; waiting: readonly WaitingEvent[] },
) {
  const decided = holdEvents(
    rule,
    received.map(({ id, event }) => ({ entry: id, event })),
    { released: before.released, waiting: before.waiting.map((lead) => ({ lead, entry: lead.eventId })) },
  );
  return { ...decided, held: new Set(decided.held.map(({ entry }) => entry)) };
}

export interface Released {
  events: number;
  leads: number;
}

interface HoldDeps {
  db: Database;
  clock: Clock;
}

/**
 * Releases leads by hand: what waits is written in the order in which it was received, and later events of these leads do not wait. The events of
 * a recipient are released together, those of many recipients by several transactions.
 */
export async function releaseLeads(deps: HoldDeps, selection: HeldSelection): Promise<Released> {
  return releaseAll(deps, selection, async (tx, leads, now) => insertReleasedLeads(tx, leads, now));
}

/** Drops events that have waited too long, and releases those of policies that no longer hold events. */
export async function maintainHeldEvents({ db, clock, log }: HoldDeps & { log: Logger }): Promise<void> {
  const dropped = await dropDueEvents(db, await earlierTime(db, clock));
  if (dropped > 0) log.info({ dropped }, 'events that waited for their leads were dropped for their age');
  await releaseEndedHolds({ db, clock, log });
}

/** Releases the events of sources whose policy no longer holds any. Their leads are not remembered as released. */
export async function releaseEndedHolds({ db, clock, log }: HoldDeps & { log?: Logger }): Promise<void> {
  for (const sourceId of await listEndedHolds(db)) {
    const { events, leads } = await releaseAll({ db, clock }, { sourceId, recipient: null, campaigns: null });
    log?.info(
      { sourceId, events, leads },
      'events were released because the policy of their source no longer holds any',
    );
  }
}

async function releaseAll(
  { db, clock }: HoldDeps,
  selection: HeldSelection,
  also: (tx: Db, leads: readonly LeadOfSource[], now: Date) => Promise<void> = async () => {},
): Promise<Released> {
  const total: Released = { events: 0, leads: 0 };
  const releaseSome = async (tx: Db): Promise<number> => {
    const connectionId = (await lockHolds(tx, [selection.sourceId])).get(selection.sourceId);
    if (connectionId === undefined) return 0;
    const now = clock.now();
    const taken = await takeSelectedEvents(tx, selection, RECIPIENTS_AT_ONCE);
    if (taken.length === 0) return 0;
    const leads = [...Map.groupBy(taken, ({ recipient, campaign }) => `${recipient} ${campaign}`).values()];
    await also(
      tx,
      leads.flatMap(([lead]) => lead ?? []),
      now,
    );
    await enqueue(tx, ...taken.map(({ eventId }) => writeCrmJob(eventId, connectionId, now)));
    total.events += taken.length;
    total.leads += leads.length;
    return new Set(taken.map(({ recipient }) => recipient)).size;
  };
  while ((await db.transaction(releaseSome)) === RECIPIENTS_AT_ONCE);
  return total;
}
