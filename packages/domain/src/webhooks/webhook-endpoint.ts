/**
 * Webhook endpoints (`createWebhook`, `updateWebhook`).
 *
 * 1. `url` is required (webhook-url.ts).
 * 2. `description` is a string of at most 500 characters. Default: empty.
 * 3. `enabledEvents` is a list of event types (event-types.ts).
 * 4. `isActive` is a boolean, accepted in a PATCH only. Other keys are ignored.
 * 5. A PATCH changes the fields that were sent. `isActive: true` also clears `autoDisabledAt` and resets the DEAD counter.
 * 6. Twenty DEAD deliveries in a row make an active webhook inactive. A SUCCEEDED delivery resets the counter; FAILED and
 *    PENDING do not change it. A delivery never makes a webhook active.
 * 7. An account has at most twenty webhooks, not counting deleted ones.
 */
import { LIMITS } from '@svc/contract/limits';
import type { SubscribableEventType, WebhookDeliveryStatus } from '@svc/contract/vocabulary';
import { badRequest } from '../errors/errors.ts';
import { parseEnabledEvents, subscribedEventTypes } from './event-types.ts';
import { countCharacters, parseWebhookUrl, type WebhookUrlOptions } from './webhook-url.ts';

export interface CreateWebhook {
  url: string;
  description: string;
  enabledEvents: SubscribableEventType[];
}

/** Only the fields that the caller sent. */
export interface WebhookPatch {
  url?: string;
  description?: string;
  enabledEvents?: SubscribableEventType[];
  isActive?: boolean;
}

/** The columns of a webhook that the rules read and change. */
export interface WebhookEndpointState {
  readonly url: string;
  readonly description: string;
  readonly enabledEvents: readonly string[];
  readonly isActive: boolean;
  readonly autoDisabledAt: Date | null;
  /** DEAD deliveries since the last success or reactivation. */
  readonly consecutiveDeadCount: number;
  readonly updatedAt: Date;
}

/** @throws ApiError 400 naming the first field that is wrong */
export function parseCreateWebhook(body: unknown, options: WebhookUrlOptions = {}): CreateWebhook {
  const fields = parseFields(body);
  if (fields.url === undefined) throw badRequest('url is required: the https address that events are sent to');
  return {
    url: parseWebhookUrl(fields.url, options),
    description: fields.description === undefined ? '' : parseDescription(fields.description),
    enabledEvents: fields.enabledEvents === undefined ? [] : parseEnabledEvents(fields.enabledEvents),
  };
}

/** @throws ApiError 400 naming the first field that is wrong */
export function parseWebhookPatch(body: unknown, options: WebhookUrlOptions = {}): WebhookPatch {
  const fields = parseFields(body);
  const patch: WebhookPatch = {};
  if (fields.url !== undefined) patch.url = parseWebhookUrl(fields.url, options);
  if (fields.description !== undefined) patch.description = parseDescription(fields.description);
  if (fields.enabledEvents !== undefined) patch.enabledEvents = parseEnabledEvents(fields.enabledEvents);
  if (fields.isActive !== undefined) {
    if (typeof fields.isActive !== 'boolean') throw badRequest('isActive must be true or false');
    patch.isActive = fields.isActive;
  }
  return patch;
}

/** Returns the webhook after a PATCH. An empty patch changes nothing, not even `updatedAt`. */
export function applyPatch<Endpoint extends WebhookEndpointState>(
  endpoint: Endpoint,
  patch: WebhookPatch,
  now: Date,
): Endpoint {
  if (Object.keys(patch).length === 0) return endpoint;
  const reactivation = patch.isActive === true ? { autoDisabledAt: null, consecutiveDeadCount: 0 } : {};
  return { ...endpoint, ...patch, ...reactivation, updatedAt: now };
}

/** Whether a delivery with this status leaves the webhook unchanged, so that its row need not be locked. */
export function isUnchangedByDelivery(
  { consecutiveDeadCount }: Pick<WebhookEndpointState, 'consecutiveDeadCount'>,
  status: WebhookDeliveryStatus,
): boolean {
  return status === 'SUCCEEDED' ? consecutiveDeadCount === 0 : status !== 'DEAD';
}

/**
 * Returns the webhook after one of its deliveries, tests and replays included, reached a status.
 *
 * @param at when the delivery reached the status; the twentieth DEAD one sets `autoDisabledAt` to it
 */
export function applyDeliveryStatus<Endpoint extends WebhookEndpointState>(
  endpoint: Endpoint,
  status: WebhookDeliveryStatus,
  at: Date,
): Endpoint {
  if (isUnchangedByDelivery(endpoint, status)) return endpoint;
  if (status === 'SUCCEEDED') return { ...endpoint, consecutiveDeadCount: 0 };
  const counted = { ...endpoint, consecutiveDeadCount: endpoint.consecutiveDeadCount + 1 };
  if (!endpoint.isActive || counted.consecutiveDeadCount < LIMITS.webhookAutoDisableDeadCount) return counted;
  return { ...counted, isActive: false, autoDisabledAt: at, updatedAt: at };
}

/**
 * @param count the account's webhooks, without deleted ones
 * @throws ApiError 400 when the account has the maximum already
 */
export function assertBelowWebhookLimit(count: number): void {
  if (count >= LIMITS.webhooksPerAccountMax) {
    throw badRequest(`An account can have at most ${LIMITS.webhooksPerAccountMax} webhooks. Delete one first`);
  }
}

/** Whether a webhook is subscribed to an event type. Not checked for tests and replays. */
export function subscribes(
  endpoint: Pick<WebhookEndpointState, 'isActive' | 'enabledEvents'>,
  eventType: string,
): boolean {
  return endpoint.isActive && subscribedEventTypes(endpoint.enabledEvents).includes(eventType);
}

interface Fields {
  url?: unknown;
  description?: unknown;
  enabledEvents?: unknown;
  isActive?: unknown;
}

function parseFields(body: unknown): Fields {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw badRequest('The request body must be a JSON object');
  }
  return body;
}

function parseDescription(value: unknown): string {
  if (typeof value !== 'string') throw badRequest('description must be a string');
  if (countCharacters(value) > LIMITS.webhookDescriptionMaxLength) {
    throw badRequest(`description must be at most ${LIMITS.webhookDescriptionMaxLength} characters long`);
  }
  // Databases cannot store either as UTF-8 text.
  if (value.includes('\0') || !value.isWellFormed()) {
    throw badRequest('description must not contain NUL characters or unpaired surrogates');
  }
  return value;
}
