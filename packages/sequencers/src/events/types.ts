import type { SequencerEventType } from '@svc/contract/vocabulary';
import type { ReplySender } from '@svc/domain/contacts/event-contact';

/**
 * An event as every adapter returns it. Strings are well-formed Unicode of bounded length without NUL characters, so that they
 * can be stored and sent on.
 */
export interface InboundEvent {
  /** The platform's event id, or a key derived from stable parts of the payload. Equal keys of a source are one event. */
  eventKey: string;
  /** A type of the vocabulary, or the platform's name in upper case when there is no mapping. */
  eventType: SequencerEventType | (string & {});
  /** The lead's email in lower case, or the canonical profile URL when only a profile is known. Never empty. */
  toEmail: string;
  /** When it happened according to the platform; null when unknown. */
  occurredAt: Date | null;
  contact: InboundContact;
  /** Our own mailbox: the one that sent the message, or that received the reply. */
  fromEmail: string | null;
  /** Who wrote the reply, when the platform says that it was not written from the lead's address; null: the lead. */
  replySender: ReplySender | null;
  campaign: { id: string | null; name: string | null };
  subject: string | null;
  bodyHtml: string | null;
  bodyText: string | null;
  /** Message id of the mail, or of the reply for a reply. */
  messageId: string | null;
  /** Message id of our own mail that a reply answers. */
  answeredMessageId: string | null;
  /** The lead's category or tag after the event, when the platform reports one. */
  category: InboundCategory | null;
  /** Links that were clicked; http and https only. */
  linkUrls: string[];
  /** Step of the sequence, in the platform's counting. */
  sequenceNumber: number | null;
}

export interface InboundCategory {
  /** The platform's id, or its name of the event or field. */
  id: string | null;
  name: string;
}

export interface InboundContact {
  email: string | null;
  profileUrl: string | null;
  firstName: string | null;
  lastName: string | null;
  companyName: string | null;
  /** Host name only, lower case, without `www.`. */
  companyDomain: string | null;
  jobTitle: string | null;
  phone: string | null;
  /** The sequencer's custom fields of the lead, by the name that it sends. Bounded by `toCustomFields`; own properties only. */
  custom: Readonly<Record<string, CustomValue>>;
  /** The lead's tags in the sequencer. */
  tags: readonly string[];
  /** The sequencer's id of the lead. */
  leadId: string | null;
  /** Where the sequencer shows the lead; https only. Null unless the payload has the link. */
  leadUrl: string | null;
}

export type CustomValue = string | number | boolean;

export interface NormalizeInput {
  /** Names in lower case. */
  headers: Readonly<Record<string, string | undefined>>;
  /** The parsed body: any JSON value. */
  body: unknown;
  /** SHA-256 of the raw body, hex. */
  bodyHash: string;
}

/**
 * - `events`: at least one event; `skipped` counts items of an array that are repeats, empty or unreadable. `notices` are sentences
 *   about what of the body was not read although it should be, for the operator of the source; without values of the body.
 * - `ignored`: understood, with nothing to sync (a test ping, a campaign-level event).
 * - `unparsed`: not understood; the receipt is stored, so that a later version can read it.
 */
export type NormalizeResult =
  | { outcome: 'events'; events: InboundEvent[]; skipped: number; notices: readonly string[] }
  | { outcome: 'ignored'; reason: string }
  | { outcome: 'unparsed'; reason: string };

/** The result of an adapter for one object of the body. */
export type ItemResult =
  | { outcome: 'event'; event: InboundEvent; notices?: readonly string[] }
  | { outcome: 'ignored'; reason: string }
  | { outcome: 'unparsed'; reason: string };

export interface ItemContext {
  headers: NormalizeInput['headers'];
  bodyHash: string;
  /** Position in the body: 0 unless the body is an array. */
  index: number;
}

/** One platform's adapter. Pure, and never throws for a JSON object. */
export type SequencerAdapter = (item: Readonly<Record<string, unknown>>, context: ItemContext) => ItemResult;
