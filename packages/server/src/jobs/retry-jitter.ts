import { jitterFrom } from '@svc/domain/webhooks/webhook-delivery';
import type { Context } from '../context.ts';

/** What is added to the first wait of the schedule, in milliseconds, so that deliveries that failed together do not all come back at once. */
export function retryJitterMs(ctx: Pick<Context, 'randomBytes'>): number {
  const random = new DataView(Uint8Array.from(ctx.randomBytes(4)).buffer).getUint32(0);
  return jitterFrom(random / 2 ** 32);
}
