/**
 * The parameters `from` and `to` of log lists and metrics (`listSyncs`, `getSyncMetrics`, ...).
 *
 * The rule: both are required. Each is a date, which means midnight UTC at its start, or a date-time with optional seconds
 * and a required offset, `Z` or hours with optional minutes (`+01`, `+01:00`). It must exist (no 30 February, no 24:00, no leap second) and be in the years 0001 to 9999. Digits
 * below the millisecond are dropped. `from` must not be after `to`. Both ends are inclusive, and the longest range is 31
 * times 24 hours. `to` may be in the future.
 */
import { LIMITS } from '@svc/contract/limits';
import { badRequest } from '../errors/errors.ts';
import { parseScalar, type RawParameter } from './parameters.ts';
import { quoteInput } from '../values/quote-input.ts';

/** Both ends belong to the range. */
export interface DateRange {
  readonly from: Date;
  readonly to: Date;
}

/** The form of a range end: the contract's `pattern`. Whether the date exists is checked separately. */
export const INSTANT_FORM =
  /^(\d{4})-(\d{2})-(\d{2})(?:T(\d{2}):(\d{2})(?::(\d{2})(?:\.(\d{1,9}))?)?(Z|[+-]\d{2}(?::\d{2})?))?$/;

const FORM = 'an ISO-8601 date (2026-01-31) or date-time with offset (2026-01-31T09:30:00Z)';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

/** Parses the required range of a list or of metrics. @throws ApiError 400 saying which end is wrong and what to send */
export function parseDateRange(query: { readonly from?: RawParameter; readonly to?: RawParameter }): DateRange {
  const from = parseInstant('from', query.from);
  const to = parseInstant('to', query.to);
  if (from > to) {
    throw badRequest(`from (${from.toISOString()}) is after to (${to.toISOString()}): swap them`);
  }
  if (to.getTime() - from.getTime() > LIMITS.dateRangeMaxMs) {
    const days = LIMITS.dateRangeMaxMs / DAY_MS;
    throw badRequest(
      `the range from ${from.toISOString()} to ${to.toISOString()} is longer than ${days} days: split it`,
    );
  }
  return { from, to };
}

/** Parses one end of a range. @throws ApiError 400 saying what is wrong and what to send */
export function parseInstant(name: string, raw: RawParameter): Date {
  const text = parseScalar(name, raw);
  if (text === undefined) throw badRequest(`${name} is missing: send ${FORM}`);
  const parts = INSTANT_FORM.exec(text);
  if (parts === null) throw badRequest(`${name} must be ${FORM}, not ${quoteInput(text)}${formHint(text)}`);
  const ms = toMilliseconds(parts);
  if (ms === undefined) throw badRequest(`${name} names no moment of the calendar: ${quoteInput(text)}`);
  const instant = new Date(ms);
  if (!/^(?!0000)\d{4}-/.test(instant.toISOString())) {
    throw badRequest(`${name} must lie in the years 0001 to 9999 of UTC, not ${quoteInput(text)}`);
  }
  return instant;
}

/** Returns a hint for two common mistakes. */
function formHint(text: string): string {
  if (/T.* \d{2}(:\d{2})?$/.test(text)) return ' (a plus sign in a query is written %2B)';
  if (/T[\d:.]+$/.test(text)) return ' (the offset is missing)';
  return '';
}

/** Returns undefined when a part is out of range, where `Date.UTC` would silently carry over. */
function toMilliseconds(parts: RegExpExecArray): number | undefined {
  const [, year, month, day, hour = '00', minute = '00', second = '00', fraction = '', offset = 'Z'] = parts;
  if (Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59) return undefined;
  const offsetMinutes = toOffsetMinutes(offset);
  if (offsetMinutes === undefined) return undefined;

  const date = new Date(0);
  // `Date.UTC` reads the years 0 to 99 as 1900 to 1999.
  date.setUTCFullYear(Number(year), Number(month) - 1, Number(day));
  if (date.getUTCMonth() !== Number(month) - 1 || date.getUTCDate() !== Number(day)) return undefined;
  date.setUTCHours(Number(hour), Number(minute), Number(second), Number(fraction.padEnd(3, '0').slice(0, 3)));
  return date.getTime() - offsetMinutes * MINUTE_MS;
}

function toOffsetMinutes(offset: string): number | undefined {
  if (offset === 'Z') return 0;
  const hours = Number(offset.slice(1, 3));
  const minutes = Number(offset.slice(4) || '0');
  if (hours > 23 || minutes > 59) return undefined;
  return (offset.startsWith('-') ? -1 : 1) * (hours * 60 + minutes);
}
