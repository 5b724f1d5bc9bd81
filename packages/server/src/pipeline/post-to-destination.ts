/** What a forwarding and a replay have in common: one POST of a received payload to a destination, and the turns they take. */
import {
  FORWARDING_TIMEOUT_MS,
  type ForwardingAttempt,
  forwardingHeaders,
  PAYLOAD_NOT_KEPT,
} from '@svc/domain/forwarding/forwarding';
import type { Context } from '../context.ts';

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
