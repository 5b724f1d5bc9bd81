/**
 * Which events a reply relay sends on, and whether a planned mail may be sent (`ReplyRelay` in the contract).
 *
 * Planned at receipt, from what the payload says:
 * 1. A reply is an event of the vocabulary with the flag `replied`: by email, message or InMail. An automatic reply is a category
 *    and a bounce a type of its own, so neither is a reply.
 * 2. Each relay of the source gets one mail per event, due `delayMinutes` after the receipt.
 *
 * Judged when the mail is due, in this order; the first that applies is recorded:
 * 3. The relay was removed, or is no longer bound to the source.
 * 4. The capability `destinations` of the connection is off.
 * 5. The mail was due more than three days ago: after a long pause, old replies would only surprise.
 * 6. It would make a loop: the reply comes from our own address or mailbox, from the relay's recipient, or answers one of our mails.
 * 7. It comes from a mail system, or it is an automatic reply by its subject, or by a category given with it or after it.
 * 8. The relay has a `categoryAllowlist`, and the lead's latest category is none of it, by id or by name.
 */
import { SEQUENCER_EVENT_TYPES, type TouchFlags } from '@svc/contract/vocabulary';
import type { ReplySender } from '../contacts/event-contact.ts';
import { isMailSystem } from '../contacts/mail-system.ts';
import { isOwnMessageId } from './message-id.ts';

/** The parts of a normalized event that a relay needs. */
export interface RelayedReply {
  readonly eventType: string;
  /** The lead's email, or the URL of the profile when only that is known. */
  readonly toEmail: string;
  readonly contact: {
    readonly email: string | null;
    readonly profileUrl: string | null;
    readonly firstName: string | null;
    readonly lastName: string | null;
    readonly companyName: string | null;
    readonly jobTitle: string | null;
    readonly phone: string | null;
  };
  /** Our own mailbox that the reply was sent to. */
  readonly fromEmail: string | null;
  /** Who wrote the reply, when it was not the lead. */
  readonly replySender: ReplySender | null;
  readonly campaign: { readonly id: string | null; readonly name: string | null };
  readonly subject: string | null;
  readonly bodyHtml: string | null;
  readonly bodyText: string | null;
  /** Message id of the reply. */
  readonly messageId: string | null;
  /** Message id of our mail that was answered. */
  readonly answeredMessageId: string | null;
  readonly category: RelayCategory | null;
}

export interface RelayCategory {
  readonly id: string | null;
  readonly name: string;
}

/** A category that the sequencer gave to the lead. */
export interface RelayCategorySignal extends RelayCategory {
  readonly at: Date;
}

/** Whether an event is a reply that relays send on (rule 1). */
export function isRelayed(eventType: string): boolean {
  return FLAGS.get(eventType)?.replied === true;
}

const FLAGS: ReadonlyMap<string, TouchFlags> = new Map(Object.entries(SEQUENCER_EVENT_TYPES));

export interface PlannedRelay<Event> {
  readonly relayId: number;
  readonly event: Event;
  readonly dueAt: Date;
}

/** Plans the mails of a receipt: one for each reply and relay. Whether the relay may send is judged when the mail is due. */
export function planRelays<Event extends { readonly eventType: string }>(receipt: {
  readonly receivedAt: Date;
  readonly newEvents: readonly Event[];
  readonly relays: readonly { readonly relayId: number; readonly delayMinutes: number }[];
}): PlannedRelay<Event>[] {
  const replies = receipt.newEvents.filter(({ eventType }) => isRelayed(eventType));
  return receipt.relays.flatMap(({ relayId, delayMinutes }) => {
    const dueAt = new Date(receipt.receivedAt.getTime() + delayMinutes * MINUTE_MS);
    return replies.map((event) => ({ relayId, event, dueAt }));
  });
}

const MINUTE_MS = 60_000;

export interface RelayFacts {
  readonly reply: RelayedReply;
  readonly receivedAt: Date;
  /** When the mail was planned to be sent. */
  readonly dueAt: Date;
  readonly now: Date;
  /** Null when the relay was removed. */
  readonly relay: {
    readonly ccEmail: string;
    readonly categoryAllowlist: readonly { readonly id: string; readonly name: string }[];
  } | null;
  /** To whom the mail goes, where a route chose it; null: to the fixed address, or not known yet. */
  readonly recipient: string | null;
  readonly isBound: boolean;
  readonly hasCapability: boolean;
  /** The lead's latest category; null without one. */
  readonly latestCategory: RelayCategorySignal | null;
  /** The address that relay mails are sent from; null when none is configured. */
  readonly ownAddress: string | null;
}

/** Why a mail is not sent when the source, and with it the reply, is gone. */
export const SOURCE_REMOVED = 'The source was removed';
export const RELAY_REMOVED = 'The relay was removed';

/** Returns why the mail must not be sent, for people; null when it may. */
export function relaySkipReason(facts: RelayFacts): string | null {
  const { reply, relay, latestCategory } = facts;
  if (relay === null) return RELAY_REMOVED;
  if (!facts.isBound) return 'The relay is no longer bound to the source';
  if (!facts.hasCapability) return 'The capability destinations is off for the connection';
  if (facts.now.getTime() - facts.dueAt.getTime() > LATEST_MS) return 'It was due more than 3 days ago';
  const loop = loopReason(reply, [relay.ccEmail, facts.recipient, facts.ownAddress]);
  if (loop !== null) return loop;
  // A category from before the reply says nothing about the reply.
  const given = latestCategory !== null && latestCategory.at >= facts.receivedAt ? latestCategory : null;
  if ([reply.category, given].some((category) => category !== null && isAutomaticCategory(category.name))) {
    return 'The category says that the reply is automatic';
  }
  if (!isCategoryAllowed(relay.categoryAllowlist, latestCategory)) {
    return latestCategory === null
      ? 'The lead has no category, and the relay sends only some'
      : `The lead's category is not one that the relay sends: ${latestCategory.name}`;
  }
  return null;
}

/** Far longer than a weekend without a mail server. */
const LATEST_MS = 3 * 24 * 60 * MINUTE_MS;

function loopReason(reply: RelayedReply, ownAddresses: readonly (string | null)[]): string | null {
  const senders = [reply.toEmail, reply.contact.email, reply.replySender?.email].flatMap(
    (address) => address?.toLowerCase() ?? [],
  );
  const own = [...ownAddresses, reply.fromEmail].flatMap((address) => address?.toLowerCase() ?? []);
  if (senders.some((sender) => own.includes(sender))) return 'The reply comes from an address of our own';
  if ([reply.messageId, reply.answeredMessageId].some(isOwnMessageId)) return 'The reply answers a mail of a relay';
  if (senders.some(isMailSystem)) return 'The reply comes from a mail system';
  if (reply.subject !== null && AUTOMATIC_SUBJECT.test(reply.subject))
    return 'The subject says that the reply is automatic';
  return null;
}

/** Common beginnings, in the languages of common mail programs, of automatic replies and of bounces. */
const AUTOMATIC_SUBJECT = new RegExp(
  `^\\s*(?:${[
    'auto(?:matic(?:ally generated)?|mated)?[ -]?(?:repl(?:y|ied)|response|answer)',
    'out[ -]of[ -](?:the[ -])?office\\s*(?:$|[:(–-]|re:|until|repl|auto|response|message)',
    'ooo\\s*[:-]',
    'automatische (?:antwort|abwesenheits)',
    'abwesenheits(?:notiz|nachricht|meldung|assistent)',
    'automatisch antwoord',
    'r[ée]ponse automatique',
    'absence du bureau',
    'respuesta autom[áa]tica',
    'risposta automatica',
    'resposta autom[áa]tica',
    'automatiskt? svar',
    'autosvar',
    'automaattinen vastaus',
    'autom[aá]tick[aá] odpov[eě][dď]',
    'odpowied[zź] automatyczna',
    'undeliver(?:ed|able)(?::| mail| message)',
    'delivery (?:status notification|has failed|failure\\s*(?:$|[:(])|incomplete)',
    'mail delivery (?:failed|failure|subsystem)',
    'returned mail:',
    'failure notice\\s*$',
    'unzustellbar',
  ].join('|')})`,
  'iu',
);

/** The names that sequencers give to automatic replies. */
function isAutomaticCategory(name: string): boolean {
  return AUTOMATIC_CATEGORIES.has(
    name
      .toLowerCase()
      .replaceAll(/[\s_-]+/g, ' ')
      .trim(),
  );
}

const AUTOMATIC_CATEGORIES: ReadonlySet<string> = new Set([
  'auto reply',
  'autoreply',
  'auto replied',
  'automatic reply',
  'automated reply',
  'auto response',
  'out of office',
  'out of the office',
  'ooo',
]);

function isCategoryAllowed(
  allowlist: readonly { readonly id: string; readonly name: string }[],
  category: RelayCategory | null,
): boolean {
  if (allowlist.length === 0) return true;
  if (category === null) return false;
  const name = category.name.trim().toLowerCase();
  return allowlist.some((entry) => entry.id === category.id || entry.name.trim().toLowerCase() === name);
}
