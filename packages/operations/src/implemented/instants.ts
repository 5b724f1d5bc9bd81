import { badRequest } from '@svc/domain/errors/errors';
import { parseMoment } from '@svc/domain/values/moment';
import { quoteInput } from '@svc/domain/values/quote-input';

/**
 * Parses an instant as operators write it: `90d` or `1h30m` relative to now, or a day or time, in UTC without an offset.
 *
 * @param options.ages whether `90d` lies in the past or the future
 * @throws ApiError for anything else
 */
export function parseOperatorInstant(
  field: string,
  text: string,
  { now, ages }: { now: Date; ages: 'past' | 'future' },
): Date {
  const ms = parseMoment(text, { nowMs: now.getTime(), ages });
  // The database holds other years too, but no answer of the API can.
  if (ms !== null && ms >= Date.UTC(1970, 0) && ms < Date.UTC(10_000, 0)) return new Date(ms);
  throw badRequest(
    `${field} must be a time such as 7d, 1h30m, 2026-01-31 or "2026-01-31 08:00" (UTC without an offset), not ${quoteInput(text)}`,
  );
}
