/**
 * Times as people write them, in UTC unless they have an offset:
 *
 * 1. An age, which is a duration before now: `90m`, `7d`, `2d12h` (`duration.ts`).
 * 2. `now`, `today`, `yesterday`, `this-month`, `last-month`.
 * 3. A month `2026-01` or a day `2026-01-31`, which mean their first millisecond, or as the end of a range their last.
 * 4. A date-time `2026-01-31T08:00` or `2026-01-31 08:00`, with optional seconds and an optional offset: `Z`, `+02:00`, `+0200`
 *    or `+02`.
 */
import { parseDuration } from './duration.ts';

const DAY_MS = 86_400_000;

const DATE_TIME =
  /^(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?)(?: ?(?:(Z)|([+-]\d{2})(?::?(\d{2}))?))?$/i;

export interface MomentContext {
  readonly nowMs: number;
  /** What a day or a month stands for. Default `start`. */
  readonly edge?: 'start' | 'end';
  /** Whether `7d` lies before or after now. Default `past`. */
  readonly ages?: 'past' | 'future';
}

/** Parses a time. Returns milliseconds since the epoch, or null for other text. The year may be outside of 0 to 9999. */
export function parseMoment(text: string, { nowMs, edge = 'start', ages = 'past' }: MomentContext): number | null {
  const ageMs = parseDuration(text);
  if (ageMs !== null) return nowMs + (ages === 'past' ? -ageMs : ageMs);
  if (text === 'now') return nowMs;
  const today = Math.floor(nowMs / DAY_MS) * DAY_MS;
  if (text === 'today') return edgeOfDay(today, edge);
  if (text === 'yesterday') return edgeOfDay(today - DAY_MS, edge);

  if (text === 'this-month' || text === 'last-month') return edgeOfMonth(nowMs, text === 'this-month' ? 0 : -1, edge);

  const [, year, month, dayOfMonth] = /^(\d{4})-(\d{2})(?:-(\d{2}))?/.exec(text) ?? [];
  if (year === undefined) return null;
  const day = `${year}-${month}-${dayOfMonth ?? '01'}`;
  const startMs = Date.parse(day);
  // `Date` reads 30 February as 2 March.
  if (Number.isNaN(startMs) || !new Date(startMs).toISOString().startsWith(day)) return null;
  if (text === `${year}-${month}`) return edgeOfMonth(startMs, 0, edge);
  return text === day ? edgeOfDay(startMs, edge) : parseDateTime(text);
}

/** `Date` alone takes a missing offset as local time, and of the offsets only `+02:00`. */
function parseDateTime(text: string): number | null {
  const [, date, time, , hours, minutes = '00'] = DATE_TIME.exec(text) ?? [];
  const ms = Date.parse(`${date}T${time}${hours === undefined ? 'Z' : `${hours}:${minutes}`}`);
  return Number.isNaN(ms) ? null : ms;
}

/** @param months from the month of `ms` to the month that is meant */
function edgeOfMonth(ms: number, months: number, edge: 'start' | 'end'): number {
  const start = new Date(ms);
  start.setUTCHours(0, 0, 0, 0);
  start.setUTCDate(1);
  if (edge === 'start') return start.setUTCMonth(start.getUTCMonth() + months);
  return start.setUTCMonth(start.getUTCMonth() + months + 1) - 1;
}

function edgeOfDay(startMs: number, edge: 'start' | 'end'): number {
  return edge === 'start' ? startMs : startMs + DAY_MS - 1;
}
