import { usageError } from '../errors/cli-error.ts';
import { DAY_MS, UNIT_MS } from './duration.ts';

// ISO dates outside these years have a sign, which the service does not accept.
const YEAR_0_MS = Date.parse('0000-01-01');
const YEAR_10000_MS = Date.UTC(10_000, 0);
const EXAMPLES = '7d, 24h, yesterday, 2026-01, 2026-01-31, 2026-01-31T08:00:00Z';

/** Whether a day or month stands for its start or its end. */
type Edge = 'start' | 'end';

export interface RangeFlags {
  readonly since?: string | undefined;
  readonly until?: string | undefined;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

export interface TimeRange {
  readonly from: string;
  readonly to: string;
}

/** Resolves the range flags. `--since` is an alias of `--from`, `--until` of `--to`. The end defaults to now. */
export function resolveRange(flags: RangeFlags, nowMs: number, defaultSince?: string): TimeRange {
  const from = flags.from ?? flags.since ?? defaultSince;
  if (from === undefined) {
    throw usageError('No time range is given', 'Add --since 7d, or --from 2026-01-01 --to 2026-01-31.');
  }
  const to = flags.to ?? flags.until ?? 'now';
  const range = { from: parseMoment(from, nowMs, 'start'), to: parseMoment(to, nowMs, 'end') };
  if (range.from > range.to)
    throw usageError(`The range ends before it begins: ${iso(range.from)} to ${iso(range.to)}`);
  return { from: iso(range.from), to: iso(range.to) };
}

/**
 * Parses a time and returns milliseconds: an age (`7d`), `now`, `today`, `yesterday`, a month, a day, or a date-time
 * with offset. Days and months are UTC; as an end they mean their last millisecond.
 *
 * @throws CliError (exit 2) for other text and for years outside 0 to 9999
 */
export function parseMoment(text: string, nowMs: number, edge: Edge): number {
  const ms = readMoment(text, nowMs, edge);
  if (ms >= YEAR_0_MS && ms < YEAR_10000_MS) return ms;
  throw usageError('The time is outside of the years 0 to 9999');
}

function readMoment(text: string, nowMs: number, edge: Edge): number {
  const age = /^(\d+)([smhdw])$/.exec(text);
  if (age) {
    const [, count, unit] = age;
    return nowMs - Number(count) * UNIT_MS[unit as keyof typeof UNIT_MS];
  }
  if (text === 'now') return nowMs;
  const today = Math.floor(nowMs / DAY_MS) * DAY_MS;
  if (text === 'today') return edgeOfDay(today, edge);
  if (text === 'yesterday') return edgeOfDay(today - DAY_MS, edge);

  const date = /^(\d{4})-(\d{2})(?:-(\d{2}))?(T.*)?$/i.exec(text);
  if (!date) throw notAMoment(text);
  const [, year, month, day, time] = date;
  const start = Date.parse(`${year}-${month}-${day ?? '01'}`);
  // `Date` reads 30 February as 2 March.
  if (Number.isNaN(start) || !iso(start).startsWith(`${year}-${month}-${day ?? '01'}`)) throw notAMoment(text);
  if (time !== undefined) return parseDateTime(text);
  if (day !== undefined) return edgeOfDay(start, edge);
  return edge === 'start' ? start : new Date(start).setUTCMonth(Number(month)) - 1;
}

/** Parses a date-time. ISO 8601 allows the offsets `+02:00`, `+0200` and `+02`; `Date` only the first. */
function parseDateTime(text: string): number {
  const offset = /(?:Z|([+-]\d{2})(?::?(\d{2}))?)$/i.exec(text.slice('2026-01-31'.length));
  const [whole = '', hours, minutes = '00'] = offset ?? [];
  const ms = Date.parse(
    text.slice(0, text.length - whole.length) + (hours === undefined ? 'Z' : `${hours}:${minutes}`),
  );
  if (Number.isNaN(ms)) throw notAMoment(text);
  if (offset === null) throw usageError(`${text} has no offset`, `Write ${text}Z for UTC.`);
  return ms;
}

function edgeOfDay(startMs: number, edge: Edge): number {
  return edge === 'start' ? startMs : startMs + DAY_MS - 1;
}

function notAMoment(text: string) {
  return usageError(`${text} is not a time`, `For example: ${EXAMPLES}.`);
}

function iso(ms: number): string {
  return new Date(ms).toISOString();
}
