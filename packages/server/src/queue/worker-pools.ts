/**
 * Two crews for the one queue, so that what waits for customers' endpoints never holds up anything else: an attempt at an
 * endpoint that hangs takes ten seconds of a hand, whoever's it is. Inbound events, CRM writes and block lists have hands of
 * their own.
 */
import { createJobRunner, type JobHandler, type JobRunner, type JobRunnerOptions } from './runner.ts';

/** More than for the other work: these hands wait, they do not compute. */
const POST_CONCURRENCY = 32;

/**
 * One runner, as its callers see it.
 *
 * @param options.postKinds the kinds whose jobs are a post to an address that a customer chose
 */
export function createWorkerPools({
  handlers,
  postKinds,
  ...options
}: Omit<JobRunnerOptions, 'concurrency'> & { postKinds: ReadonlySet<string> }): JobRunner {
  const kinds = Object.keys(handlers);
  const pick = (isPost: boolean): Record<string, JobHandler> =>
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
        // Both at the same time: what one does may wait for the other.
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
