import { ConfigurationError } from '../errors/errors.ts';

export interface TimingOptions {
  readonly timeoutMs?: number | undefined;
  readonly maxRetries?: number | undefined;
  readonly maxRetryAfterMs?: number | undefined;
}

/** Timers count in 32 bits: a longer delay would end at once. */
const TIMER_MAX_MS = 2 ** 31 - 1;

/** Checks the options that concern time. @throws ConfigurationError */
export function checkTimingOptions({ timeoutMs, maxRetries, maxRetryAfterMs }: TimingOptions): void {
  if (timeoutMs !== Number.POSITIVE_INFINITY && !(isWait(timeoutMs) && timeoutMs !== 0)) {
    throw new ConfigurationError(`timeoutMs must be between 1 and ${TIMER_MAX_MS}, or Infinity`);
  }
  if (maxRetries !== undefined && !(Number.isSafeInteger(maxRetries) && maxRetries >= 0)) {
    throw new ConfigurationError('maxRetries must be a whole number, 0 or more');
  }
  if (!isWait(maxRetryAfterMs)) {
    throw new ConfigurationError(`maxRetryAfterMs must be between 0 and ${TIMER_MAX_MS}`);
  }
}

/** Whether a delay is left out or one that timers support. */
function isWait(ms: number | undefined): boolean {
  return ms === undefined || (typeof ms === 'number' && ms >= 0 && ms <= TIMER_MAX_MS);
}
