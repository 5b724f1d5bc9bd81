/**
 * Two worker pools for the one queue, so that hanging customers' endpoints never delay other work: an attempt at such
 * an endpoint occupies a worker for ten seconds. Inbound events, CRM writes and block lists have their own workers.
 */
import {
  createJobRunner,
  type BatchHandler,
  type JobHandler,
  type JobRunner,
  type JobRunnerOptions,
} from './runner.ts';

/** More than in the other pool, because these workers mostly wait. Each may make several posts at the same time. */
const POST_CONCURRENCY = 32;

/**
 * Creates both pools as one runner.
 *
 * @param options.postKinds the kinds whose jobs post to an address that a customer chose
 */
export function createWorkerPools({
  handlers,
  postKinds,
  ...options
}: Omit<JobRunnerOptions, 'concurrency'> & { postKinds: ReadonlySet<string> }): JobRunner {
  const kinds = Object.keys(handlers);
  const pick = (isPost: boolean): Record<string, JobHandler | BatchHandler> =>
    Object.fromEntries(Object.entries(handlers).filter(([kind]) => postKinds.has(kind) === isPost));
  const work = createJobRunner({ ...options, handlers: pick(false) });
  const posts = createJobRunner({ ...options, handlers: pick(true), concurrency: POST_CONCURRENCY });
  const pools = [work, posts];
  return {
    start() {
      for (const pool of pools) pool.start();
    },
    wake(kind) {
      if (kind === undefined || !kinds.includes(kind)) for (const pool of pools) pool.wake();
      else if (postKinds.has(kind)) posts.wake();
      else work.wake();
    },
    async runDue() {
      let total = 0;
      for (;;) {
        // Concurrently, because jobs of one pool may wait for jobs of the other.
        const counts = await Promise.all(pools.map((pool) => pool.runDue()));
        const ran = counts.reduce((sum, count) => sum + count, 0);
        if (ran === 0) return total;
        total += ran;
      }
    },
    isStuck: () => pools.some((pool) => pool.isStuck()),
    async stop() {
      await Promise.all(pools.map((pool) => pool.stop()));
    },
  };
}
