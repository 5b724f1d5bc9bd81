/**
 * Several worker pools for the one queue, so that customers' endpoints and mail servers that hang never delay other work: an
 * attempt at one occupies a worker for ten seconds and longer. Inbound events, CRM writes and block lists have their own workers.
 */
import {
  createJobRunner,
  type BatchHandler,
  type JobHandler,
  type JobRunner,
  type JobRunnerOptions,
} from './runner.ts';

/** Workers for some kinds of jobs. */
export interface WorkerPool {
  readonly kinds: ReadonlySet<string>;
  readonly concurrency: number;
}

/**
 * Creates all pools as one runner.
 *
 * @param options.pools without a kind in common; one more pool of `concurrency` does all other kinds
 */
export function createWorkerPools({
  handlers,
  pools,
  ...options
}: JobRunnerOptions & { pools: readonly WorkerPool[] }): JobRunner {
  const kinds = Object.keys(handlers);
  const pick = (isMine: (kind: string) => boolean): Record<string, JobHandler | BatchHandler> =>
    Object.fromEntries(Object.entries(handlers).filter(([kind]) => isMine(kind)));
  const others = createJobRunner({
    ...options,
    handlers: pick((kind) => pools.every((pool) => !pool.kinds.has(kind))),
  });
  const special = pools.map((pool) => ({
    kinds: pool.kinds,
    runner: createJobRunner({
      ...options,
      handlers: pick((kind) => pool.kinds.has(kind)),
      concurrency: pool.concurrency,
    }),
  }));
  const runners = [others, ...special.map(({ runner }) => runner)];
  return {
    start() {
      for (const runner of runners) runner.start();
    },
    pause() {
      for (const runner of runners) runner.pause();
    },
    resume() {
      for (const runner of runners) runner.resume();
    },
    wake(kind) {
      if (kind === undefined || !kinds.includes(kind)) for (const runner of runners) runner.wake();
      else (special.find((pool) => pool.kinds.has(kind))?.runner ?? others).wake();
    },
    async runDue() {
      let total = 0;
      for (;;) {
        // Concurrently, because jobs of one pool may wait for jobs of another.
        const counts = await Promise.all(runners.map((runner) => runner.runDue()));
        const ran = counts.reduce((sum, count) => sum + count, 0);
        if (ran === 0) return total;
        total += ran;
      }
    },
    isStuck: () => runners.some((runner) => runner.isStuck()),
    async stop(timeUp) {
      await Promise.all(runners.map((runner) => runner.stop(timeUp)));
    },
  };
}
