/**
 * Event types that a webhook may subscribe to (`enabledEvents` of `createWebhook` and `updateWebhook`).
 *
 * 1. `sync.failed` and `sync.recovered` can be subscribed to. An empty list means both.
 * 2. `test.ping` is refused: only the webhook's test call sends it.
 * 3. Names of later releases (`connection.*`, `blocklist.*`, `destination.*`, `record.*`) are reserved and refused.
 * 4. Any other name is unknown and refused. Every error lists the available names.
 * 5. Names are stored sorted and without duplicates.
 */
import type { TestPingData } from '@svc/contract/types';
import {
  EVENT_TYPES,
  RESERVED_EVENT_TYPE_PREFIXES,
  SUBSCRIBABLE_EVENT_TYPES,
  type SubscribableEventType,
} from '@svc/contract/vocabulary';
import { badRequest } from '../errors/errors.ts';
import { sortedUnique } from '../values/order.ts';
import { quoteInput } from '../values/quote-input.ts';

export function isSubscribableEventType(text: string): text is SubscribableEventType {
  return (SUBSCRIBABLE_EVENT_TYPES as readonly string[]).includes(text);
}

/** Whether the name is reserved for a later release. */
export function isReservedEventType(text: string): boolean {
  return RESERVED_EVENT_TYPE_PREFIXES.some((prefix) => text.startsWith(prefix));
}

/**
 * Parses `enabledEvents` of a request body.
 *
 * @returns sorted names without duplicates; `[]` means all subscribable types and is stored as `[]`
 * @throws ApiError 400 when it is not an array of subscribable names
 */
export function parseEnabledEvents(value: unknown): SubscribableEventType[] {
  if (!Array.isArray(value))
    throw badRequest(`enabledEvents must be an array of event types. ${availableEventTypes()}`);
  const wanted = new Set<SubscribableEventType>();
  for (const entry of value as readonly unknown[]) {
    if (typeof entry !== 'string') throw badRequest(`enabledEvents must hold strings only. ${availableEventTypes()}`);
    if (!isSubscribableEventType(entry)) throw badRequest(whyNotSubscribable(entry));
    wanted.add(entry);
  }
  return sortedUnique(wanted);
}

/** Returns the event types that a stored `enabledEvents` list means. */
export function subscribedEventTypes(enabledEvents: readonly string[]): readonly string[] {
  return enabledEvents.length === 0 ? SUBSCRIBABLE_EVENT_TYPES : enabledEvents;
}

/** Builds the `test.ping` of a webhook's test call, an event without a connection. */
export function testPingEvent(webhookId: string): { type: 'test.ping'; summary: string; data: TestPingData } {
  return { type: 'test.ping', summary: `Test event for webhook ${webhookId}`, data: { webhookId } };
}

function whyNotSubscribable(text: string): string {
  const quoted = quoteInput(text);
  if ((EVENT_TYPES as readonly string[]).includes(text)) {
    return `Event type ${quoted} cannot be subscribed to: it is only sent by the webhook's test call. ${availableEventTypes()}`;
  }
  if (isReservedEventType(text)) {
    return `Event type ${quoted} is reserved and not emitted yet. ${availableEventTypes()}`;
  }
  return `Event type ${quoted} is unknown. ${availableEventTypes()}`;
}

function availableEventTypes(): string {
  return `Available event types: ${SUBSCRIBABLE_EVENT_TYPES.join(', ')}`;
}
