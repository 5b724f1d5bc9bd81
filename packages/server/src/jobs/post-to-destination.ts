/** What a forwarding and a replay have in common: one POST of a received payload to a destination, and the turns they take. */
import {
  FORWARDING_TIMEOUT_MS,
  type ForwardingAttempt,
  forwardingHeaders,
  PAYLOAD_NOT_KEPT,
} from '@svc/domain/forwarding/forwarding';
import type { Context } from '../context.ts';

/**
 * Posts to one endpoint share a turn, and those of an account share its hands: an attempt at an endpoint that hangs takes
 * ten seconds, and neither the other endpoints of the account nor other accounts may wait behind a row of them.
 *
 * @param endpoint the id of a webhook, or of a destination
 */
export function endpointFairnessKey(accountId: number, endpoint: string | number): string {
  return `account:${accountId}/${typeof endpoint === 'number' ? `destination:${endpoint}` : `webhook:${endpoint}`}`;
}

export interface ReceivedPayload {
  /** Id of the request. */
  payloadId: number;
  /** Null when it is not kept any more. */
  body: Buffer | null;
  /** As it was received; null when the sequencer named none. */
  contentType: string | null;
}

/** Posts the payload byte for byte, through the guard. Never rejects. */
export async function postToDestination(
  ctx: Context,
  url: string,
  payload: ReceivedPayload,
): Promise<ForwardingAttempt> {
  const { body } = payload;
  if (!body) return PAYLOAD_NOT_KEPT;
  const headers = forwardingHeaders(payload, ctx.branding);
  return ctx.outbound.post({ url, headers, body, timeoutMs: FORWARDING_TIMEOUT_MS });
}
