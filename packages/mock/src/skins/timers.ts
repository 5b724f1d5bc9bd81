import type { SetTimer } from '../service/jobs/timer.ts';

// Kept here because a test may put fake timers in the place of the global ones later.
const { setTimeout: start, clearTimeout: cancel } = globalThis;

/** Starts a timer of real time. */
export const setRealTimer: SetTimer = (callback, delayMs) => {
  const timer = start(callback, delayMs);
  return () => cancel(timer);
};

/** Starts a timer that does not keep a Node process alive. */
export const setBackgroundTimer: SetTimer = (callback, delayMs) => {
  const timer: unknown = start(callback, delayMs);
  if (typeof timer === 'object') (timer as NodeJS.Timeout).unref();
  return () => cancel(timer as NodeJS.Timeout);
};
