import { ConfigurationError } from './errors.ts';

export interface TimingOptions {
  readonly timeoutMs?: number | undefined;
  readonly maxRetries?: number | undefined;
  readonly maxRetryAfterMs?: number | undefined;
}

/** Timers count in 32 bits: a longer wait would be over at once. */
const TIMER_MAX_MS = 2 ** 31 - 1;

/** @throws ConfigurationError */
export function checkTimingOptions({ timeoutMs, maxRetries, maxRetryAfterMs }: TimingOptions): void {
  if (timeoutMs !== undefined && timeoutMs !== Number.POSITIVE_INFINITY && !(timeoutMs > 0 && isWait(timeoutMs))) {
    throw new ConfigurationError(
      `timeoutMs must be more than 0 and at most ${TIMER_MAX_MS} milliseconds, or Infinity for no limit`,
    );
  }
  if (maxRetries !== undefined && !(Number.isSafeInteger(maxRetries) && maxRetries >= 0)) {
    throw new ConfigurationError('maxRetries must be a whole number, 0 or more');
  }
  if (maxRetryAfterMs !== undefined && !isWait(maxRetryAfterMs)) {
    throw new ConfigurationError(`maxRetryAfterMs must be between 0 and ${TIMER_MAX_MS} milliseconds`);
  }
}

function isWait(ms: number): boolean {
  return typeof ms === 'number' && ms >= 0 && ms <= TIMER_MAX_MS;
}
