/**
 * The states of a webhook delivery (`status` in `listWebhookDeliveries`).
 *
 * 1. A delivery starts PENDING and is due at once. It has one initial attempt and up to seven retries.
 * 2. A 2xx answer makes it SUCCEEDED.
 * 3. 404 and 413 make it DEAD at once.
 * 4. Any other failure (another status, redirects included, a timeout, a refused connection) leaves it PENDING until the
 *    attempts are used up, then DEAD. The waits are 1 minute plus the delivery's jitter, then 2, 4, 8, 16, 30 and 60 minutes.
 * 5. It becomes FAILED when it is given up with attempts left, because its webhook was deleted or is inactive, or because its
 *    event may no longer be delivered.
 * 6. SUCCEEDED, DEAD and FAILED are final. A replay is a new delivery.
 * 7. Webhooks receive only events that the account's event log shows: none while `canUseWebhooks` is off, and none of a
 *    connection without API access.
 */
import { LIMITS } from '@svc/contract/limits';
import type { WebhookEnvelope } from '@svc/contract/types';
import { HEADERS, type WebhookDeliveryStatus } from '@svc/contract/vocabulary';
import { type Branding, brandHeaders, DEFAULT_BRANDING } from '../pages/branding.ts';
import { sortKeysDeep } from '../values/sort-keys.ts';

export interface WebhookDeliveryState {
  readonly status: WebhookDeliveryStatus;
  /** Attempts made so far, 0 to 8. */
  readonly attemptCount: number;
  readonly lastAttemptAt: Date | null;
  /** HTTP status of the last attempt; null without an answer or an attempt. */
  readonly lastHttpStatus: number | null;
  readonly lastError: string | null;
  /** When the next attempt is due; null unless PENDING. */
  readonly nextAttemptAt: Date | null;
}

export interface WebhookAttempt {
  /** Null when no answer came. */
  readonly httpStatus: number | null;
  /** What went wrong, for people. Not needed when there is a status. */
  readonly error: string | null;
  readonly at: Date;
}

/** Builds the body of a delivery ("Webhook delivery envelope"). Serialize it once, since every attempt sends the same bytes. */
export function toEnvelope(event: Omit<WebhookEnvelope, 'created'> & { createdAt: Date }): WebhookEnvelope {
  return {
    id: event.id,
    type: event.type,
    created: event.createdAt.toISOString(),
    summary: event.summary,
    data: sortKeysDeep(event.data),
  };
}

/**
 * Returns the request headers of a delivery.
 *
 * @param delivery.signature signature of the envelope's bytes at this attempt (`signPayload`)
 */
export function webhookHeaders(
  delivery: { readonly eventId: string; readonly deliveryId: string; readonly signature: string },
  branding: Branding = DEFAULT_BRANDING,
): Record<string, string> {
  const headers = {
    'Content-Type': 'application/json',
    'User-Agent': 'svc-webhooks/1',
    [HEADERS.eventId]: delivery.eventId,
    [HEADERS.deliveryId]: delivery.deliveryId,
    [HEADERS.signature]: delivery.signature,
  };
  return brandHeaders(headers, branding);
}

/** Creates a delivery that is due at once. */
export function newWebhookDelivery(at: Date): WebhookDeliveryState {
  return {
    status: 'PENDING',
    attemptCount: 0,
    lastAttemptAt: null,
    lastHttpStatus: null,
    lastError: null,
    nextAttemptAt: at,
  };
}

/**
 * Returns the delivery after an attempt. A delivery that is no longer PENDING is returned unchanged.
 *
 * @param options.jitterMs the delivery's own jitter, 0 to 300,000 ms, chosen once (`jitterFrom`)
 * @throws RangeError when the jitter is out of bounds
 */
export function nextDelivery(
  delivery: WebhookDeliveryState,
  attempt: WebhookAttempt,
  { jitterMs }: { jitterMs: number },
): WebhookDeliveryState {
  if (delivery.status !== 'PENDING') return delivery;
  const attemptCount = delivery.attemptCount + 1;
  const tried = { attemptCount, lastAttemptAt: attempt.at, lastHttpStatus: attempt.httpStatus };
  if (isSuccess(attempt.httpStatus)) {
    return { ...tried, status: 'SUCCEEDED', lastError: null, nextAttemptAt: null };
  }
  const lastError = attempt.error ?? describeFailure(attempt.httpStatus);
  const delayMs = isTerminal(attempt.httpStatus) ? null : retryDelayMs(attemptCount, jitterMs);
  if (delayMs === null) return { ...tried, status: 'DEAD', lastError, nextAttemptAt: null };
  return { ...tried, status: 'PENDING', lastError, nextAttemptAt: new Date(attempt.at.getTime() + delayMs) };
}

/**
 * Returns the milliseconds from a failed attempt to the next one, or null when the attempts are used up.
 *
 * @param attemptCount attempts made, the failed one included (1 to 8)
 * @param jitterMs added to the first wait only
 * @throws RangeError when the jitter is outside 0 to 300,000 ms or `attemptCount` is below 1
 */
export function retryDelayMs(attemptCount: number, jitterMs: number): number | null {
  if (!Number.isSafeInteger(attemptCount) || attemptCount < 1) throw new RangeError('attemptCount must be 1 or more');
  if (!(jitterMs >= 0 && jitterMs <= LIMITS.webhookFirstRetryJitterMaxMs)) {
    throw new RangeError(`jitterMs must be 0 to ${LIMITS.webhookFirstRetryJitterMaxMs}`);
  }
  const delayMs = LIMITS.webhookRetryDelaysMs[attemptCount - 1];
  if (delayMs === undefined) return null;
  return attemptCount === 1 ? delayMs + jitterMs : delayMs;
}

/**
 * Returns a jitter of 0 to 300,000 whole milliseconds.
 *
 * @param random 0 to 1
 */
export function jitterFrom(random: number): number {
  const steps = LIMITS.webhookFirstRetryJitterMaxMs + 1;
  return Math.min(Math.floor(random * steps), LIMITS.webhookFirstRetryJitterMaxMs);
}

const GIVE_UP_TEXTS = {
  webhook_deleted: 'Given up: the webhook was deleted',
  webhook_inactive: 'Given up: the webhook is inactive',
  webhooks_disabled: 'Given up: webhooks are not enabled for the account',
  event_hidden: 'Given up: API access is not enabled for the connection of the event',
} as const;
export type GiveUpReason = keyof typeof GIVE_UP_TEXTS;

/** The facts that decide whether an event may be delivered to webhooks. */
export interface EventAudience {
  /** Whether the account may use webhooks. */
  readonly canUseWebhooks: boolean;
  /** Whether the event's connection may be used through the API; null for an event about the account itself. */
  readonly canUseApi: boolean | null;
}

/** Returns why an event must not be delivered to any webhook of its account, or null when it may. */
export function withholdReason({ canUseWebhooks, canUseApi }: EventAudience): GiveUpReason | null {
  if (!canUseWebhooks) return 'webhooks_disabled';
  return canUseApi === false ? 'event_hidden' : null;
}

/**
 * Returns why a delivery must not be attempted any more, or null when it may.
 *
 * @param delivery.isTestOrReplay tests and replays are delivered to an inactive webhook too
 */
export function giveUpReason(
  webhook: { readonly isDeleted: boolean; readonly isActive: boolean },
  delivery: { readonly isTestOrReplay: boolean; readonly audience: EventAudience },
): GiveUpReason | null {
  if (webhook.isDeleted) return 'webhook_deleted';
  const withheld = withholdReason(delivery.audience);
  if (withheld !== null) return withheld;
  return webhook.isActive || delivery.isTestOrReplay ? null : 'webhook_inactive';
}

/** Changes PENDING to FAILED. A finished delivery is returned unchanged. */
export function giveUp(delivery: WebhookDeliveryState, reason: GiveUpReason): WebhookDeliveryState {
  if (delivery.status !== 'PENDING') return delivery;
  return { ...delivery, status: 'FAILED', lastError: GIVE_UP_TEXTS[reason], nextAttemptAt: null };
}

function isSuccess(httpStatus: number | null): boolean {
  return httpStatus !== null && httpStatus >= 200 && httpStatus <= 299;
}

function isTerminal(httpStatus: number | null): boolean {
  return LIMITS.webhookTerminalHttpStatuses.some((status) => status === httpStatus);
}

function describeFailure(httpStatus: number | null): string {
  if (httpStatus === null) return 'No answer from the endpoint';
  if (httpStatus >= 300 && httpStatus <= 399) return `HTTP ${httpStatus}: redirects are not followed`;
  return `HTTP ${httpStatus}`;
}
