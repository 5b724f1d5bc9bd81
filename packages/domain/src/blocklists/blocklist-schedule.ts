/**
 * When the pipeline of a block list does something next, and when it stops trying.
 *
 * - A list at rest gets its next round `ROUND_INTERVAL_MS` after the last one ended, well or not.
 * - A call to the CRM or the sequencer that failed in a way that may pass is made again: after the wait that was asked for,
 *   or 2, 4, 8, ... seconds, at most `WAIT_MAX_MS`. After `FAILURES_MAX` failures in a row the attempt has failed for good;
 *   every page read and every batch pushed begins the count anew.
 * - Nothing of a list moves within an hour of being loaded as part of a world (`nextWorkAfterLoad`).
 */

import type { BlocklistStatus } from '@svc/contract/vocabulary';
import { type FetchMode, isIdle, mayPush } from './blocklist.ts';

/** From the end of one round (resync or top-up) of a list to the start of its next top-up: 24 hours. */
export const ROUND_INTERVAL_MS = 24 * 60 * 60 * 1000;
/** Longest wait for one more call: an hour. A `Retry-After` of a week is a mistake, or nothing to keep a job for. */
export const WAIT_MAX_MS = 60 * 60 * 1000;
/** Failures in a row after which an attempt is given up. With the back-off alone that takes 17 minutes. */
export const FAILURES_MAX = 10;
const BACKOFF_FIRST_MS = 2_000;

/** When a round that ended `at` is followed by the next. */
export function nextRoundAt(at: Date): Date {
  return new Date(at.getTime() + ROUND_INTERVAL_MS);
}

export interface FailedCall {
  /** Failures in a row, this one included, 1 or more. */
  readonly failureCount: number;
  /** The wait that the other side asked for, in ms; null when it named none. */
  readonly askedMs: number | null;
  readonly at: Date;
}

/** When a call whose failure may pass is made again; null when it is given up. */
export function nextCallAt({ failureCount, askedMs, at }: FailedCall): Date | null {
  if (failureCount >= FAILURES_MAX) return null;
  const waitMs = Math.max(askedMs ?? 0, BACKOFF_FIRST_MS * 2 ** (failureCount - 1));
  return new Date(at.getTime() + Math.min(waitMs, WAIT_MAX_MS));
}

/** An hour: at once, work that is under way in a world would be over before anybody has seen the list as the world describes it. */
const STILL_MS = 60 * 60 * 1000;

export interface LoadedBlocklist {
  readonly status: BlocklistStatus;
  readonly isEnabled: boolean;
  /** A fetch is under way, also where the list was paused meanwhile. */
  readonly hasActiveFetchJob: boolean;
  readonly crmListId: string | null;
  readonly lastAttemptedAt: Date | null;
  readonly createdAt: Date;
}

export type BlocklistWork =
  | { readonly kind: 'fetch'; readonly mode: FetchMode; readonly dueAt: Date }
  | { readonly kind: 'push' | 'top-up'; readonly dueAt: Date };

/**
 * What the pipeline does next for a list of a world that is loaded `now`; null when nothing. A fetch or push that the world
 * has under way goes on in an hour, as one does that the other side has told to wait; a next round comes no earlier.
 */
export function nextWorkAfterLoad(list: LoadedBlocklist, now: Date): BlocklistWork | null {
  const { status, isEnabled, hasActiveFetchJob, crmListId } = list;
  const later = new Date(now.getTime() + STILL_MS);
  if (hasActiveFetchJob) {
    const isTopUp = isEnabled && status === 'SYNCING_NEW_CONTACTS';
    return { kind: 'fetch', mode: isTopUp ? 'top-up' : 'full', dueAt: later };
  }
  if (mayPush({ ...list, run: 0 }, 0)) return { kind: 'push', dueAt: later };
  if (crmListId === null || !isIdle(list)) return null;
  const roundAt = nextRoundAt(list.lastAttemptedAt ?? list.createdAt);
  return { kind: 'top-up', dueAt: roundAt > later ? roundAt : later };
}
