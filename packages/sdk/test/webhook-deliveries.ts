import {
  createWebhookHeaders,
  type WebhookFailure,
  type WebhookHeadersOptions,
  type WebhookReceiverOptions,
} from '../src/webhooks/index.ts';
import { eventBody } from './webhook-vectors.ts';

export const WEBHOOK_SECRET = 'oswhsec_demo';
const NOW_SECONDS = 1_769_855_400;

export interface Delivery {
  readonly method: 'POST';
  readonly headers: Record<string, string>;
  readonly body: string;
}

/** Returns a delivery as the service posts it, signed at the receiver's time. */
export async function deliver(
  changes: Readonly<Record<string, unknown>> = {},
  options: Partial<WebhookHeadersOptions> = {},
): Promise<Delivery> {
  const body = eventBody(changes);
  const signed = { payload: body, secret: WEBHOOK_SECRET, timestampSeconds: NOW_SECONDS, ...options };
  return { method: 'POST', headers: await createWebhookHeaders(signed), body };
}

export interface Failure extends WebhookFailure {
  readonly error: unknown;
}

/** Returns options of a receiver with a fixed clock that records events and failures. */
export function recordingOptions() {
  const events: { id: string; deliveryId: string | null }[] = [];
  const failures: Failure[] = [];
  const options = {
    secrets: [WEBHOOK_SECRET],
    now: () => NOW_SECONDS * 1000,
    onEvent: (event, { deliveryId }) => void events.push({ id: event.id, deliveryId }),
    onError: (error, failure) => void failures.push({ error, ...failure }),
  } satisfies WebhookReceiverOptions;
  return { events, failures, options };
}
