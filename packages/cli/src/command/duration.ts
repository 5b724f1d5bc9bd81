import * as Flags from '@oclif/core/flags';
import { parseDuration } from '@svc/domain/values/duration';
import { quoteInput } from '@svc/domain/values/quote-input';
import { usageError } from '../errors/cli-error.ts';

export const DAY_MS = 86_400_000;

/** The limit of timers, which count milliseconds in 32 bits. */
const MAX_SECONDS = 2_147_483;

/** Parses a duration such as `90s`, `1h30m` or `2d12h`, or a number of seconds. Returns null for other text. */
export function parseSeconds(text: string): number | null {
  if (/^\d+$/.test(text)) return Number(text);
  const ms = parseDuration(text);
  return ms === null ? null : ms / 1000;
}

/** A flag for a duration, in seconds. */
export const durationFlag = Flags.custom<number, { readonly min: number }>({
  helpValue: '30m',
  async parse(text, _context, { min }) {
    const seconds = parseSeconds(text);
    if (seconds !== null && seconds >= min && seconds <= MAX_SECONDS) return seconds;
    throw usageError(`must be a duration from ${min} s to 24 days such as 90s, 30m or 1h30m, not ${quoteInput(text)}`);
  },
});
