/**
 * Limits of wrong passwords, in windows of 15 minutes: 50 from one address, 10 for one user from one address, 100 for one user from all
 * addresses. A right password is not counted.
 *
 * A stranger cannot lock a user out for ever: the limit of all addresses does not count where the user is signed in already, and
 * links and OpenID Connect have no limit. Unknown users are limited in the same way, so that the limits do not tell who exists.
 */
import { createHash } from 'node:crypto';
import { secondsToEnd, toClientNetwork } from '@svc/domain/requests/rate-limit';
import type { Context } from '@svc/engine/context';
import { giveBackToWindows, takeFromWindow } from '@svc/engine/store/rate-windows';
import { DashboardError } from './errors.ts';

const WINDOW_MS = 15 * 60_000;
const PER_ADDRESS = 50;
const PER_USER_AND_ADDRESS = 10;
const PER_USER = 100;

export interface Attempt {
  /** As it was typed. */
  readonly email: string;
  readonly address: string;
  /** Returns whether the user is signed in from this network. Asked when the limit of all addresses is reached. */
  isKnownNetwork(network: string): Promise<boolean>;
}

/**
 * Counts an attempt before the password is looked at, so that attempts at the same time are counted too.
 *
 * @returns what takes the count back when the password was right
 * @throws DashboardError 429
 */
export async function countAttempt(
  { db, clock }: Pick<Context, 'db' | 'clock'>,
  attempt: Attempt,
): Promise<() => Promise<void>> {
  const now = clock.now();
  const network = toClientNetwork(attempt.address);
  const user = createHash('sha256').update(attempt.email.trim().toLowerCase()).digest('base64url');
  const windows = [
    { bucket: `sign-in:address:${network}`, limit: PER_ADDRESS, isWaived: async () => false },
    { bucket: `sign-in:user:${user}:${network}`, limit: PER_USER_AND_ADDRESS, isWaived: async () => false },
    { bucket: `sign-in:user:${user}`, limit: PER_USER, isWaived: () => attempt.isKnownNetwork(network) },
  ];
  const taken: string[] = [];
  for (const { bucket, limit, isWaived } of windows) {
    const { allowed, startedAt } = await takeFromWindow(db, bucket, { limit, windowMs: WINDOW_MS, now });
    if (allowed) taken.push(bucket);
    else if (!(await isWaived())) {
      await giveBackToWindows(db, taken);
      const seconds = secondsToEnd(startedAt.getTime() + WINDOW_MS, now);
      throw new DashboardError(
        429,
        'too_many_requests',
        `Too many wrong passwords: try again in ${Math.ceil(seconds / 60)} minutes, or ask for a link.`,
        seconds,
      );
    }
  }
  return () => giveBackToWindows(db, taken);
}
