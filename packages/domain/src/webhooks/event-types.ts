/**
 * Which platform events a webhook may ask for (specification, "Events").
 *
 * 1. `sync.failed` and `sync.recovered` can be subscribed to. An empty list means both.
 * 2. `test.ping` cannot: it only comes from the webhook's test call.
 * 3. Names of later releases (`connection.*`, `blocklist.*`, `destination.*`, `record.*`) are reserved and refused.
 * 4. Anything else is unknown and refused. Every refusal lists what is available.
 * 5. A name given twice counts once; the stored order is by name.
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

/** Whether a later release has claimed the name. */
export function isReservedEventType(text: string): boolean {
  return RESERVED_EVENT_TYPE_PREFIXES.some((prefix) => text.startsWith(prefix));
}

/**
 * `enabledEvents` of a request body.
 *
 * @returns sorted, each once; `[]` stands for all subscribable types and is stored as such
 * @throws ApiError 400 for anything but an array of subscribable names
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

/** What a stored `enabledEvents` list stands for. */
export function subscribedEventTypes(enabledEvents: readonly string[]): readonly string[] {
  return enabledEvents.length === 0 ? SUBSCRIBABLE_EVENT_TYPES : enabledEvents;
}

/** Type, summary and data of the `test.ping` that a webhook's test call sends to it. An account-level event. */
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
