/** Shared by jobs that post to customers' endpoints. */
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
 * Returns the fairness key of posts to one endpoint, below that of its account. An attempt at a hanging endpoint takes
 * ten seconds, so its posts must delay neither other endpoints of the account nor other accounts.
 *
 * @param endpoint the id of a webhook, or of a destination
 */
export function endpointFairnessKey(accountId: number, endpoint: string | number): string {
  return `account:${accountId}/${typeof endpoint === 'number' ? `destination:${endpoint}` : `webhook:${endpoint}`}`;
}
