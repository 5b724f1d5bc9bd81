/**
 * The job behind `POST /destinations/:id/deliveries/:deliveryId/replay`: posts the received payload to the destination again,
 * through the guard, and adds what came of it as a new delivery; the replayed one stays as it is. One attempt per call: who
 * asks for a replay can see the outcome and ask again.
 */
import { isHttp2xx } from '@svc/domain/metrics';
import type { Context } from '../context.ts';
import { type DeliveryToReplay, getDeliveryToReplay, insertReplayedDelivery } from '../store/deliveries.ts';
import { type ClaimedJob, finish, type NewJob } from './queue.ts';

export const REPLAY_DELIVERY = 'replay-delivery';

const TIMEOUT_MS = 10_000;

/** At most one replay of a delivery is queued at a time: `ref` names the delivery. */
export function replayDeliveryJob(deliveryId: number, connectionId: number, now: Date): NewJob {
  return {
    kind: REPLAY_DELIVERY,
    ref: deliveryId,
    fairnessKey: `connection:${connectionId}`,
    dueAt: now,
    createdAt: now,
  };
}

export function createReplayDeliveryHandler(ctx: Context): (job: ClaimedJob) => Promise<void> {
  return async (job) => {
    const delivery = await getDeliveryToReplay(ctx.db, Number(job.ref));
    const outcome = delivery && (await post(ctx, delivery));
    await ctx.db.transaction(async (tx) => {
      await finish(tx, job);
      if (delivery && outcome) await insertReplayedDelivery(tx, delivery, outcome, ctx.clock.now());
    });
  };
}

async function post(
  ctx: Context,
  delivery: DeliveryToReplay,
): Promise<{ httpStatus: number | null; error: string | null }> {
  if (!delivery.body) return { httpStatus: null, error: 'The received payload is not kept any more' };
  const { httpStatus, error } = await ctx.outbound.post({
    url: delivery.destinationUrl,
    headers: { 'Content-Type': delivery.contentType ?? 'application/json', 'User-Agent': 'svc-forwarding/1' },
    body: delivery.body.toString('utf8'),
    timeoutMs: TIMEOUT_MS,
  });
  const isSuccess = isHttp2xx({ httpStatus, isHttpStatusInferred: false });
  return { httpStatus, error: isSuccess ? null : (error ?? `HTTP ${httpStatus}`) };
}
