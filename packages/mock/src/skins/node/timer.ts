import type { SetTimer } from '../../service/jobs/timer.ts';

// A test may put fake timers in the place of the global ones later.
const { setTimeout: start, clearTimeout: cancel } = globalThis;

/** A real timer that does not keep the process alive. */
export const setRealTimer: SetTimer = (callback, delayMs) => {
  const timer = start(callback, delayMs);
  timer.unref();
  return () => cancel(timer);
};
