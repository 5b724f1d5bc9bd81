/**
 * Two crews for the one queue, so that what waits for customers' endpoints never holds up anything else: an attempt at an
 * endpoint that hangs takes ten seconds of a hand, whoever's it is. Inbound events, CRM writes and block lists have hands of
 * their own.
 */
import { DELIVER_WEBHOOK } from './deliver-webhook.ts';
import { FORWARD_EVENT } from './forward-event.ts';
import { REPLAY_DELIVERY } from './replay-delivery.ts';
import { createJobRunner, type JobHandler, type JobRunner, type JobRunnerOptions } from './runner.ts';

/** The kinds whose jobs are a post to an address that a customer chose. */
const POST_KINDS: ReadonlySet<string> = new Set([DELIVER_WEBHOOK, FORWARD_EVENT, REPLAY_DELIVERY]);

/** More than for the other work: these hands wait, they do not compute. */
const POST_HANDS = 32;

/** One runner, as its callers see it. */
export function createLanes({ handlers, ...options }: Omit<JobRunnerOptions, 'concurrency'>): JobRunner {
  const kinds = Object.keys(handlers);
  const pick = (isPost: boolean): Record<string, JobHandler> =>
    Object.fromEntries(Object.entries(handlers).filter(([kind]) => POST_KINDS.has(kind) === isPost));
  const work = createJobRunner({ ...options, handlers: pick(false) });
  const posts = createJobRunner({ ...options, handlers: pick(true), concurrency: POST_HANDS });
  const lanes = [work, posts];
  return {
    start() {
      for (const lane of lanes) lane.start();
    },
    wake(kind) {
      if (kind === undefined || !kinds.includes(kind)) for (const lane of lanes) lane.wake();
      else if (POST_KINDS.has(kind)) posts.wake();
      else work.wake();
    },
    async runDue() {
      let total = 0;
      for (;;) {
        // Both at the same time: what one does may wait for the other.
        const counts = await Promise.all(lanes.map((lane) => lane.runDue()));
        const ran = counts.reduce((sum, count) => sum + count, 0);
        if (ran === 0) return total;
        total += ran;
      }
    },
    isStuck: () => lanes.some((lane) => lane.isStuck()),
    async stop() {
      await Promise.all(lanes.map((lane) => lane.stop()));
    },
  };
}
