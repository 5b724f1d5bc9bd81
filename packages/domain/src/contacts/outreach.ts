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

/** A category that a sequencer assigned to the lead. */
export interface CategorySignal {
  readonly name: string;
  readonly at: Date;
}

export interface OutreachInput {
  readonly identity: Pick<ContactIdentity, 'email' | 'profileUrls'>;
  /** In any order. Only the earliest row of each event is needed. */
  readonly rows: Iterable<OutreachRow>;
  /** In any order; the latest one is reported. */
  readonly categorySignals: readonly CategorySignal[];
  readonly now: Date;
}

const DAY_MS = 24 * 60 * 60 * 1000;

/** Builds the answer of a contact lookup; without rows and signals it has `found: false`. */
export function aggregateOutreach({ identity, rows, categorySignals, now }: OutreachInput): ContactOutreachResponse {
  const events = toEvents(rows);
  const touches = events.filter((event) => !touchFlags(event.eventType).signal);
  const first = touches.at(0);
  const last = touches.at(-1);
  const lastReply = events.findLast((event) => touchFlags(event.eventType).replied);
  const lastCategory = categorySignals.toSorted(compareSignals).at(-1);
  const has = (flag: keyof TouchFlags): boolean => events.some((event) => touchFlags(event.eventType)[flag]);
  const reasons = DO_NOT_CONTACT_REASONS.filter(has);
  return {
    email: identity.email,
    query: { email: identity.email, profileUrls: [...identity.profileUrls] },
    found: events.length > 0 || categorySignals.length > 0,
    summary: {
      everContacted: has('contacted'),
      everEmailed: has('emailed'),
      everOpened: has('opened'),
      everCalled: has('called'),
      everSocialTouched: has('social'),
      totalEvents: events.length,
      firstTouchAt: toIso(first?.createdAt),
      lastTouchAt: toIso(last?.createdAt),
      daysSinceLastTouch: last === undefined ? null : wholeDaysBetween(last.createdAt, now),
      lastEventType: last?.eventType ?? null,
      lastPlatform: last?.platform ?? null,
    },
    eventTypes: groupBy(events, (event) => event.eventType).map(([eventType, group]) => ({
      eventType,
      count: group.count,
      firstAt: group.first.createdAt.toISOString(),
      lastAt: group.last.createdAt.toISOString(),
    })),
    platforms: groupBy(events, (event) => event.platform).map(([platform, group]) => ({
      platform,
      count: group.count,
      lastAt: group.last.createdAt.toISOString(),
      lastEventType: group.last.eventType,
    })),
    outcomes: {
      replied: lastReply !== undefined,
      lastReplyAt: toIso(lastReply?.createdAt),
      bounced: has('bounced'),
      unsubscribed: has('unsubscribed'),
      lastCategoryName: lastCategory?.name ?? null,
      lastCategoryAt: toIso(lastCategory?.at),
    },
    doNotContact: { value: reasons.length > 0, reasons },
    blocklists: { evaluated: false, matched: false, matches: [] },
  };
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
    compareValues(a.createdAt.getTime(), b.createdAt.getTime()) ||
    compareValues(a.payloadId ?? 0, b.payloadId ?? 0) ||
    compareValues(a.eventType, b.eventType) ||
    compareValues(a.platform ?? '', b.platform ?? '')
  );
}

function compareSignals(a: CategorySignal, b: CategorySignal): number {
  return compareValues(a.at.getTime(), b.at.getTime()) || compareValues(a.name, b.name);
}

interface EventGroup {
  count: number;
  readonly first: OutreachRow;
  last: OutreachRow;
}

/** Groups ordered events by name, sorted by name. Events without a name are left out. */
function groupBy(
  events: readonly OutreachRow[],
  nameOf: (event: OutreachRow) => string | null,
): [string, EventGroup][] {
  const groups = new Map<string, EventGroup>();
  for (const event of events) {
    const name = nameOf(event);
    if (name === null) continue;
    const group = groups.get(name);
    if (group === undefined) {
      groups.set(name, { count: 1, first: event, last: event });
    } else {
      group.count += 1;
      group.last = event;
    }
  }
  return [...groups].sort(([a], [b]) => compareValues(a, b));
}

/** Counts whole days; 0 when `earlier` lies ahead of `later`, since clocks differ. */
function wholeDaysBetween(earlier: Date, later: Date): number {
  return Math.max(0, Math.floor((later.getTime() - earlier.getTime()) / DAY_MS));
}

function toIso(instant: Date | undefined): string | null {
  return instant?.toISOString() ?? null;
}
