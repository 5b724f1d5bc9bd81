import * as Flags from '@oclif/core/flags';
import { usageError } from './cli-error.ts';

const SECONDS = { s: 1, m: 60, h: 3600, d: 86_400 } as const;

/** `30m`, `90s`, `2h`, `1d`, or a number of seconds. */
export function parseSeconds(text: string): number | null {
  const [, count, unit = 's'] = /^(\d+)([smhd])?$/.exec(text) ?? [];
  return count === undefined ? null : Number(count) * SECONDS[unit as keyof typeof SECONDS];
}

/** Seconds, written as people write them. Timers count milliseconds in 32 bits, so 24 days is the most. */
export const durationFlag = Flags.custom<number, { readonly min: number }>({
  helpValue: '30m',
  async parse(text, _context, { min }) {
    const seconds = parseSeconds(text);
    if (seconds !== null && seconds >= min && seconds <= 24 * SECONDS.d) return seconds;
    throw usageError(`A time of ${min} s to 24 days is needed, such as 90s, 30m or 2h`);
  },
});
