import type { Wait } from '../../terminal/progress.ts';

/** The wait that ends last, of the calls that run at the same time. */
export interface Waits {
  add(wait: Wait, nowMs: number): void;
  /** Returns the wait that is going on, or null. */
  left(nowMs: number): { readonly label: string; readonly leftMs: number } | null;
}

export function createWaits(): Waits {
  let label = '';
  let endsAt = Number.NEGATIVE_INFINITY;
  return {
    add(wait, nowMs) {
      if (nowMs + wait.waitMs < endsAt) return;
      ({ label } = wait);
      endsAt = nowMs + wait.waitMs;
    },
    left: (nowMs) => (endsAt > nowMs ? { label, leftMs: endsAt - nowMs } : null),
  };
}
