/**
 * The schedule of a block list: when its pipeline runs next, and when it gives up.
 *
 * - An idle list starts its next round `ROUND_INTERVAL_MS`, or its own interval, after the last one ended, successful or not.
 * - A call to the CRM or the sequencer that fails temporarily is retried after 2, 4, 8, ... seconds, or after the wait that
 *   the other side asked for when that is longer, but at most `WAIT_MAX_MS`. After `FAILURES_MAX` failures in a row the
 *   attempt has failed. Every page read and every batch pushed resets the count.
 * - A list that was loaded as part of a world does nothing for an hour (`nextWorkAfterLoad`).
 */

import type { BlocklistStatus } from '@svc/contract/vocabulary';
import { type FetchMode, isIdle, mayPush } from './blocklist.ts';

/** From the end of one round (resync or top-up) of a list to the start of its next top-up: 24 hours. */
export const ROUND_INTERVAL_MS = 24 * 60 * 60 * 1000;
/** Longest wait before a retry: an hour, however long a `Retry-After` is. */
export const WAIT_MAX_MS = 60 * 60 * 1000;
/** Failures in a row after which an attempt is given up: 17 minutes with the backoff alone. */
export const FAILURES_MAX = 10;
const BACKOFF_FIRST_MS = 2_000;

/** The shortest and the longest interval that a list may have: 15 minutes and 7 days. */
export const ROUND_MINUTES_MIN = 15;
export const ROUND_MINUTES_MAX = 7 * 24 * 60;

/** Returns when the next round starts after one that ended `at`. @param everyMinutes the list's own interval; null: none */
export function nextRoundAt(at: Date, everyMinutes: number | null = null): Date {
  return new Date(at.getTime() + (everyMinutes === null ? ROUND_INTERVAL_MS : everyMinutes * 60_000));
}

export interface FailedCall {
  /** Failures in a row, this one included, 1 or more. */
  readonly failureCount: number;
  /** The wait that the other side asked for, in ms; null when it asked for none. */
  readonly askedMs: number | null;
  readonly at: Date;
}

/** Returns when a call that failed temporarily is retried, or null when it is given up. */
export function nextCallAt({ failureCount, askedMs, at }: FailedCall): Date | null {
  if (failureCount >= FAILURES_MAX) return null;
  const waitMs = Math.max(askedMs ?? 0, BACKOFF_FIRST_MS * 2 ** (failureCount - 1));
  return new Date(at.getTime() + Math.min(waitMs, WAIT_MAX_MS));
}

/**
 * Returns when work that is never given up is tried again after a failure: like a call, with a backoff that stops growing, and after
 * `WAIT_MAX_MS` where waiting does not help, so that what somebody has mended is found.
 *
 * @param failure.failureCount failures in a row before this one
 */
export function nextTry({
  failureCount,
  retry,
  at,
}: {
  readonly failureCount: number;
  readonly retry: 'never' | { readonly afterMs: number | null };
  readonly at: Date;
}): { failureCount: number; dueAt: Date } {
  const count = Math.min(failureCount + 1, FAILURES_MAX - 1);
  const nextAt = retry === 'never' ? null : nextCallAt({ failureCount: count, askedMs: retry.afterMs, at });
  return { failureCount: count, dueAt: nextAt ?? new Date(at.getTime() + WAIT_MAX_MS) };
}

/** Work in progress pauses for an hour, so that users can see the list as the world file describes it. */
const LOAD_PAUSE_MS = 60 * 60 * 1000;

export interface LoadedBlocklist {
  readonly status: BlocklistStatus;
  readonly isEnabled: boolean;
  /** A fetch is queued or running, even if the list was paused since. */
  readonly hasActiveFetchJob: boolean;
  readonly crmListId: string | null;
  readonly lastAttemptedAt: Date | null;
  readonly createdAt: Date;
}

export type BlocklistWork =
  | { readonly kind: 'fetch'; readonly mode: FetchMode; readonly dueAt: Date }
  | { readonly kind: 'push' | 'top-up'; readonly dueAt: Date };

/**
 * Returns the next work for a list of a world that is loaded `now`, or null when there is none. A fetch or push in
 * progress continues in an hour; a next round starts no earlier than that.
 */
export function nextWorkAfterLoad(list: LoadedBlocklist, now: Date): BlocklistWork | null {
  const { status, isEnabled, hasActiveFetchJob, crmListId } = list;
  const later = new Date(now.getTime() + LOAD_PAUSE_MS);
  if (hasActiveFetchJob) {
    const isTopUp = isEnabled && status === 'SYNCING_NEW_CONTACTS';
    return { kind: 'fetch', mode: isTopUp ? 'top-up' : 'full', dueAt: later };
  }
  if (mayPush({ ...list, run: 0 }, 0)) return { kind: 'push', dueAt: later };
  if (crmListId === null || !isIdle(list)) return null;
  const roundAt = nextRoundAt(list.lastAttemptedAt ?? list.createdAt);
  return { kind: 'top-up', dueAt: roundAt > later ? roundAt : later };
}
