import * as Flags from '@oclif/core/flags';
import { usageError } from '../errors/cli-error.ts';

/** Units of time, such as the `d` in `7d`, in milliseconds. */
export const UNIT_MS = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 } as const;

export const DAY_MS = UNIT_MS.d;

/** The limit of timers, which count milliseconds in 32 bits. */
const MAX_SECONDS = (24 * DAY_MS) / 1000;

/** Parses `30m`, `90s`, `2h`, `1d` or a number of seconds. Returns null for other text. */
export function parseSeconds(text: string): number | null {
  const [, count, unit = 's'] = /^(\d+)([smhd])?$/.exec(text) ?? [];
  return count === undefined ? null : (Number(count) * UNIT_MS[unit as keyof typeof UNIT_MS]) / 1000;
}

/** A flag for a duration, in seconds. */
export const durationFlag = Flags.custom<number, { readonly min: number }>({
  helpValue: '30m',
  async parse(text, _context, { min }) {
    const seconds = parseSeconds(text);
    if (seconds !== null && seconds >= min && seconds <= MAX_SECONDS) return seconds;
    throw usageError(`Expected a duration of ${min} s to 24 days, such as 90s, 30m or 2h`);
  },
});
