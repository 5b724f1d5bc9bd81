import { jitterFrom } from '@svc/domain/webhooks/webhook-delivery';
import type { Context } from '../context.ts';

/**
 * Returns the random addition to the schedule's first wait, in milliseconds, which spreads the retries of deliveries
 * that failed together.
 */
export function retryJitterMs(ctx: Pick<Context, 'randomBytes'>): number {
  const random = new DataView(Uint8Array.from(ctx.randomBytes(4)).buffer).getUint32(0);
  return jitterFrom(random / 2 ** 32);
}
