/**
 * Which events wait until their lead answers or gets a category. A lead is one recipient of one campaign of a source: what releases a lead
 * in one campaign says nothing about another campaign. An event without a campaign belongs to the lead of the campaign "" and releases the
 * recipient's events of all campaigns of the source, because it does not say which one it is about.
 */
import { parseDuration } from '../values/duration.ts';
import { isOneOf, isReply, type PlannedEvent } from './plan-write.ts';
import type { HoldRule } from './write-policy.ts';

export interface HeldEvent extends PlannedEvent {
  /** The lead's address, or the URL of the profile when only that is known. */
  readonly toEmail: string;
}

export interface HeldLead {
  /** The id of the campaign, else its name in lower case, else "". */
  readonly campaign: string;
  /** In lower case. */
  readonly recipient: string;
}

export function leadOf({ campaign, toEmail }: HeldEvent): HeldLead {
  return { campaign: campaign.id ?? campaign.name?.trim().toLowerCase() ?? '', recipient: toEmail.toLowerCase() };
}

/** Returns whether an event releases its lead: itself, what waits, and what follows. */
export function releasesLead({ reply, categories }: HoldRule, event: HeldEvent): boolean {
  return (reply && isReply(event.eventType)) || (categories !== undefined && isOneOf(event.category, categories));
}

/** Returns when an event that waits is dropped. */
export function dropsAt({ dropAfter }: HoldRule, heldAt: Date): Date {
  return new Date(heldAt.getTime() + (parseDuration(dropAfter) ?? 0));
}
