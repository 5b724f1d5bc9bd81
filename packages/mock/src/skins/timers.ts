import type { SetTimer } from '../service/jobs/timer.ts';

// Read once, because a test may install fake timers later.
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
