import { setTimeout as sleep } from 'node:timers/promises';
import type { Database, Db } from '../database/db.ts';

export interface LockPatience {
  /** How long a statement waits for a lock. Whoever comes after it waits as long, so keep it short. Default 500 ms. */
  lockWaitMs?: number;
  /** The pause after an attempt that found a lock taken, in which those who waited behind it go on. Default 1,000 ms. */
  pauseMs?: number;
  /** Default 600, about ten minutes. */
  attemptsMax?: number;
}

/** Locks were taken at each attempt; the message says what to look for. */
export class LocksTakenError extends Error {
  override readonly name = 'LocksTakenError';
}

/** SQLSTATEs of a lock that was not free in time, and of transactions that waited for each other. */
const TAKEN = new Set(['55P03', '40P01']);

/**
 * Runs a transaction whose statements lock whole tables, without making others wait: a lock that is not free within a
 * moment rolls it back, and it is tried again after a pause.
 *
 * @param work gets `beBrief`, which begins the short waits; before it, waiting blocks nobody
 * @throws LocksTakenError when no attempt found all locks free
 */
export async function withShortLocks<T>(
  db: Database,
  work: (tx: Db, beBrief: () => Promise<void>) => Promise<T>,
  { lockWaitMs = 500, pauseMs = 1_000, attemptsMax = 600 }: LockPatience = {},
): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await db.transaction(
        (tx) =>
          work(tx, async () => {
            await tx.query(`select set_config('lock_timeout', $1, true)`, [`${lockWaitMs}ms`]);
          }),
        { isLong: true },
      );
    } catch (error) {
      if (!isTaken(error)) throw error;
      if (attempt >= attemptsMax) {
        throw new LocksTakenError(
          `A table was locked at each of ${attemptsMax} attempts: look for long transactions in pg_stat_activity, end them, and run this again.`,
          { cause: error },
        );
      }
      await sleep(pauseMs);
    }
  }
}

function isTaken(error: unknown): boolean {
  return error instanceof Error && 'code' in error && TAKEN.has(String(error.code));
}
