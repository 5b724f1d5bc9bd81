/**
 * What is known about a contact (specification, "Contact outreach", `GET /api/v1/contacts/outreach` rules 2 and 5 to 8).
 *
 * 1. Log rows are the syncs and the deliveries whose recipient matches, of every status, taken together.
 * 2. Rows of one payload, event type and platform are one event: a retry, a second connection and a forwarding do
 *    not count again. Its time is that of its earliest row, when the service first processed it. A row without
 *    payload id is an event of its own.
 * 3. Any event but a signal is a touch in time (`firstTouchAt`, `lastTouchAt`, `daysSinceLastTouch`); `lastEventType` and
 *    `lastPlatform` are those of the last touch. Which booleans an event sets is said by its touch class
 *    (`SEQUENCER_EVENT_TYPES`). An event type that is not listed there is a touch that sets none.
 * 4. A category is a signal. A category event counts in `totalEvents`, `eventTypes` and `platforms`, and touches nothing;
 *    a category signal makes a contact found, and has no event either. Neither has an effect on `doNotContact`.
 * 5. `doNotContact` knows hard signals only: a bounce or an unsubscription.
 * 6. `blocklists` says nothing in this release, whatever lists exist.
 * 7. `eventTypes` and `platforms` are sorted by name. Of two events of one instant the one with the greater
 *    (`payloadId`, `eventType`, `platform`) is the later; no value comes before any.
 * 8. A delivery whose source is not known has no platform. It counts like any other, but in none of the `platforms`, and
 *    `lastPlatform` is null when it is the last one.
 */
import type { ContactOutreachResponse } from '@svc/contract/types';
import { DO_NOT_CONTACT_REASONS, SEQUENCER_EVENT_TYPES, type TouchFlags } from '@svc/contract/vocabulary';
import type { ContactIdentity } from './contact-identity.ts';
import { compareValues } from '../values/order.ts';

/** A sync or a delivery whose recipient matches the identity. */
export interface OutreachRow {
  readonly eventType: string;
  /** Lower-case; a delivery's is that of its source, null when the source is not known. */
  readonly platform: string | null;
  /** Id of the request it came from. */
  readonly payloadId: number | null;
  readonly createdAt: Date;
}

/** The category that a sequencer gave the lead. */
export interface CategorySignal {
  readonly name: string;
  readonly at: Date;
}

export interface OutreachInput {
  readonly identity: Pick<ContactIdentity, 'email' | 'profileUrls'>;
  /** In any order. Rows already reduced to the earliest of each event give the same answer. */
  readonly rows: Iterable<OutreachRow>;
  /** In any order; the latest one is told. */
  readonly categorySignals: readonly CategorySignal[];
  readonly now: Date;
}

const DAY_MS = 24 * 60 * 60 * 1000;

/** The answer of a contact look-up; with nothing known it is complete too, and says `found: false`. */
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

/** The touch class of an event type; none for a type that is not listed. */
export function touchFlags(eventType: string): TouchFlags {
  return TOUCH_FLAGS.get(eventType) ?? {};
}

const TOUCH_FLAGS: ReadonlyMap<string, TouchFlags> = new Map(Object.entries(SEQUENCER_EVENT_TYPES));

/** One row per event, oldest first. */
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

/** Groups of events that are in order, sorted by name; what has no name is in no group. */
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

/** A touch that lies ahead, because two clocks differ, was today. */
function wholeDaysBetween(earlier: Date, later: Date): number {
  return Math.max(0, Math.floor((later.getTime() - earlier.getTime()) / DAY_MS));
}

function toIso(instant: Date | undefined): string | null {
  return instant?.toISOString() ?? null;
}
