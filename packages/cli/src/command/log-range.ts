import { parseDuration } from '@svc/domain/values/duration';
import type { Client } from '@svc/sdk';
import { usageError } from '../errors/cli-error.ts';
import { DAY_MS } from './duration.ts';
import { parseMoment, type RangeFlags, type TimeRange } from './time-range.ts';
import { toMinute } from '../format/times.ts';

/** The range of `list` and `metrics` without range flags and without `svc config set range`. */
export const DEFAULT_RANGE = '7d';
/** As a default range: everything, as with `--all`. */
export const ALL_TIME = 'all';

/** The range of a log as the user gave it. */
export interface LogRange {
  /** Null: from the beginning. */
  readonly fromMs: number | null;
  /** Null: until now. */
  readonly toMs: number | null;
  readonly nowMs: number;
  /** Whether the range comes from the configured or built-in default. */
  readonly isDefault: boolean;
  /** For example `last 7 days`. */
  readonly label: string;
  /** The end of a sentence, such as ` in the last 7 days`; empty for all time. */
  readonly phrase: string;
}

/**
 * Resolves the range flags of a log. `--all` without a start means from the beginning, also if a default range is
 * configured. Without a start and `--all`, the default applies; an age counts back from the end of the range.
 *
 * @param fallback the default start, or `all`; null if the command needs a range
 * @throws CliError (exit 2) for a time that cannot be read, and if there is no range
 */
export function resolveLogRange(
  flags: RangeFlags & { readonly all?: boolean | undefined },
  nowMs: number,
  fallback: string | null,
): LogRange {
  const given = flags.from ?? flags.since;
  const to = flags.to ?? flags.until;
  const toMs = to === undefined ? null : parseMoment(to, nowMs, 'end');
  const start = given ?? (flags.all === true ? ALL_TIME : fallback);
  if (start === null) {
    throw usageError('No time range is given', 'Add --since 7d, or --from 2026-01-01 --to 2026-01-31, or --all.');
  }
  const isAllTime = given === undefined && start === ALL_TIME;
  const relativeTo = given === undefined ? (toMs ?? nowMs) : nowMs;
  const fromMs = isAllTime ? null : parseMoment(start, relativeTo, 'start');
  if (fromMs !== null && fromMs > (toMs ?? nowMs)) {
    if (toMs === null) throw usageError(`The range begins in the future: ${iso(fromMs)}`, `It is ${iso(nowMs)} now.`);
    throw usageError(`The range ends before it begins: ${iso(fromMs)} to ${iso(toMs)}`);
  }
  const isDefault = given === undefined && flags.all !== true;
  return { fromMs, toMs, nowMs, isDefault, ...describeRange(start, fromMs, toMs) };
}

/**
 * Checks a default range: a time that `--since` accepts, or `all`.
 *
 * @param name names the setting in the message
 * @throws CliError (exit 2)
 */
export function parseDefaultRange(text: string, name: string): string {
  try {
    if (text !== ALL_TIME) parseMoment(text, Date.now(), 'start');
    return text;
  } catch {
    throw usageError(
      `${name} must be the start of a range or all, not ${text}`,
      'For example: 30d, 24h, 2026-01, all.',
    );
  }
}

/** Names flags for a longer range than this one. */
export function longerRange({ fromMs, nowMs }: Pick<LogRange, 'fromMs' | 'nowMs'>): string {
  return fromMs !== null && fromMs > nowMs - 30 * DAY_MS ? '--since 30d, or --all' : '--all';
}

/** Returns the range for requests. The beginning is the creation of the oldest connection that the key can access. */
export async function toTimeRange(client: Client, { fromMs, toMs, nowMs }: LogRange): Promise<TimeRange> {
  const endMs = toMs ?? nowMs;
  const startMs = fromMs ?? Math.min(endMs, await findBeginning(client, nowMs));
  return { from: iso(startMs), to: iso(endMs) };
}

async function findBeginning(client: Client, nowMs: number): Promise<number> {
  const { connections } = await client.connections.list();
  const created = connections.map(({ createdAt }) => Date.parse(createdAt)).filter((ms) => !Number.isNaN(ms));
  // At least one request's worth, which costs nothing.
  return Math.min(nowMs - 31 * DAY_MS, ...created);
}

const AGE_UNITS: Readonly<Record<string, string>> = { s: 'second', m: 'minute', h: 'hour', d: 'day', w: 'week' };

function describeRange(start: string, fromMs: number | null, toMs: number | null): Pick<LogRange, 'label' | 'phrase'> {
  if (fromMs === null) {
    const until = toMs === null ? '' : `until ${describeEnd(toMs)}`;
    return { label: until || 'all time', phrase: until && ` ${until}` };
  }
  if (toMs === null) {
    const label = describeAge(start) ?? `since ${describeStart(fromMs)}`;
    return { label, phrase: label.startsWith('since') ? ` ${label}` : ` in the ${label}` };
  }
  const [first, last] = [describeStart(fromMs), describeEnd(toMs)];
  if (first === last) return { label: first, phrase: ` on ${first}` };
  return { label: `${first} to ${last}`, phrase: ` from ${first} to ${last}` };
}

/** Returns for example `last 7 days` for `7d` and `last 1h30m` for `1h30m`, and null for other text. */
function describeAge(text: string): string | null {
  const [, count, letter = ''] = /^(\d+)([smhdw])$/.exec(text) ?? [];
  const unit = AGE_UNITS[letter];
  if (unit === undefined) return parseDuration(text) === null ? null : `last ${text}`;
  return Number(count) === 1 ? `last ${unit}` : `last ${count} ${unit}s`;
}

/** Returns only the date for the start of a UTC day, unless times are local. */
function describeStart(ms: number): string {
  const minute = toMinute(iso(ms));
  return ms % DAY_MS === 0 && minute.endsWith('Z') ? iso(ms).slice(0, 10) : minute;
}

/** Returns only the date for the end of a UTC day, unless times are local. */
function describeEnd(ms: number): string {
  const minute = toMinute(iso(ms));
  return (ms + 1) % DAY_MS === 0 && minute.endsWith('Z') ? iso(ms).slice(0, 10) : minute;
}

function iso(ms: number): string {
  return new Date(ms).toISOString();
}
