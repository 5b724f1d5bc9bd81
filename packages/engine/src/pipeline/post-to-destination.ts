/** One POST of a received payload to a destination, shared by forwarding and replay. */
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
  /** Null when the payload was deleted. */
  body: Buffer | null;
  /** As received; null when the sequencer sent none. */
  contentType: string | null;
}

/** Posts the payload unchanged through the guard. Rejects only when the job has lost its lease. */
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
