/**
 * Instants of a world file. Each is one of
 *
 * 1. an ISO-8601 date-time with an offset and at most milliseconds: `2026-03-01T08:00:00.250Z`;
 * 2. a distance from now: a sign, then days, hours, minutes, seconds and milliseconds in this order, each at most once and at
 *    least one of them: `-3d4h`, `-90m`, `-1234ms`, `+15m`;
 * 3. `0s`: now itself.
 *
 * With distances, a query for the last seven days finds the same rows whenever the world is loaded.
 */
import * as z from 'zod';

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;
const SECOND_MS = 1_000;

const UNITS = [
  ['d', DAY_MS],
  ['h', HOUR_MS],
  ['m', MINUTE_MS],
  ['s', SECOND_MS],
  ['ms', 1],
] as const;

/** A century. Larger distances are typing errors. */
const DISTANCE_MAX_MS = 36_525 * DAY_MS;

// `m(?!s)`: the minutes must not match the first letter of `5ms`.
const RELATIVE = /^([+-])(?=\d)(?:(\d+)d)?(?:(\d+)h)?(?:(\d+)m(?!s))?(?:(\d+)s)?(?:(\d+)ms)?$/;
const MORE_THAN_MILLISECONDS = /\.\d{4,}/;
const isoDateTime = z.iso.datetime({ offset: true });

/**
 * Parses a distance from now.
 * @returns milliseconds, negative in the past; undefined when `text` is not a distance
 */
export function parseRelativeTime(text: string): number | undefined {
  if (text === '0s') {
    return 0;
  }
  const match = RELATIVE.exec(text);
  if (match === null) {
    return undefined;
  }
  const distance = UNITS.reduce((sum, [, unitMs], index) => sum + Number(match[index + 2] ?? 0) * unitMs, 0);
  if (distance > DISTANCE_MAX_MS) {
    return undefined;
  }
  // `0 - distance` avoids a negative zero.
  return match[1] === '-' ? 0 - distance : distance;
}

/**
 * Formats a distance in its shortest form: `formatRelativeTime(-100_800_000)` is `-1d4h`.
 * @param distanceMs whole milliseconds, at most a century in either direction
 * @throws RangeError for anything else
 */
export function formatRelativeTime(distanceMs: number): string {
  if (!Number.isInteger(distanceMs) || Math.abs(distanceMs) > DISTANCE_MAX_MS) {
    throw new RangeError(`Not a distance in whole milliseconds within a century: ${distanceMs}`);
  }
  if (distanceMs === 0) {
    return '0s';
  }
  let rest = Math.abs(distanceMs);
  let text = distanceMs < 0 ? '-' : '+';
  for (const [unit, unitMs] of UNITS) {
    const count = Math.floor(rest / unitMs);
    rest -= count * unitMs;
    text += count === 0 ? '' : `${count}${unit}`;
  }
  return text;
}

/** Whether {@link resolveInstant} accepts a text. */
export function isInstant(text: string): boolean {
  return parseRelativeTime(text) !== undefined || isIsoInstant(text);
}

/**
 * Resolves an instant of a world that is loaded at `now`.
 * @throws RangeError when `text` is not an instant, which cannot happen with a parsed world
 */
export function resolveInstant(text: string, now: Date): Date {
  const distance = parseRelativeTime(text);
  if (distance !== undefined) {
    return new Date(now.getTime() + distance);
  }
  if (isIsoInstant(text)) {
    return new Date(text);
  }
  throw new RangeError(`Not an instant: ${text}`);
}

function isIsoInstant(text: string): boolean {
  return isoDateTime.safeParse(text).success && !MORE_THAN_MILLISECONDS.test(text);
}
