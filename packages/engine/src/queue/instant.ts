import type { Clock } from '../runtime/clock.ts';

/** A time on both clocks: one may be set, the other stands still while a machine sleeps. */
export interface Instant {
  wallMs: number;
  monotonicMs: number;
}

export function instantOf(clock: Clock): Instant {
  return { wallMs: clock.now().getTime(), monotonicMs: clock.monotonicMs() };
}

/** Returns whether less than this has passed since an instant, on both clocks. */
export function isWithin({ wallMs, monotonicMs }: Instant, ms: number, clock: Clock): boolean {
  const now = instantOf(clock);
  return now.wallMs - wallMs < ms && now.monotonicMs - monotonicMs < ms;
}
