/**
 * The digest of a relay: one mail about the replies above the limit of an hour (`relay-limit.ts`).
 *
 * It lists each reply with its lead, where it belongs, and the beginning of its text. It has no Reply-To, because it is about
 * several leads, and no template, because templates are about one.
 */
import { emailOf } from '../contacts/event-contact.ts';
import type { Branding } from '../pages/branding.ts';
import { domainOf, type MailAddress, toHeaderText } from './mail-address.ts';
import { relayMessageId } from './message-id.ts';
import { type RelayMail, relayHeaders, toReplyText } from './relay-mail.ts';
import type { RelayedReply } from './relay-reply.ts';
import { textAsHtml } from './relay-template.ts';

export interface DigestReply {
  readonly reply: RelayedReply;
  readonly platform: string;
  readonly receivedAt: Date;
  /** To whom a route would have mailed the reply; null: to the fixed address. */
  readonly recipient: string | null;
}

export interface RelayDigestInput {
  readonly relay: { readonly id: number; readonly ccEmail: string };
  /** When the digest was due: the end of its hour. */
  readonly digestAt: Date;
  /** At most `DIGEST_REPLIES_MAX`, oldest first. */
  readonly replies: readonly DigestReply[];
  /** Replies that the digest is about, listed or not. */
  readonly replyCount: number;
  readonly mailsPerHour: number;
  readonly from: MailAddress;
  readonly branding: Pick<Branding, 'headerPrefix'>;
}

/** Replies that a digest lists. */
export const DIGEST_REPLIES_MAX = 1_000;
const EXCERPT_MAX = 200;

/** Event ids begin at 1. */
const DIGEST_EVENT_ID = 0;

/** Returns the message id of a digest, the same at every attempt. */
export function digestMessageId(digest: { relayId: number; digestAt: Date; domain: string }): string {
  const { relayId, digestAt, domain } = digest;
  return relayMessageId({ relayId, eventId: DIGEST_EVENT_ID, receivedAt: digestAt, domain });
}

export function buildRelayDigest(input: RelayDigestInput): RelayMail {
  const { relay, digestAt, replies, replyCount, mailsPerHour, from, branding } = input;
  const noun = replyCount === 1 ? 'reply' : 'replies';
  const head = `${replyCount} more ${noun} came within the hour before ${digestAt.toISOString()}. A relay sends at most ${mailsPerHour} mails an hour, so this mail lists ${replyCount === 1 ? 'it' : 'them'}. Answer each lead from your own mailbox or in the sequencer.`;
  const entries = replies.map(toEntry);
  const left = replyCount - replies.length;
  const foot = left > 0 ? [`${left} more are not listed. All replies are in the CRM.`] : [];
  const textOf = ({ title, facts, excerpt }: Entry) => [title, facts, `> ${excerpt}`].join('\n');
  const htmlOf = ({ title, facts, excerpt }: Entry) =>
    `<li><strong>${textAsHtml(title)}</strong><br>\n${textAsHtml(facts)}\n<blockquote>${textAsHtml(excerpt)}</blockquote></li>`;
  return {
    messageId: digestMessageId({ relayId: relay.id, digestAt, domain: domainOf(from.address) }),
    from,
    to: { name: '', address: relay.ccEmail },
    replyTo: null,
    subject: `${replyCount} more ${noun}`,
    inReplyTo: null,
    references: [],
    headers: relayHeaders(branding, `${relay.id}/digest`),
    text: `${[head, ...entries.map(textOf), ...foot].join('\n\n')}\n`,
    html: `${[`<p>${textAsHtml(head)}</p>`, `<ol>\n${entries.map(htmlOf).join('\n')}\n</ol>`, ...foot.map((line) => `<p>${textAsHtml(line)}</p>`)].join('\n')}\n`,
  };
}

interface Entry {
  title: string;
  facts: string;
  excerpt: string;
}

function toEntry({ reply, platform, receivedAt, recipient }: DigestReply): Entry {
  const { contact, campaign, subject } = reply;
  const line = (text: string | null) => toHeaderText(text ?? '', EXCERPT_MAX);
  const name = line([contact.firstName, contact.lastName].filter((part) => part !== null).join(' '));
  const address = line(emailOf(reply) ?? reply.toEmail);
  return {
    title: name === '' ? address : `${name} (${address})`,
    facts: [
      line(subject),
      line(campaign.name ?? campaign.id),
      line(platform),
      receivedAt.toISOString(),
      recipient === null ? '' : `for ${line(recipient)}`,
    ]
      .filter((fact) => fact !== '')
      .join(' · '),
    excerpt: line(toReplyText(reply)) || '(The reply has no text.)',
  };
}
