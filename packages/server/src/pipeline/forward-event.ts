/**
 * One attempt to forward a received event to one destination, which becomes one row of `deliveries`.
 *
 * Each attempt checks again whether the binding, the destination and the capability still allow it. The row is written
 * after the POST, in the transaction that ends or defers the job. If a worker dies in between, the payload is posted
 * again under the same `Service-Payload-Id`: at least once, possibly twice.
 */
import {
  type Forwarding,
  type ForwardingAttempt,
  forwardingOutcome,
  bindingAccepts,
  nextForwardingAt,
} from '@svc/domain/forwarding/forwarding';
import type { Context } from '../context.ts';
import { type EventToForward, getEventToForward, insertDelivery } from '../store/forwarding.ts';
import { postToDestination } from './post-to-destination.ts';
import { type ClaimedJob, defer, finish, type NewJob } from '../queue/queue.ts';
import { endpointFairnessKey, retryJitterMs } from '../queue/endpoint-jobs.ts';

export const FORWARD_EVENT = 'forward-event';

/** Returns the job of a planned forwarding; the event's id is that in `inbound_events`. */
export function forwardEventJob(
  accountId: number,
  { destinationId, event, dueAt }: Forwarding<{ id: number }>,
  now: Date,
): NewJob {
  return {
    kind: FORWARD_EVENT,
    ref: `${event.id}/${destinationId}`,
    fairnessKey: endpointFairnessKey(accountId, destinationId),
    dueAt,
    createdAt: now,
  };
}

export function createForwardEventHandler(ctx: Context): (job: ClaimedJob) => Promise<void> {
  return async (job) => {
    const [eventId, destinationId] = job.ref.split('/').map(Number);
    const target = await getEventToForward(ctx.db, eventId ?? 0, destinationId ?? 0);
    if (!target || !bindingAccepts(target.binding, target.eventType)) {
      await finish(ctx.db, job);
      return;
    }
    await record(ctx, job, target, await postToDestination(ctx, target.destination.url, target));
  };
}

async function record(
  ctx: Context,
  job: ClaimedJob,
  target: EventToForward,
  attempt: ForwardingAttempt,
): Promise<void> {
  const at = ctx.clock.now();
  const outcome = forwardingOutcome(attempt);
  const attemptCount = attemptsMade(job) + 1;
  const dueAt = nextForwardingAt({ ...attempt, at }, { attemptCount, jitterMs: retryJitterMs(ctx) });
  await ctx.db.transaction(async (tx) => {
    // First, so that a worker without its lease stops before it changes anything.
    if (dueAt === null) await finish(tx, job);
    else await defer(tx, job, { dueAt, state: { ...job.state, attemptCount } });
    await insertDelivery(tx, target, outcome, at);
  });
  ctx.metrics.forwardingDeliveries.inc({ status: outcome.status });
}

/** Returns the number of attempts that wrote a row. */
function attemptsMade(job: ClaimedJob): number {
  const made = job.state['attemptCount'];
  return typeof made === 'number' ? made : 0;
}
