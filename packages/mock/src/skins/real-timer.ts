/** Real time, also where a test has put fake timers in the place of the global ones since. */
import type { SetTimer } from '../service/jobs/timer.ts';

const { setTimeout: start, clearTimeout: cancel } = globalThis;

export const setRealTimer: SetTimer = (callback, delayMs) => {
  const timer = start(callback, delayMs);
  return () => cancel(timer);
};
