import { CrmFailure } from '../http/http-failure.ts';
import type { CrmError, CrmWrite } from '../port/types.ts';
import type { Engagement } from './engagements.ts';

/** The events and contacts of a batch, on their way through its calls. */

/** One event of a batch, and what has become of it. */
export interface EventWrite {
  readonly write: CrmWrite;
  /** Position in the batch. */
  readonly index: number;
  /** Value of `svc_event_key`. */
  readonly key: string;
  /** When the event happened, for the timeline. */
  readonly at: Date;
  readonly engagement: Engagement;
  /** The fields of the plan, in the form of their properties; null until they are needed. */
  planned: readonly PlannedValue[] | null;
  contact: BatchContact | null;
  /** The user of HubSpot whom the plan names; null for none, undefined until it is looked up. */
  ownerId: string | null | undefined;
  /** HubSpot has no contact for the event, and its plan creates none. */
  isUnmatched: boolean;
  engagementId: string | null;
  /** Errors of refused optional parts. */
  warnings: CrmError[];
  /** Why the event is not written; the others of the batch go on. */
  failure: CrmFailure | null;
  /** Whether everything is written that can be. */
  isDone: boolean;
}

/** A value of the plan's fields. */
export interface PlannedValue {
  property: string;
  /** As HubSpot takes it. */
  value: string;
  /** `new`: only a contact that is created gets the value. `last`: replaces others, and is not remembered. `outcome`: replaces others, whatever the plan writes. */
  kind: 'fill' | 'overwrite' | 'new' | 'last' | 'outcome';
  /** Equal for equal values of the property; null where existing values stay. */
  hash: string | null;
  /** Why the value cannot be written. */
  problem: CrmError | null;
}

/** Records what became of an optional part: a refusal is a warning, a temporary failure ends the event. */
export function failOptionalPart(event: EventWrite, failure: CrmFailure): void {
  if (failure.isRefusal) event.warnings.push(failure.error);
  else event.failure ??= failure;
}

/**
 * When an event will be repeated, the later events of its contact wait for it: otherwise their values would take the
 * place of the earlier event's.
 */
export function holdLater({ events }: Pick<BatchContact, 'events'>): void {
  let earlier: CrmFailure | null = null;
  for (const event of events) {
    event.failure ??= earlier;
    if (event.failure?.isRefusal === false) earlier = event.failure;
  }
}

/** Takes an event out of its contact, which HubSpot does not have when the event is written. */
export function leaveUnmatched(event: EventWrite): void {
  event.contact?.events.splice(event.contact.events.indexOf(event), 1);
  event.contact = null;
  event.isUnmatched = true;
}

/** Whether an event is still to be written. */
export function isOpen({ failure, isUnmatched }: EventWrite): boolean {
  return failure === null && !isUnmatched;
}

/** Whether the details of an event are written: a contact that is created gets those of its event in any case. */
export function fills(event: EventWrite, { creator }: Pick<BatchContact, 'creator'>): boolean {
  return event.write.plan.writes.fields || event === creator;
}

/** A contact, and its events in order. */
export interface BatchContact {
  /** The identity of the contact's first event, by which the contact is created. */
  readonly identity: ContactIdentity;
  /** All keys by which events name the contact. */
  readonly keys: Set<string>;
  /**
   * Keys of the addresses and the profile URL that HubSpot showed for the contact; none while the contact is only
   * remembered or new.
   */
  shownKeys: readonly string[];
  readonly events: EventWrite[];
  /** Null until HubSpot has the contact. */
  id: string | null;
  /** The event that creates the contact; null for a contact that HubSpot has. */
  creator: EventWrite | null;
  /** The profile URL by which a contact without an address was found for events that have one. */
  joinUrl: string | null;
  /** The contact's email, which may differ from that of its events. */
  email: string | null;
  ownerId: string | null;
  companyId: string | null;
  /** Properties that have a value in HubSpot, with a hash of the value where policies replace values. */
  filled: Map<string, string | null>;
  /** When HubSpot last showed the contact: now, or when the contact was remembered. */
  checkedAt: Date;
  /** Whether this batch learnt something about the contact. */
  isChanged: boolean;
  /** Whether this batch wrote a value that replaces others. */
  isReplaced: boolean;
  /** HubSpot no longer has the contact, or not all that is remembered of it. */
  isForgotten: boolean;
}

/** The value by which a contact is found: its email, or for social-only events the profile URL. */
export interface ContactIdentity {
  idProperty: 'email' | 'svc_profile_url';
  id: string;
  /** The same for every spelling of the identity; the key under which the record is remembered. */
  key: string;
}
