/** Shared by jobs that post to customers' endpoints. */
import { jitterFrom } from '@svc/domain/webhooks/webhook-delivery';
import type { Context } from '../context.ts';
import { runInSpan } from '../runtime/tracing.ts';
import { forJob } from './leases.ts';
import { type ClaimedJob, LeaseLostError } from './queue.ts';
import type { BatchHandler } from './runner.ts';

/**
 * Posts for one job and stores the result.
 *
 * @param mayStore settles before the result may be stored. Default: at once
 */
export type PostHandler = (job: ClaimedJob, mayStore?: Promise<unknown>) => Promise<void>;

/**
 * Makes one worker do up to `batchSize` posts to an endpoint at the same time, because a claim costs more than a post. Each
 * result is stored when its post ends.
 *
 * Only the first job of a batch counts as work of its endpoint, so it is stored last: at most a post's timeout later. The
 * worker is then counted as long as it is busy, and a hanging endpoint gets no more workers than its share.
 */
export function inParallel(batchSize: number, handle: PostHandler): BatchHandler {
  return {
    batchSize,
    async handleBatch([first, ...others]) {
      if (!first) return;
      const post = (job: ClaimedJob, mayStore?: Promise<unknown>) =>
        forJob(job, () => runInSpan(job.span, () => handle(job, mayStore)));
      const posts = others.map((job) => post(job));
      const firstPost = post(first, Promise.allSettled(posts));
      const ends = await Promise.allSettled([firstPost, ...posts]);
      const reasons: unknown[] = ends.flatMap((end) => (end.status === 'rejected' ? [end.reason] : []));
      const failure = reasons.find((reason) => !(reason instanceof LeaseLostError)) ?? reasons[0];
      if (failure !== undefined) throw failure;
    },
  };
}

/**
 * Returns the random addition to the schedule's first wait, in milliseconds, which spreads the retries of deliveries
 * that failed together.
 */
export function retryJitterMs(ctx: Pick<Context, 'randomBytes'>): number {
  const random = new DataView(Uint8Array.from(ctx.randomBytes(4)).buffer).getUint32(0);
  return jitterFrom(random / 2 ** 32);
}
