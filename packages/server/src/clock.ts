/** Time is a parameter: everything in the server that waits or writes an instant asks a clock. */
export interface Clock {
  now(): Date;
  /** Calls `callback` once, `delayMs` from now. Returns what cancels it. */
  setTimer(callback: () => void, delayMs: number): () => void;
}

export const systemClock: Clock = {
  now: () => new Date(),
  setTimer(callback, delayMs) {
    const timer = setTimeout(callback, delayMs);
    return () => clearTimeout(timer);
  },
};

export interface ManualClock extends Clock {
  /** Moves time forward and calls the timers that came due, in order. */
  advance(ms: number): void;
}

/** A clock that stands still until it is moved. For tests. */
export function createManualClock(start: Date): ManualClock {
  let nowMs = start.getTime();
  const timers = new Map<number, { at: number; callback: () => void }>();
  let nextId = 0;
  return {
    now: () => new Date(nowMs),
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
