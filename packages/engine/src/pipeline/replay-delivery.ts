/**
 * The job behind `POST /destinations/:id/deliveries/:deliveryId/replay`: posts the received payload to the destination
 * again, through the guard, and adds the result as a new delivery. One attempt per call, because the caller can see the
 * outcome and replay again. While the connection's capability is off, nothing is posted, and the delivery says so.
 */
import { DESTINATIONS_OFF } from '@svc/domain/forwarding/forwarding';
import type { Context } from '../context.ts';
import { composeRef, fairnessKeys, parseRef, REPLAY_DELIVERY } from '../jobs/kinds.ts';
import { createBatcher } from '../store/database/batcher.ts';
import { type DeliveryToReplay, getDeliveriesToReplay } from '../store/deliveries.ts';
import type { PostHandler } from '../queue/endpoint-jobs.ts';
import { createAttemptRecorder } from './forwarding-results.ts';
import { postToDestination } from './post-to-destination.ts';
import { finish, type NewJob } from '../queue/queue.ts';

/** Returns the replay job. `ref` is the delivery, so at most one replay of it waits at a time. */
export function replayDeliveryJob(
  { accountId, destinationId, deliveryId }: Readonly<Record<'accountId' | 'destinationId' | 'deliveryId', number>>,
  now: Date,
): NewJob {
  return {
    kind: REPLAY_DELIVERY,
    ref: composeRef(deliveryId),
    fairnessKey: fairnessKeys.destination(accountId, destinationId),
    dueAt: now,
    createdAt: now,
  };
}

export function createReplayDeliveryHandler(ctx: Context): PostHandler {
  const read = createBatcher<number, DeliveryToReplay | null>({
    async run(ids) {
      const deliveries = await getDeliveriesToReplay(ctx.db, ids);
      const byId = new Map(deliveries.map((delivery) => [delivery.id, delivery]));
      return ids.map((id) => byId.get(id) ?? null);
    },
  });
  const record = createAttemptRecorder(ctx);
  return async (job, mayStore) => {
    const delivery = await read(parseRef(job).subjectId);
    if (delivery === null) {
      await finish(ctx.db, job);
      return;
    }
    const attempted = delivery.canForward
      ? await postToDestination(ctx, delivery.destinationUrl, delivery)
      : DESTINATIONS_OFF;
    const attempt = { ...attempted, at: ctx.clock.now() };
    await mayStore;
    await record(delivery, attempt, { job, dueAt: null });
  };
}
