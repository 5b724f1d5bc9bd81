/**
 * The job behind `POST /destinations/:id/deliveries/:deliveryId/replay`: posts the received payload to the destination
 * again, through the guard, and adds the result as a new delivery. One attempt per call, because the caller can see the
 * outcome and replay again. While the connection's capability is off, nothing is posted.
 */
import { forwardingOutcome } from '@svc/domain/forwarding/forwarding';
import type { Context } from '../context.ts';
import { getDeliveryToReplay, insertReplayedDelivery } from '../store/deliveries.ts';
import { endpointFairnessKey } from '../queue/endpoint-jobs.ts';
import { postToDestination } from './post-to-destination.ts';
import { type ClaimedJob, finish, type NewJob } from '../queue/queue.ts';

export const REPLAY_DELIVERY = 'replay-delivery';

/** Returns the replay job. `ref` is the delivery, so at most one replay of it waits at a time. */
export function replayDeliveryJob(
  { accountId, destinationId, deliveryId }: Readonly<Record<'accountId' | 'destinationId' | 'deliveryId', number>>,
  now: Date,
): NewJob {
  return {
    kind: REPLAY_DELIVERY,
    ref: deliveryId,
    fairnessKey: endpointFairnessKey(accountId, destinationId),
    dueAt: now,
    createdAt: now,
  };
}

export function createReplayDeliveryHandler(ctx: Context): (job: ClaimedJob) => Promise<void> {
  return async (job) => {
    const delivery = await getDeliveryToReplay(ctx.db, Number(job.ref));
    const outcome = delivery && forwardingOutcome(await postToDestination(ctx, delivery.destinationUrl, delivery));
    await ctx.db.transaction(async (tx) => {
      await finish(tx, job);
      if (delivery && outcome) await insertReplayedDelivery(tx, delivery, outcome, ctx.clock.now());
    });
    if (outcome) ctx.metrics.forwardingDeliveries.inc({ status: outcome.status });
  };
}
