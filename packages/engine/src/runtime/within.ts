import type { Clock } from './clock.ts';

/**
 * Waits for work only so long. The work itself goes on.
 *
 * @param late makes the error when it takes longer
 */
export function within<T>(clock: Clock, ms: number, work: Promise<T>, late: () => Error): Promise<T> {
  return new Promise((resolve, reject) => {
    const cancel = clock.setTimer(() => reject(late()), ms);
    work.then(resolve, reject).finally(cancel);
  });
}
