/**
 * Which events of an account's sequencers put their contact on a block list (`--suppress`): bounces, opt-outs, and events
 * that give the contact one of the named categories.
 *
 * A list of addresses gets the address. A list of domains gets the domain of the address, which blocks everybody there.
 */
import { SEQUENCER_EVENT_TYPES, type TouchFlags } from '@svc/contract/vocabulary';
import { type EventCategory, isOneOf } from './plan-write.ts';

const CATEGORY = 'category:';

/** Returns whether a text is one of the kinds: `bounces`, `opt-outs` or `category:NAME`. */
export function isSuppressedKind(text: string): boolean {
  return text === 'bounces' || text === 'opt-outs' || (text.startsWith(CATEGORY) && text.slice(CATEGORY.length) !== '');
}

export interface SuppressingEvent {
  readonly eventType: string;
  readonly category: EventCategory | null;
}

/** Returns whether any list could take the contact of this event. */
export function maySuppress({ eventType, category }: SuppressingEvent): boolean {
  const { bounced, unsubscribed } = flagsOf(eventType);
  return bounced === true || unsubscribed === true || category !== null;
}

/** Returns the first of a list's kinds that the event is of; null when it is of none. */
export function findSuppressedKind(kinds: readonly string[], event: SuppressingEvent): string | null {
  const { bounced, unsubscribed } = flagsOf(event.eventType);
  const isOfKind = (kind: string) => {
    if (kind === 'bounces') return bounced === true;
    if (kind === 'opt-outs') return unsubscribed === true;
    return isOneOf(event.category, [kind.slice(CATEGORY.length)]);
  };
  return kinds.find(isOfKind) ?? null;
}

const flagsByType: ReadonlyMap<string, TouchFlags> = new Map(Object.entries(SEQUENCER_EVENT_TYPES));

function flagsOf(eventType: string): TouchFlags {
  return flagsByType.get(eventType) ?? {};
}
