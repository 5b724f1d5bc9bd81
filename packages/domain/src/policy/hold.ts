/**
 * Which events wait until their lead answers or gets a category. A lead is one recipient of one campaign of a source: what releases a lead
 * in one campaign says nothing about another campaign. An event without a campaign belongs to the lead of the campaign "" and releases the
 * recipient's events of all campaigns of the source, because it does not say which one it is about.
 */
import { parseDuration } from '../values/duration.ts';
import { isReply } from './is-reply.ts';
import { isOneOf, type PlannedEvent } from './plan-write.ts';
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

/** What is known of the leads of a source before events arrive. */
export interface HeldBefore<Entry> {
  readonly released: readonly HeldLead[];
  /** What waits, in the order in which it was received. */
  readonly waiting: readonly { readonly lead: HeldLead; readonly entry: Entry }[];
}

export interface HoldDecisions<Entry> {
  /** By each given entry: what is written when its turn comes, in this order. An entry that waits has none. */
  readonly writes: ReadonlyMap<Entry, readonly Entry[]>;
  /** The given entries that wait from now on. */
  readonly held: readonly { readonly lead: HeldLead; readonly entry: Entry }[];
  /** Leads that the given entries released. */
  readonly released: readonly HeldLead[];
}

/**
 * Decides which events of a source wait. An event that releases its lead is written behind everything of the lead that waits.
 *
 * @param received in the order in which they were received
 */
export function holdEvents<Entry>(
  rule: HoldRule,
  received: readonly { readonly entry: Entry; readonly event: HeldEvent }[],
  before: HeldBefore<Entry>,
): HoldDecisions<Entry> {
  const writes = new Map<Entry, readonly Entry[]>();
  const released: HeldLead[] = [];
  const waiting = Map.groupBy(before.waiting, ({ lead }) => lead.recipient);
  const releasedOf = Map.groupBy(before.released, ({ recipient }) => recipient);
  for (const { entry, event } of received) {
    const lead = leadOf(event);
    const { recipient } = lead;
    const ofRecipient = waiting.get(recipient) ?? [];
    if (releasesLead(rule, event)) {
      const mine = ofRecipient.filter((other) => isReleasedBy(lead, other.lead));
      waiting.set(
        recipient,
        ofRecipient.filter((other) => !mine.includes(other)),
      );
      writes.set(entry, [...mine.map((other) => other.entry), entry]);
      released.push(lead);
      releasedOf.set(recipient, [...(releasedOf.get(recipient) ?? []), lead]);
    } else if (releasedOf.get(recipient)?.some((other) => isReleasedBy(other, lead)) === true) {
      writes.set(entry, [entry]);
    } else waiting.set(recipient, [...ofRecipient, { lead, entry }]);
  }
  const isNew = new Set(received.map(({ entry }) => entry));
  return { writes, held: [...waiting.values()].flat().filter(({ entry }) => isNew.has(entry)), released };
}

/** Returns whether what released a lead also released another one. */
function isReleasedBy(released: HeldLead, other: HeldLead): boolean {
  return released.recipient === other.recipient && (released.campaign === '' || released.campaign === other.campaign);
}
