/** What jobs that post to customers' endpoints share. */
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

/**
 * Posts to one endpoint share a turn, and those of an account share its hands: an attempt at an endpoint that hangs takes
 * ten seconds, and neither the other endpoints of the account nor other accounts may wait behind a row of them.
 *
 * @param endpoint the id of a webhook, or of a destination
 */
export function endpointFairnessKey(accountId: number, endpoint: string | number): string {
  return `account:${accountId}/${typeof endpoint === 'number' ? `destination:${endpoint}` : `webhook:${endpoint}`}`;
}
