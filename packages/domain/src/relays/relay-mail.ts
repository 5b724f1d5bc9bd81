/**
 * The mail that a reply relay sends to the sales rep.
 *
 * 1. From is the configured sender, To the rep. Reply-To is who wrote the reply, the lead or a colleague of the lead, so the rep's
 *    answer goes there; a writer without an address that every mail server accepts has none.
 * 2. The subject is the reply's; "Re: " is put before it when it has no such prefix, because mail programs compare subjects.
 * 3. In-Reply-To names the reply, References our mail that was answered and the reply. The rep's answer repeats them, so it
 *    appears in the lead's thread. Ids that are not well formed are left out.
 * 4. `Auto-Submitted` and the marker header say that no person wrote the mail (RFC 3834), so that it is not answered
 *    automatically.
 * 5. The body is made from the relay's template, or lists what is known. A template without `{{replyText}}` gets the reply below it.
 * 6. The reply's own markup is not sent on: its text is.
 */
import { emailOf, profileUrlOf, writerEmailOf, writerNameOf } from '../contacts/event-contact.ts';
import type { Branding } from '../pages/branding.ts';
import { toPlainText } from '../values/plain-text.ts';
import { domainOf, type MailAddress, toHeaderText, toMailAddress } from './mail-address.ts';
import { relayMessageId, toMessageId } from './message-id.ts';
import type { RelayedReply } from './relay-reply.ts';
import {
  type MailBody,
  namesField,
  pickTemplate,
  renderTemplate,
  type TemplateField,
  type TemplateValues,
  textAsHtml,
} from './relay-template.ts';

/** A mail, before it is encoded. No header value contains a line break. */
export interface RelayMail extends MailBody {
  readonly messageId: string;
  readonly from: MailAddress;
  readonly to: MailAddress;
  readonly replyTo: MailAddress | null;
  readonly subject: string;
  readonly inReplyTo: string | null;
  /** Oldest first. */
  readonly references: readonly string[];
  /** Further headers. */
  readonly headers: Readonly<Record<string, string>>;
}

export interface RelayMailInput {
  readonly relay: { readonly id: number; readonly bodyTemplates: readonly string[] };
  /** The address of the rep. */
  readonly recipient: string;
  readonly eventId: number;
  readonly reply: RelayedReply;
  readonly platform: string;
  readonly receivedAt: Date;
  /** The configured sender. */
  readonly from: MailAddress;
  readonly branding: Pick<Branding, 'headerPrefix'>;
}

const SUBJECT_MAX = 400;
const REPLY_TEXT_MAX = 50_000;

export function buildRelayMail(input: RelayMailInput): RelayMail {
  const { relay, recipient, eventId, reply, receivedAt, from, branding } = input;
  const values = toValues(input);
  const answered = toMessageId(reply.answeredMessageId);
  const own = toMessageId(reply.messageId);
  const template = pickTemplate(relay.bodyTemplates, eventId);
  const replyTo = toMailAddress(writerEmailOf(reply), values.senderName);
  return {
    messageId: relayMessageId({ relayId: relay.id, eventId, receivedAt, domain: domainOf(from.address) }),
    from,
    to: { name: '', address: recipient },
    replyTo,
    subject: toSubject(reply.subject, values.senderName),
    inReplyTo: own ?? answered,
    references: [...new Set([answered, own])].filter((id) => id !== null),
    headers: relayHeaders(branding, `${relay.id}/${eventId}`),
    ...(template === null ? defaultBody(values, replyTo !== null) : templateBody(template, values)),
  };
}

/** The headers of rule 4. */
export function relayHeaders({ headerPrefix }: Pick<Branding, 'headerPrefix'>, marker: string): Record<string, string> {
  return { 'Auto-Submitted': 'auto-generated', [`X-${headerPrefix}-Relay`]: marker };
}

function toValues({ reply, platform, receivedAt }: RelayMailInput): TemplateValues {
  const { contact } = reply;
  const email = emailOf(reply);
  const line = (text: string | null) => toHeaderText(text ?? '', 500);
  const lead = { ...reply, replySender: null };
  return {
    leadName: line(writerNameOf(lead)) || line(email ?? reply.toEmail),
    leadEmail: line(email),
    senderName: line(writerNameOf(reply)) || line(writerEmailOf(reply) ?? reply.toEmail),
    senderEmail: line(writerEmailOf(reply)),
    firstName: line(contact.firstName),
    lastName: line(contact.lastName),
    companyName: line(contact.companyName),
    jobTitle: line(contact.jobTitle),
    phone: line(contact.phone),
    profileUrl: line(profileUrlOf(reply)),
    campaignName: line(reply.campaign.name ?? reply.campaign.id),
    category: line(reply.category?.name ?? null),
    platform: line(platform),
    mailbox: line(reply.fromEmail),
    subject: line(reply.subject),
    replyText: toReplyText(reply),
    receivedAt: receivedAt.toISOString(),
  };
}

/** Returns the text of a reply without its markup. */
export function toReplyText({ bodyText, bodyHtml }: RelayedReply): string {
  const text = bodyText ?? toPlainText((bodyHtml ?? '').slice(0, REPLY_TEXT_MAX * 4));
  const cut = text.length <= REPLY_TEXT_MAX ? text : `${text.slice(0, REPLY_TEXT_MAX)}\n[...]`;
  // Other control characters have no place in a mail.
  return cut
    .toWellFormed()
    .replaceAll(/[^\P{Cc}\t\r\n]/gu, '')
    .trim();
}

const REPLY_PREFIX = /^(?:re|aw|sv|antw|antwort|rv|res|odp|vs|ynt)\s*(?:\[\d+\])?\s*:/i;

function toSubject(subject: string | null, senderName: string): string {
  const text = toHeaderText(subject ?? '', SUBJECT_MAX);
  if (text === '') return `Reply from ${senderName}`;
  return REPLY_PREFIX.test(text) ? text : `Re: ${text}`;
}

const LABELS: Partial<Record<TemplateField, string>> = {
  leadEmail: 'Email',
  companyName: 'Company',
  jobTitle: 'Job title',
  phone: 'Phone',
  profileUrl: 'Profile',
  campaignName: 'Campaign',
  category: 'Category',
  mailbox: 'Mailbox',
  platform: 'Platform',
  receivedAt: 'Received',
};

function defaultBody(values: TemplateValues, hasReplyTo: boolean): MailBody {
  const facts = Object.entries(LABELS).flatMap(([field, label]) => {
    const value = isNamed(field) ? values[field] : '';
    return value === '' ? [] : [`${label}: ${value}`];
  });
  const how = howToAnswer(values, hasReplyTo);
  const isLead = values.senderEmail === values.leadEmail;
  const head = `${values.senderName} replied${isLead ? '' : `, in the thread of ${values.leadName}`}. ${how}`;
  const reply = values.replyText || '(The reply has no text.)';
  return {
    text: `${head}\n\n${quote(reply)}\n\n${facts.join('\n')}\n`,
    html: `<p>${textAsHtml(head)}</p>\n${quoteHtml(reply)}\n<p>${facts.map(textAsHtml).join('<br>\n')}</p>\n`,
  };
}

function howToAnswer({ senderEmail, platform }: TemplateValues, hasReplyTo: boolean): string {
  if (senderEmail === '') return `Answer on ${platform}.`;
  return hasReplyTo ? `Your answer to this mail goes to ${senderEmail}.` : `Write to ${senderEmail}.`;
}

function isNamed(field: string): field is keyof typeof LABELS {
  return Object.hasOwn(LABELS, field);
}

function templateBody(template: string, values: TemplateValues): MailBody {
  const body = renderTemplate(template, values);
  if (namesField(template, 'replyText') || values.replyText === '') return body;
  const head = `${values.senderName} wrote:`;
  return {
    text: `${body.text}\n\n${head}\n${quote(values.replyText)}\n`,
    html: `${body.html}\n<p>${textAsHtml(head)}</p>\n${quoteHtml(values.replyText)}\n`,
  };
}

function quote(text: string): string {
  return text.replaceAll(/^/gm, '> ');
}

function quoteHtml(text: string): string {
  return `<blockquote>${textAsHtml(text)}</blockquote>`;
}
