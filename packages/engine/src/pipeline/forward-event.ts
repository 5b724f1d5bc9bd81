/**
 * One attempt to forward a received event to one destination, which becomes one row of `deliveries`.
 *
 * Each attempt checks again whether the binding, the destination and the capability still allow it. The row is written
 * after the POST, in the statement that ends or defers the job. If a worker dies in between, the payload is posted
 * again under the same `Service-Payload-Id`: at least once, possibly twice.
 */
import { type Forwarding, bindingAccepts, nextForwardingAt } from '@svc/domain/forwarding/forwarding';
import type { Context } from '../context.ts';
import { composeRef, fairnessKeys, FORWARD_EVENT, parseRef } from '../jobs/kinds.ts';
import { createBatcher } from '../store/database/batcher.ts';
import { type EventToForward, type ForwardingKey, getEventsToForward } from '../store/forwarding.ts';
import { createAttemptRecorder } from './forwarding-results.ts';
import { postToDestination } from './post-to-destination.ts';
import { type ClaimedJob, finish, type NewJob } from '../queue/queue.ts';
import { type PostHandler, retryJitterMs } from '../queue/endpoint-jobs.ts';

/** Returns the job of a planned forwarding; the event's id is that in `inbound_events`. */
export function forwardEventJob(
  { accountId, receivedAt }: { accountId: number; receivedAt: Date },
  { destinationId, event, dueAt }: Forwarding<{ id: number }>,
  now: Date,
): NewJob {
  return {
    kind: FORWARD_EVENT,
    ref: composeRef(event.id, destinationId),
    fairnessKey: fairnessKeys.destination(accountId, destinationId),
    dueAt,
    createdAt: now,
    state: { receivedAtMs: receivedAt.getTime() },
  };
}

export function createForwardEventHandler(ctx: Context): PostHandler {
  const read = createBatcher<ForwardingKey, EventToForward | null>({ run: (keys) => getEventsToForward(ctx.db, keys) });
  const record = createAttemptRecorder(ctx);
  return async (job, mayStore) => {
    const { subjectId: eventId, end: destinationId } = parseRef(job);
    const receivedAtMs = job.state['receivedAtMs'];
    // Jobs of earlier releases lack it.
    const receivedAt = typeof receivedAtMs === 'number' ? new Date(receivedAtMs) : null;
    const target = await read({ eventId, destinationId, receivedAt });
    if (!target || !bindingAccepts(target.binding, target.eventType)) {
      await finish(ctx.db, job);
      return;
    }
    const attempt = { ...(await postToDestination(ctx, target.destinationUrl, target)), at: ctx.clock.now() };
    const attemptCount = attemptsMade(job) + 1;
    const dueAt = nextForwardingAt(attempt, { attemptCount, jitterMs: retryJitterMs(ctx) });
    await mayStore;
    await record(target, attempt, { job, dueAt, state: { ...job.state, attemptCount } });
  };
}

/** Returns the number of attempts that wrote a row. */
function attemptsMade(job: ClaimedJob): number {
  const made = job.state['attemptCount'];
  return typeof made === 'number' ? made : 0;
}
