/**
 * Summarizes the outreach to a contact (the body of `getContactOutreach`).
 *
 * 1. The log rows are all syncs and deliveries, of every status, whose recipient matches.
 * 2. Rows with the same payload, event type and platform are one event, so a retry, a second connection and a forwarding do
 *    not count again. The event's time is that of its earliest row. A row without payload id is an event of its own.
 * 3. Every event except a signal is a touch (`firstTouchAt`, `lastTouchAt`, `daysSinceLastTouch`). `lastEventType` and
 *    `lastPlatform` are those of the last touch. The touch class of an event type (`SEQUENCER_EVENT_TYPES`) says which
 *    booleans it sets; an event type that is not listed is a touch that sets none.
 * 4. A category is a signal, and so is an open or a click that the sequencer marks as a bot's. Their events count in `totalEvents`,
 *    `eventTypes` and `platforms` but are not touches, and a bot's open does not set `everOpened`. A stored category signal sets
 *    `found` but is not an event. None affects `doNotContact`.
 * 5. `doNotContact` considers hard signals only: a bounce or an unsubscription.
 * 6. `blocklists` is not evaluated in this release.
 * 7. `eventTypes` and `platforms` are sorted by name. Events of the same instant are ordered by `payloadId`, `eventType` and
 *    `platform`; null comes first.
 * 8. A delivery whose source is unknown has no platform. It is an event, but it is not in `platforms`, and `lastPlatform` is
 *    null when it is the last touch.
 */
import type { ContactOutreachResponse } from '@svc/contract/types';
import { DO_NOT_CONTACT_REASONS, SEQUENCER_EVENT_TYPES, type TouchFlags } from '@svc/contract/vocabulary';
import type { ContactIdentity } from './contact-identity.ts';
import { compareValues } from '../values/order.ts';

/** A sync or a delivery whose recipient matches the identity. */
export interface OutreachRow {
  readonly eventType: string;
  /** In lower case; the platform of its source for a delivery; null when the source is unknown. */
  readonly platform: string | null;
  /** Id of the request that the row came from. */
  readonly payloadId: number | null;
  readonly createdAt: Date;
}

/** The events of one event type and platform. The answer needs no more of them than this. */
export interface OutreachSum {
  readonly eventType: string;
  readonly platform: string | null;
  /** At least 1. */
  readonly count: number;
  readonly firstAt: Date;
  readonly lastAt: Date;
  /** Of the last event; 0 when that has none. */
  readonly lastPayloadId: number;
}

/** A category that a sequencer assigned to the lead. */
export interface CategorySignal {
  readonly name: string;
  readonly at: Date;
}

export interface OutreachInput {
  readonly identity: Pick<ContactIdentity, 'email' | 'profileUrls'>;
  /** In any order, one for each event type and platform. */
  readonly sums: readonly OutreachSum[];
  /** In any order; the latest one is reported. */
  readonly categorySignals: readonly CategorySignal[];
  readonly now: Date;
}

const DAY_MS = 24 * 60 * 60 * 1000;

/** Builds the answer of a contact lookup; without events and signals it has `found: false`. */
export function aggregateOutreach({ identity, sums, categorySignals, now }: OutreachInput): ContactOutreachResponse {
  const touches = sums.filter(({ eventType }) => !touchFlags(eventType).signal);
  const replies = sums.filter(({ eventType }) => touchFlags(eventType).replied);
  const lastTouch = touches.length === 0 ? null : lastOf(touches);
  const lastCategory = categorySignals.toSorted(compareSignals).at(-1);
  const has = (flag: keyof TouchFlags): boolean => sums.some(({ eventType }) => touchFlags(eventType)[flag]);
  const reasons = DO_NOT_CONTACT_REASONS.filter(has);
  return {
    email: identity.email,
    query: { email: identity.email, profileUrls: [...identity.profileUrls] },
    found: sums.length > 0 || categorySignals.length > 0,
    summary: {
      everContacted: has('contacted'),
      everEmailed: has('emailed'),
      everOpened: has('opened'),
      everCalled: has('called'),
      everSocialTouched: has('social'),
      totalEvents: countOf(sums),
      firstTouchAt: touches.length === 0 ? null : firstAtOf(touches),
      lastTouchAt: toIso(lastTouch?.lastAt),
      daysSinceLastTouch: lastTouch === null ? null : wholeDaysBetween(lastTouch.lastAt, now),
      lastEventType: lastTouch?.eventType ?? null,
      lastPlatform: lastTouch?.platform ?? null,
    },
    eventTypes: groupBy(sums, ({ eventType }) => eventType).map(([eventType, group]) => ({
      eventType,
      count: countOf(group),
      firstAt: firstAtOf(group),
      lastAt: lastOf(group).lastAt.toISOString(),
    })),
    platforms: groupBy(sums, ({ platform }) => platform).map(([platform, group]) => {
      const last = lastOf(group);
      return { platform, count: countOf(group), lastAt: last.lastAt.toISOString(), lastEventType: last.eventType };
    }),
    outcomes: {
      replied: replies.length > 0,
      lastReplyAt: replies.length === 0 ? null : lastOf(replies).lastAt.toISOString(),
      bounced: has('bounced'),
      unsubscribed: has('unsubscribed'),
      lastCategoryName: lastCategory?.name ?? null,
      lastCategoryAt: toIso(lastCategory?.at),
    },
    doNotContact: { value: reasons.length > 0, reasons },
    blocklists: { evaluated: false, matched: false, matches: [] },
  };
}

/** Adds up the events of rows in any order. The server does the same in SQL (`engine/src/store/outreach.ts`). */
export function sumOutreachRows(rows: Iterable<OutreachRow>): OutreachSum[] {
  const sums = new Map<string, OutreachSum>();
  for (const { eventType, platform, payloadId, createdAt } of toEvents(rows)) {
    const key = JSON.stringify([eventType, platform]);
    const { count, firstAt } = sums.get(key) ?? { count: 0, firstAt: createdAt };
    sums.set(key, {
      ...{ eventType, platform, count: count + 1, firstAt },
      ...{ lastAt: createdAt, lastPayloadId: payloadId ?? 0 },
    });
  }
  return [...sums.values()];
}

/** Returns the touch class of an event type; empty for a type that is not listed. */
export function touchFlags(eventType: string): TouchFlags {
  return TOUCH_FLAGS.get(eventType) ?? {};
}

const TOUCH_FLAGS: ReadonlyMap<string, TouchFlags> = new Map(Object.entries(SEQUENCER_EVENT_TYPES));

/** Returns one row per event, oldest first. */
function toEvents(rows: Iterable<OutreachRow>): OutreachRow[] {
  const events: OutreachRow[] = [];
  const earliest = new Map<string, OutreachRow>();
  for (const row of rows) {
    if (row.payloadId === null) {
      events.push(row);
      continue;
    }
    const key = JSON.stringify([row.payloadId, row.eventType, row.platform]);
    const known = earliest.get(key);
    if (known === undefined || row.createdAt < known.createdAt) earliest.set(key, row);
  }
  return [...events, ...earliest.values()].sort(compareEvents);
}

function compareEvents(a: OutreachRow, b: OutreachRow): number {
  return (
    compareValues(a.createdAt.getTime(), b.createdAt.getTime()) || compareValues(a.payloadId ?? 0, b.payloadId ?? 0)
  );
}

function compareSignals(a: CategorySignal, b: CategorySignal): number {
  return compareValues(a.at.getTime(), b.at.getTime()) || compareValues(a.name, b.name);
}

/** Groups sums by name, sorted by name. Those without a name are left out. */
function groupBy(
  sums: readonly OutreachSum[],
  nameOf: (sum: OutreachSum) => string | null,
): [string, readonly OutreachSum[]][] {
  const groups = new Map<string, OutreachSum[]>();
  for (const sum of sums) {
    const name = nameOf(sum);
    if (name !== null) groups.set(name, [...(groups.get(name) ?? []), sum]);
  }
  return [...groups].sort(([a], [b]) => compareValues(a, b));
}

function countOf(sums: readonly OutreachSum[]): number {
  return sums.reduce((total, { count }) => total + count, 0);
}

/** @param sums at least one */
function firstAtOf(sums: readonly OutreachSum[]): string {
  return new Date(Math.min(...sums.map(({ firstAt }) => firstAt.getTime()))).toISOString();
}

/**
 * Returns the sum that has the last event.
 *
 * @param sums at least one
 */
function lastOf(sums: readonly OutreachSum[]): OutreachSum {
  return sums.reduce((last, sum) => (compareLasts(last, sum) < 0 ? sum : last));
}

function compareLasts(a: OutreachSum, b: OutreachSum): number {
  return (
    compareValues(a.lastAt.getTime(), b.lastAt.getTime()) ||
    compareValues(a.lastPayloadId, b.lastPayloadId) ||
    compareValues(a.eventType, b.eventType) ||
    compareValues(a.platform ?? '', b.platform ?? '')
  );
}

/** Counts whole days; 0 when `earlier` lies ahead of `later`, since clocks differ. */
function wholeDaysBetween(earlier: Date, later: Date): number {
  return Math.max(0, Math.floor((later.getTime() - earlier.getTime()) / DAY_MS));
}

function toIso(instant: Date | undefined): string | null {
  return instant?.toISOString() ?? null;
}
