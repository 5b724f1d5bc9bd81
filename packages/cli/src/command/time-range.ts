import { parseMoment as readMoment } from '@svc/domain/values/moment';
import { quoteInput } from '@svc/domain/values/quote-input';
import { usageError } from '../errors/cli-error.ts';

// ISO dates outside these years have a sign, which the service does not accept.
const YEAR_0_MS = Date.parse('0000-01-01');
const YEAR_10000_MS = Date.UTC(10_000, 0);
const EXAMPLES =
  '7d, 1h30m, yesterday, last-month, 2026-01, 2026-01-31, "2026-01-31 08:00" or 2026-01-31T08:00:00+02:00';

export interface RangeFlags {
  readonly month?: string | undefined;
  readonly since?: string | undefined;
  readonly until?: string | undefined;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

export interface TimeRange {
  readonly from: string;
  readonly to: string;
}

/**
 * Fills `from` and `to` with the range of `--month`. The current month ends now.
 *
 * @throws CliError (exit 2) for what is no month
 */
export function fillMonth(flags: Record<string, unknown>, nowMs: number): void {
  const { month } = flags;
  if (typeof month !== 'string') return;
  if (!/^(?:\d{4}-\d{2}|this-month|last-month)$/.test(month)) {
    const hint = 'For example: --month 2026-01, --month last-month.';
    throw usageError(`--month must be a month, not ${quoteInput(month)}`, hint);
  }
  // As a month, so that an interrupted export goes on with the same one in the next month.
  const from = isoMonth(parseMoment(month, nowMs, 'start'));
  flags.from = from;
  if (from !== isoMonth(nowMs)) flags.to = from;
}

function isoMonth(ms: number): string {
  return iso(ms).slice(0, '2026-01'.length);
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
 * Parses a time as people write it and returns milliseconds. Times without offset are UTC.
 *
 * @throws CliError (exit 2) for other text and for years outside 0 to 9999
 */
export function parseMoment(text: string, nowMs: number, edge: 'start' | 'end'): number {
  const ms = readMoment(text, { nowMs, edge });
  if (ms === null) throw usageError(`${text} is not a time`, `For example: ${EXAMPLES}. Times without offset are UTC.`);
  if (ms >= YEAR_0_MS && ms < YEAR_10000_MS) return ms;
  throw usageError('The time is outside of the years 0 to 9999');
}

function iso(ms: number): string {
  return new Date(ms).toISOString();
}
