import type { Clock } from './clock.ts';

/** Work that runs again and again. */
export interface Repeated {
  /** Plans no more runs and waits for the current one. */
  stop(): Promise<void>;
}

/**
 * Runs `work` first after `firstMs`, then each time `everyMs` after its last run has ended, so that slow work never runs twice at a time.
 *
 * @param work must not reject; `mayGoOn` turns false when it is to stop
 */
export function repeat(
  clock: Clock,
  { firstMs, everyMs }: { firstMs: number; everyMs: number },
  work: (mayGoOn: () => boolean) => Promise<unknown>,
): Repeated {
  let isStopped = false;
  let running = Promise.resolve();
  let cancel = clock.setTimer(run, firstMs);

  function run(): void {
    running = work(() => !isStopped).then(() => {
      if (!isStopped) cancel = clock.setTimer(run, everyMs);
    });
  }

  return {
    async stop() {
      isStopped = true;
      cancel();
      await running;
    },
  };
}
