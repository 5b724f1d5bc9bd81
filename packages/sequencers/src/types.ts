import type { SequencerEventType } from '@svc/contract/vocabulary';

/**
 * What every adapter turns a platform's payload into. All strings are well-formed Unicode without NUL characters and
 * of bounded length, so that they can be stored and sent on as they are.
 */
export interface InboundEvent {
  /** The platform's own event id, or a key derived from stable parts of the payload. Repeats mean "the same event", per source. */
  eventKey: string;
  /** Of the normalized vocabulary; an event without a mapping keeps its own name in upper case. */
  eventType: SequencerEventType | (string & {});
  /** Never empty: the lead's email in lower case, or the canonical profile URL where only a profile is known. */
  toEmail: string;
  /** When it happened according to the platform; null when the platform does not say. */
  occurredAt: Date | null;
  contact: InboundContact;
  /** Our own mailbox: the one that sent the message, or that received the reply. */
  fromEmail: string | null;
  campaign: { id: string | null; name: string | null };
  subject: string | null;
  bodyHtml: string | null;
  bodyText: string | null;
  /** Message id of the mail that this event is about (of the reply, for a reply). */
  messageId: string | null;
  /** The lead's category or tag after the event, where the platform reports one. */
  category: { id: string | null; name: string } | null;
  /** Links that were clicked; http and https only. */
  linkUrls: string[];
  /** Step of the sequence, counted as the platform counts. */
  sequenceNumber: number | null;
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
}

export interface NormalizeInput {
  /** Names in lower case. */
  headers: Readonly<Record<string, string | undefined>>;
  /** The parsed body: any JSON value. */
  body: unknown;
  /** SHA-256 of the raw body, hex. */
  bodyHash: string;
}

/**
 * - `events`: at least one event; `skipped` counts the items of an array that are repeats, carry nothing or could not be read.
 * - `ignored`: understood, and nothing to sync (a test ping, a campaign-level event).
 * - `unparsed`: not understood; the receipt is kept, so that a later version can read it.
 */
export type NormalizeResult =
  | { outcome: 'events'; events: InboundEvent[]; skipped: number }
  | { outcome: 'ignored'; reason: string }
  | { outcome: 'unparsed'; reason: string };

/** What an adapter makes of one object of the body. */
export type ItemResult =
  | { outcome: 'event'; event: InboundEvent }
  | { outcome: 'ignored'; reason: string }
  | { outcome: 'unparsed'; reason: string };

export interface ItemContext {
  headers: NormalizeInput['headers'];
  bodyHash: string;
  /** Position in the body: 0 unless the body is an array. */
  index: number;
}

/** One platform's adapter: pure and total, any JSON object in, never a throw. */
export type SequencerAdapter = (item: Readonly<Record<string, unknown>>, context: ItemContext) => ItemResult;
