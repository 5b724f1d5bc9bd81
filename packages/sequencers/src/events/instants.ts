/** Parsers of the times in payloads. Times without an offset are UTC, as most platforms mean them. */
import type { DateOrder } from '@svc/domain/mappings/event-mapping';

const EARLIEST_MS = Date.UTC(2000, 0, 1);
const LATEST_MS = Date.UTC(2100, 0, 1);
/** Unix times below this are seconds: as milliseconds they would lie in 1970. */
const SECONDS_BELOW = 100_000_000_000;
const TEXT_MAX_LENGTH = 60;

const MONTH = '(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*';
/** RFC 2822 and HTTP: `Sun, 1 Mar 2026 10:00:00 +0100`; in US texts: `March 1, 2026 10:00 AM`. */
const NAMED_MONTH = new RegExp(`^(?:[a-z]{3,9},? )?(?:\\d{1,2} ${MONTH}|${MONTH} \\d{1,2}),? \\d{4}\\b`, 'i');
const ZONE = /(?:\bz|[a-z]{3,4}|[+-]\d{2}:?\d{2})$/i;
const CLOCK_ONLY = /\b(?:am|pm)$/i;

const NUMERIC_DATE =
  /^(\d{1,2})([/.-])(\d{1,2})\2(\d{4})(?:,? +|T|$)(?:(\d{1,2}):(\d{2})(?::(\d{2})(?:\.\d+)?)?)? ?([ap]m)? ?(?:(z|utc|gmt)|([+-])(\d{2}):?(\d{2}))?$/i;

/**
 * Parses ISO-8601 or RFC 2822 text, or a Unix time in seconds or milliseconds; null outside the years 2000 to 2099.
 *
 * @param order how dates of numbers such as `03/01/2026` are read; without it they are not
 */
export function toInstant(value: unknown, order?: DateOrder): Date | null {
  const ms = toEpochMs(value, order);
  return Number.isFinite(ms) && ms >= EARLIEST_MS && ms < LATEST_MS ? new Date(ms) : null;
}

function toEpochMs(value: unknown, order: DateOrder | undefined): number {
  const text = typeof value === 'string' ? value.trim() : value;
  const number = typeof text === 'string' && /^\d{9,13}(?:\.\d{1,6})?$/.test(text) ? Number(text) : text;
  if (typeof number === 'number') return Math.trunc(Math.abs(number) < SECONDS_BELOW ? number * 1000 : number);
  if (typeof text !== 'string' || text.length > TEXT_MAX_LENGTH) return NaN;
  // `Date.parse` would also accept "1" and "Lead 2".
  if (/^\d{4}-\d{2}-\d{2}/.test(text)) return Date.parse(toUtc(text));
  // A comment may name the zone: `+0100 (CET)`.
  const plain = text.replace(/ *\([^()]*\)$/, '').replaceAll(/\s+/g, ' ');
  if (NAMED_MONTH.test(plain)) return Date.parse(hasZone(plain) ? plain : `${plain} UTC`);
  return order === undefined ? NaN : parseNumericDate(plain, order);
}

/** Adds UTC to text without an offset; `Date.parse` would use the machine's local time. */
function toUtc(text: string): string {
  const iso = text.replace(' ', 'T');
  return iso.length > 10 && !/(?:z|[+-]\d{2}:?\d{2})$/i.test(iso) ? `${iso}Z` : iso;
}

function hasZone(text: string): boolean {
  return ZONE.test(text) && !CLOCK_ONLY.test(text);
}

function parseNumericDate(text: string, order: DateOrder): number {
  const found = NUMERIC_DATE.exec(text);
  if (found === null) return NaN;
  const [, first, , second, year, hours = '0', minutes = '0', seconds = '0', half, , sign, zoneHours, zoneMinutes] =
    found;
  const [day, month] = order === 'day-first' ? [Number(first), Number(second)] : [Number(second), Number(first)];
  const hour = half === undefined ? Number(hours) : toHourOfDay(Number(hours), half.toLowerCase());
  const ms = Date.UTC(Number(year), month - 1, day, hour, Number(minutes), Number(seconds));
  const date = new Date(ms);
  // 31 February would become a day in March.
  const isReal =
    date.getUTCMonth() === month - 1 &&
    date.getUTCDate() === day &&
    date.getUTCHours() === hour &&
    Number(minutes) < 60;
  if (!isReal) return NaN;
  const offset = sign === undefined ? 0 : (Number(zoneHours) * 60 + Number(zoneMinutes)) * 60_000;
  return sign === '-' ? ms + offset : ms - offset;
}

/** 12 AM is midnight, 12 PM noon. */
function toHourOfDay(hour: number, half: string): number {
  if (hour < 1 || hour > 12) return NaN;
  return (hour % 12) + (half === 'pm' ? 12 : 0);
}
