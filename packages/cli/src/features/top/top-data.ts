import type { AccountMetrics, AccountStatusResponse, Blocklist, MeResponse, RequestReceipt, Sync } from '@svc/sdk';
import type { FailingSource } from '@svc/mcp/explain/failing-sources';

/** What is read by itself. */
export type PartName = keyof Rates | 'key' | 'status' | 'log' | 'requests' | 'block lists' | 'failing sources';

/** What has been read so far. Null: not read yet. */
export interface TopData {
  readonly me: MeResponse | null;
  readonly status: AccountStatusResponse | null;
  readonly failing: readonly FailingSource[] | null;
  readonly blocklists: readonly Blocklist[] | null;
  /** Newest first. */
  readonly syncs: readonly Sync[] | null;
  /** Newest first. */
  readonly requests: readonly RequestReceipt[] | null;
  readonly rates: Rates;
  /** Parts that the service refuses to this key, with its reason. */
  readonly refused: ReadonlyMap<PartName, string>;
  /** How far the service's clock is ahead of this machine's. */
  readonly clockOffsetMs: number;
}

/** Counts of ranges that end now. */
export interface Rates {
  readonly minutes: AccountMetrics | null;
  readonly hour: AccountMetrics | null;
  readonly day: AccountMetrics | null;
  /** Counts of the last 24 hours of the clock, by their start. */
  readonly hours: ReadonlyMap<number, HourCounts>;
}

export interface HourCounts {
  readonly counts: AccountMetrics;
  /** False for an hour that was read before its end. */
  readonly isComplete: boolean;
}

/** The minutes that the rate per minute is an average of. */
export const RATE_MINUTES = 5;
export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
const HOURS_SHOWN = 24;
/** Rows of the log that are kept. */
export const SYNCS_KEPT = 500;

export const NOTHING_READ: TopData = {
  me: null,
  status: null,
  failing: null,
  blocklists: null,
  syncs: null,
  requests: null,
  rates: { minutes: null, hour: null, day: null, hours: new Map() },
  refused: new Map(),
  clockOffsetMs: 0,
};

export function canWrite({ me }: TopData): boolean {
  return me?.apiKey.scopes.includes('write') ?? false;
}

/** Adds rows to a log without repeating one. */
export function mergeSyncs(old: readonly Sync[], read: readonly Sync[]): Sync[] {
  const byId = new Map([...old, ...read].map((sync) => [sync.id, sync]));
  return [...byId.values()].toSorted(newestFirst).slice(0, SYNCS_KEPT);
}

function newestFirst(a: Sync, b: Sync): number {
  return Date.parse(b.createdAt) - Date.parse(a.createdAt) || b.id - a.id;
}

/** The starts of the last hours of the clock, oldest first; the last one has not ended. */
export function hourStarts(nowMs: number): number[] {
  const current = Math.floor(nowMs / HOUR_MS) * HOUR_MS;
  return Array.from({ length: HOURS_SHOWN }, (_, index) => current - (HOURS_SHOWN - 1 - index) * HOUR_MS);
}

/** Requests of a connection that no sync belongs to although later ones could have been written. */
export interface Unsynced {
  readonly connectionId: number;
  readonly count: number;
  /** When the oldest of them arrived. */
  readonly oldestAt: string;
}

/**
 * Finds the requests that came after the newest request with a sync, of each connection. They wait to be written, or hold
 * no event: the API does not tell which. A connection writes in the order of arrival, so older requests are done.
 */
export function findUnsynced({ requests, syncs }: Pick<TopData, 'requests' | 'syncs'>): Unsynced[] {
  if (requests === null || syncs === null) return [];
  const written = new Set(syncs.map(({ payloadId }) => payloadId));
  // The log may not reach as far back as the requests.
  const knownFromMs = syncs.length < SYNCS_KEPT ? Number.NEGATIVE_INFINITY : Date.parse(syncs.at(-1)?.createdAt ?? '');
  const done = new Set<number>();
  const found = new Map<number, Unsynced>();
  for (const { id, connectionId, createdAt } of requests) {
    if (connectionId === null || done.has(connectionId) || Date.parse(createdAt) < knownFromMs) continue;
    if (written.has(id)) done.add(connectionId);
    else {
      const count = (found.get(connectionId)?.count ?? 0) + 1;
      found.set(connectionId, { connectionId, count, oldestAt: createdAt });
    }
  }
  return [...found.values()];
}

/** How often syncs failed lately, by a field of the sync. */
export interface FailureShare {
  readonly failed: number;
  readonly all: number;
  readonly newestFailure: Sync;
}

/** Counts the failures in the kept part of the log since a time; groups without failures are left out. */
export function countFailures(
  syncs: readonly Sync[],
  sinceMs: number,
  groupOf: (sync: Sync) => number | null,
): Map<number, FailureShare> {
  const all = new Map<number, number>();
  const shares = new Map<number, { failed: number; newestFailure: Sync }>();
  for (const sync of syncs) {
    const group = groupOf(sync);
    if (group === null || Date.parse(sync.createdAt) < sinceMs) continue;
    all.set(group, (all.get(group) ?? 0) + 1);
    if (sync.status !== 'error') continue;
    const share = shares.get(group);
    shares.set(group, { failed: (share?.failed ?? 0) + 1, newestFailure: share?.newestFailure ?? sync });
  }
  return new Map([...shares].map(([group, share]) => [group, { ...share, all: all.get(group) ?? 0 }]));
}
