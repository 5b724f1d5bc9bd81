import { PREFIXES } from '@svc/contract/vocabulary';
import { type SignedPayload, signPayload } from '@svc/domain/webhooks/webhook-signature';
import { ConfigurationError } from '../errors/errors.ts';
import { webhookHeaderNames } from './header-names.ts';

/** Options of `signWebhook`. */
export interface SignWebhookOptions {
  /** The body. A string stands for its UTF-8 bytes. */
  readonly payload: SignedPayload;
  /** The webhook's signing secret, its prefix included. */
  readonly secret: string;
  /** Whole seconds since 1970. Default: now. */
  readonly timestampSeconds?: number | undefined;
}

/**
 * Returns the signature header that the service would send with a body. For tests of receivers.
 *
 * @throws ConfigurationError when the secret is empty or the timestamp is not a whole number of seconds
 */
export async function signWebhook({ payload, secret, timestampSeconds }: SignWebhookOptions): Promise<string> {
  try {
    return await signPayload({ payload, secret, timestampSeconds: timestampSeconds ?? Math.floor(Date.now() / 1000) });
  } catch (error) {
    throw error instanceof Error ? new ConfigurationError(error.message) : error;
  }
}

/** Options of `createWebhookHeaders`. */
export interface WebhookHeadersOptions extends SignWebhookOptions {
  /** Id of the event. Default `osevt_test`. */
  readonly eventId?: string | undefined;
  /** Id of the delivery. Default `oswhd_test`. */
  readonly deliveryId?: string | undefined;
  /** Prefix of the header names. Default `Service`. */
  readonly headerPrefix?: string | undefined;
}

/**
 * Returns all headers of a delivery. For tests of receivers.
 *
 * @throws ConfigurationError as `signWebhook` does
 * @example
 * const headers = await createWebhookHeaders({ payload, secret });
 * const response = await receiver.fetch(new Request('https://example.com/', { method: 'POST', headers, body: payload }));
 */
export async function createWebhookHeaders(options: WebhookHeadersOptions): Promise<Record<string, string>> {
  const names = webhookHeaderNames(options.headerPrefix);
  return {
    'Content-Type': 'application/json',
    [names.eventId]: options.eventId ?? `${PREFIXES.event}test`,
    [names.deliveryId]: options.deliveryId ?? `${PREFIXES.webhookDelivery}test`,
    [names.signature]: await signWebhook(options),
  };
}
