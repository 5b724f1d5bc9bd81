/**
 * How many mails a relay sends in an hour.
 *
 * 1. In each hour of the clock (UTC) a relay begins at most so many mails, 60 by default. Further attempts at a mail are not
 *    counted again.
 * 2. A reply whose mail comes due after that gets no mail of its own. It goes into the digest of the hour: one mail, due when the
 *    hour ends, that lists all of them (`relay-digest.ts`).
 * 3. A digest that an attempt was made at takes no more replies; they go into the next hour's.
 */

/** Most people read one mail a minute at best; a mail server seldom takes much more from one sender. */
export const RELAY_MAILS_PER_HOUR = 60;

const HOUR_MS = 60 * 60_000;

/** Returns the begin of the hour in which mails are counted. */
export function relayHour(now: Date): Date {
  return new Date(Math.floor(now.getTime() / HOUR_MS) * HOUR_MS);
}

/**
 * Decides what becomes of a reply whose mail is due and was not begun yet.
 *
 * @param hour.begunCount mails that the relay has begun since `relayHour(now)`
 * @returns when the digest is due that the reply goes into; null when it gets a mail of its own
 */
export function digestTime(hour: { now: Date; begunCount: number; mailsPerHour: number }): Date | null {
  return hour.begunCount < hour.mailsPerHour ? null : nextDigestTime(relayHour(hour.now));
}

/** Returns when the digest after this one is due (rule 3). */
export function nextDigestTime(digestAt: Date): Date {
  return new Date(digestAt.getTime() + HOUR_MS);
}
