import type { SetTimer } from '../jobs/timer.ts';

/** A real timer that does not keep the process alive. */
export const setRealTimer: SetTimer = (callback, delayMs) => {
  const timer = setTimeout(callback, delayMs);
  timer.unref();
  return () => clearTimeout(timer);
};
