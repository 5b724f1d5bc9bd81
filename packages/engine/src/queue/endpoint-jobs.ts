/** Shared by jobs that post to customers' endpoints. */
import { jitterFrom } from '@svc/domain/webhooks/webhook-delivery';
import type { Context } from '../context.ts';
import { runInSpan } from '../runtime/tracing.ts';
import { forJob } from './leases.ts';
import { type ClaimedJob, JobReturnedError, LeaseLostError } from './queue.ts';
import type { BatchHandler } from './runner.ts';

/**
 * Posts for one job and stores the result.
 *
 * @param mayStore settles before the result may be stored. Default: at once
 */
export type PostHandler = (job: ClaimedJob, mayStore?: Promise<unknown>) => Promise<void>;

/**
 * Makes one worker do up to `batchSize` posts to an endpoint, `postsAtOnce` of them at the same time, because a claim costs more
 * than a post. Each result is stored when its post ends.
 *
 * Only the first job of a batch counts as work of its endpoint, so it is stored last. The worker is then counted as long as it
 * is busy, and a hanging endpoint gets no more workers than its share.
 *
 * @param options.isStopping whether this process makes no more posts: the jobs that wait for theirs go back to the queue
 */
export function inParallel(
  { batchSize, postsAtOnce, isStopping }: { batchSize: number; postsAtOnce: number; isStopping: () => boolean },
  handle: PostHandler,
): BatchHandler {
  return {
    batchSize,
    async handleBatch([first, ...others]) {
      if (!first) return;
      const post = (job: ClaimedJob, mayStore?: Promise<unknown>) =>
        forJob(job, () => runInSpan(job.span, () => handle(job, mayStore)));
      const reasons: unknown[] = [];
      const note = (reason: unknown) => void reasons.push(reason);
      const left = others.values();
      const postLeft = async () => {
        for (const job of left) {
          if (isStopping()) return note(new JobReturnedError('this server stops'));
          await post(job).catch(note);
        }
      };
      const posts = Promise.all(Array.from({ length: postsAtOnce - 1 }, postLeft));
      await post(first, posts).catch(note);
      await posts;
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
