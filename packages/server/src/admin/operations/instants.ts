import { parseInstant } from '@svc/domain/requests/date-range';

const UNIT_MS = { d: 86_400_000, h: 3_600_000, m: 60_000 };

/**
 * Parses an instant as operators write it: `90d`, `12h` or `30m` relative to now, or an ISO-8601 date or date-time.
 *
 * @param options.direction 1 when `90d` is in the future, -1 when it is in the past
 * @throws ApiError for anything else
 */
export function parseOperatorInstant(
  field: string,
  text: string,
  { now, direction }: { now: Date; direction: 1 | -1 },
): Date {
  const [, count, unit] = /^(\d{1,4})([dhm])$/.exec(text) ?? [];
  if (unit !== 'd' && unit !== 'h' && unit !== 'm') return parseInstant(field, text);
  return new Date(now.getTime() + direction * Number(count) * UNIT_MS[unit]);
}
