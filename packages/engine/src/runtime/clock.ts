/** A clock is passed to everything in the server that waits or needs the time. */
export interface Clock {
  now(): Date;
  /** A time that nobody sets, in milliseconds since any beginning. */
  monotonicMs(): number;
  /** Calls `callback` once after `delayMs`. Returns a function that cancels it. */
  setTimer(callback: () => void, delayMs: number): () => void;
}

export const systemClock: Clock = {
  now: () => new Date(),
  monotonicMs: () => performance.now(),
  setTimer(callback, delayMs) {
    const timer = setTimeout(callback, delayMs);
    return () => clearTimeout(timer);
  },
};

export interface ManualClock extends Clock {
  /** Moves time forward and calls the timers that came due, in order. */
  advance(ms: number): void;
}

/** Creates a clock for tests that moves only by `advance`. */
export function createManualClock(start: Date): ManualClock {
  let nowMs = start.getTime();
  const timers = new Map<number, { at: number; callback: () => void }>();
  let nextId = 0;
  return {
    now: () => new Date(nowMs),
    monotonicMs: () => nowMs,
    setTimer(callback, delayMs) {
      const id = nextId++;
      timers.set(id, { at: nowMs + Math.max(0, delayMs), callback });
      return () => timers.delete(id);
    },
    advance(ms) {
      const end = nowMs + ms;
      for (;;) {
        const [due] = [...timers]
          .filter(([, timer]) => timer.at <= end)
          .sort((a, b) => a[1].at - b[1].at || a[0] - b[0]);
        if (!due) break;
        timers.delete(due[0]);
        nowMs = Math.max(nowMs, due[1].at);
        due[1].callback();
      }
      nowMs = end;
    },
  };
}
