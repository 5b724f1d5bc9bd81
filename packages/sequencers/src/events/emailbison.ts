import type { ReplySender } from '@svc/domain/contacts/event-contact';
import { isMailSystem } from '@svc/domain/contacts/mail-system';
import { findBouncedAddress, isDelayNotice } from './bounce-notice.ts';
import { AUTO_REPLY } from './categories.ts';
import { readColumnContact, toColumns } from './columns.ts';
import { deriveKey } from './event-key.ts';
import { isTestName, toEventName } from './event-name.ts';
import { splitName, toEmailAddress, toInstant } from './field-values.ts';
import {
  BODY_TEXT_MAX,
  field,
  firstOf,
  isJsonObject,
  type JsonObject,
  objectField,
  toId,
  toInteger,
  toText,
} from './json-fields.ts';
import { namedValues } from './lead-fields.ts';
import type { InboundCategory, InboundContact, ItemContext, ItemResult } from './types.ts';

/**
 * Reads an event of EmailBison: `event` has the name and the workspace, `data` the objects that the event is about.
 *
 * How certain it is:
 * - The names and when they are sent: the vendor's page "When are webhooks triggered" and the events of its webhook API.
 * - Sent, opened, replied, bounced: bodies of the vendor's sample endpoint, as public integrations show them. Interested (as
 *   replied), unsubscribed and first contacted (as sent), manual mails and untracked replies: the fields that a public typed
 *   integration declares.
 * - `EMAIL_SEND_FAILED` has been observed and is not documented; it keeps its name, as every unknown event with a lead does.
 *
 * In practice:
 * - The case of `event.type` varies.
 * - The user's own variables are a list of `{ name, value }` in `lead.custom_variables` (docs.emailbison.com/leads/custom-variables,
 *   read on 2026-11-27). No tags of the lead and no link to it were found in a body.
 * - There is no event id and no signature. Ids of workspace, mail, reply and campaign event identify an event, so that a retry and a
 *   second webhook of the workspace repeat it.
 * - The vendor's API wraps an event that it lists as `payload`, and its sample endpoint answers with it as `data`. Both are read, so
 *   that such a body can be posted.
 * - `LEAD_FIRST_CONTACTED` reports the mail that `EMAIL_SENT` reports too; together they are one event.
 * - A bounce has the notice of the mail server in `reply`, with `automated_reply` true. A notice that EmailBison cannot connect with a
 *   mail of a campaign arrives as an untracked reply, of type `Bounced` or only from an address such as `mailer-daemon@`.
 * - The test webhook sends a sample lead and looks like an event.
 *
 * Mapping: a reply with `automated_reply` is a category ("Auto reply"), not a reply, because it must neither count as contact nor
 * reach a sales rep. UNTRACKED_REPLY_RECEIVED (a reply outside any campaign) is an EMAIL_REPLY of its sender. A notice of a mail
 * server is an EMAIL_BOUNCE of the recipient that it names, and ignored when it names none or says that the mail is only late. A
 * reply from another address than the lead's is an event of the lead with that sender. Events without a lead (sender accounts,
 * warm-up, tags, which name a lead only by its id) are ignored.
 */
export function parseEmailbison(posted: JsonObject, context: ItemContext): ItemResult {
  const item = unwrap(posted);
  const source = objectField(item, 'event');
  const ownName = toEventName(field(source, 'type'));
  if (ownName === null) return { outcome: 'unparsed', reason: 'no event name in event.type' };
  if (isTestName(ownName)) return { outcome: 'ignored', reason: 'test ping' };

  const data = objectField(item, 'data');
  const reply = objectField(data, 'reply');
  const isUntracked = ownName === 'UNTRACKED_REPLY_RECEIVED';
  const lead = objectField(data, 'lead');
  const fromEmail = readOwnMailbox(ownName, data);
  const isNotice = isBounceNotice(ownName, reply);
  if (
    isNotice &&
    isDelayNotice(toText(field(reply, 'email_subject')), toText(field(reply, 'text_body'), BODY_TEXT_MAX))
  ) {
    return { outcome: 'ignored', reason: 'the mail server says that a mail is late' };
  }
  const writer = toEmailAddress(field(reply, 'from_email_address'));
  const leadEmail = toEmailAddress(field(lead, 'email'));
  const toEmail = isNotice ? (leadEmail ?? readBouncedAddress(reply, fromEmail)) : isUntracked ? writer : leadEmail;
  if (toEmail === null) {
    if (isNotice) return { outcome: 'ignored', reason: 'a notice of a mail server that names no recipient' };
    return EVENT_TYPES.has(ownName)
      ? { outcome: 'unparsed', reason: `${ownName} without a lead email` }
      : { outcome: 'ignored', reason: `${ownName} concerns no lead` };
  }

  const category = isNotice ? null : readCategory(ownName, reply);
  const mappedType = isNotice ? 'EMAIL_BOUNCE' : (EVENT_TYPES.get(ownName) ?? ownName);
  const eventType = category === null ? mappedType : 'LEAD_CATEGORY_UPDATED';
  const replySender = eventType === 'EMAIL_REPLY' ? toReplySender(reply, writer, toEmail) : null;
  const mail = objectField(data, 'scheduled_email');
  const campaign = objectField(data, 'campaign');
  const message = MESSAGE_IN_REPLY.has(ownName) ? readReply(reply) : readMail(mail, eventType);
  return {
    outcome: 'event',
    event: {
      eventKey: toEventKey(source, data, { eventType, toEmail, category, isManual: ownName === MANUAL }, context),
      eventType,
      toEmail,
      occurredAt: readTime(ownName, data),
      contact: readContact(lead, toEmail, isUntracked && !isNotice ? reply : {}),
      fromEmail,
      replySender,
      campaign: { id: toId(field(campaign, 'id')), name: toText(field(campaign, 'name')) },
      ...message,
      answeredMessageId: eventType === 'EMAIL_REPLY' ? toId(field(mail, 'raw_message_id')) : null,
      category,
      // No event reports a click.
      linkUrls: [],
      sequenceNumber: toInteger(field(mail, 'sequence_step_order')),
    },
  };
}

const MANUAL = 'MANUAL_EMAIL_SENT';

const EVENT_TYPES: ReadonlyMap<string, string> = new Map([
  ['EMAIL_SENT', 'EMAIL_SENT'],
  ['LEAD_FIRST_CONTACTED', 'EMAIL_SENT'],
  [MANUAL, 'EMAIL_SENT'],
  ['EMAIL_OPENED', 'EMAIL_OPEN'],
  ['LEAD_REPLIED', 'EMAIL_REPLY'],
  ['UNTRACKED_REPLY_RECEIVED', 'EMAIL_REPLY'],
  ['EMAIL_BOUNCED', 'EMAIL_BOUNCE'],
  ['LEAD_UNSUBSCRIBED', 'LEAD_UNSUBSCRIBED'],
  ['LEAD_INTERESTED', 'LEAD_CATEGORY_UPDATED'],
]);

/** Events whose message is `data.reply`: the answer, the bounce notice, or the mail written by hand. */
const MESSAGE_IN_REPLY: ReadonlySet<string> = new Set([
  'LEAD_REPLIED',
  'UNTRACKED_REPLY_RECEIVED',
  'LEAD_INTERESTED',
  'EMAIL_BOUNCED',
  MANUAL,
]);

/** The vendor's API and its sample endpoint have an event in `payload` or `data`. */
function unwrap(posted: JsonObject): JsonObject {
  if (isJsonObject(field(posted, 'event'))) return posted;
  const inner = [objectField(posted, 'payload'), objectField(posted, 'data')];
  return inner.find((body) => isJsonObject(field(body, 'event'))) ?? posted;
}

function readOwnMailbox(ownName: string, data: JsonObject): string | null {
  // A manual mail names the lead in `primary_to_email_address`.
  const received = ownName === MANUAL ? undefined : field(objectField(data, 'reply'), 'primary_to_email_address');
  return firstOf([field(objectField(data, 'sender_email'), 'email'), received], toEmailAddress);
}

/** Whether a reply is the notice of a mail server. */
function isBounceNotice(ownName: string, reply: JsonObject): boolean {
  if (EVENT_TYPES.get(ownName) !== 'EMAIL_REPLY') return false;
  const writer = toEmailAddress(field(reply, 'from_email_address'));
  return toEventName(field(reply, 'type')) === 'BOUNCED' || (writer !== null && isMailSystem(writer));
}

function readBouncedAddress(reply: JsonObject, fromEmail: string | null): string | null {
  const texts = ['text_body', 'html_body', 'raw_body'].map((name) => toText(field(reply, name), BODY_TEXT_MAX));
  const own = [fromEmail, toEmailAddress(field(reply, 'primary_to_email_address'))];
  return findBouncedAddress(texts, own);
}

function toReplySender(reply: JsonObject, writer: string | null, leadEmail: string): ReplySender | null {
  return writer === null || writer === leadEmail ? null : { email: writer, name: toText(field(reply, 'from_name')) };
}

function readCategory(ownName: string, reply: JsonObject): InboundCategory | null {
  if (ownName === 'LEAD_INTERESTED') return { id: 'lead_interested', name: 'Interested' };
  const isReply = EVENT_TYPES.get(ownName) === 'EMAIL_REPLY';
  return isReply && field(reply, 'automated_reply') === true ? { id: 'automated_reply', name: AUTO_REPLY } : null;
}

function readTime(ownName: string, data: JsonObject): Date | null {
  const happened = field(objectField(data, 'campaign_event'), 'created_at');
  const sent = field(objectField(data, 'scheduled_email'), 'sent_at');
  const received = field(objectField(data, 'reply'), 'date_received');
  switch (EVENT_TYPES.get(ownName)) {
    case 'EMAIL_SENT':
      return firstOf(ownName === MANUAL ? [received] : [sent, happened], toInstant);
    case 'EMAIL_REPLY':
      return firstOf([received, happened], toInstant);
    case 'EMAIL_BOUNCE':
      return firstOf([happened, received], toInstant);
    default:
      return toInstant(happened);
  }
}

interface Message {
  subject: string | null;
  bodyHtml: string | null;
  bodyText: string | null;
  messageId: string | null;
}

function readReply(reply: JsonObject): Message {
  return {
    subject: toText(field(reply, 'email_subject')),
    bodyHtml: toText(field(reply, 'html_body'), BODY_TEXT_MAX),
    bodyText: toText(field(reply, 'text_body'), BODY_TEXT_MAX),
    messageId: toId(field(reply, 'raw_message_id')),
  };
}

/** Other events than sent repeat the whole mail; its body is not kept again. */
function readMail(mail: JsonObject, eventType: string): Message {
  return {
    subject: toText(field(mail, 'email_subject')),
    bodyHtml: eventType === 'EMAIL_SENT' ? toText(field(mail, 'email_body'), BODY_TEXT_MAX) : null,
    bodyText: null,
    messageId: toId(field(mail, 'raw_message_id')),
  };
}

/** @param untracked the reply of a sender who is no lead, else empty */
function readContact(lead: JsonObject, email: string, untracked: JsonObject): InboundContact {
  const fields = ['first_name', 'last_name', 'company', 'title'].map((name) => [name, field(lead, name)] as const);
  const custom = namedValues(field(lead, 'custom_variables'));
  const contact = readColumnContact(toColumns([...fields, ...custom]), email, { custom });
  const sender = splitName(field(untracked, 'from_name'));
  return {
    ...contact,
    firstName: contact.firstName ?? sender.firstName,
    lastName: contact.lastName ?? sender.lastName,
    leadId: toId(field(lead, 'id')),
  };
}

interface Identity {
  eventType: string;
  toEmail: string;
  category: InboundCategory | null;
  isManual: boolean;
}

/** Derives the key from the workspace and the ids of what happened. */
function toEventKey(
  source: JsonObject,
  data: JsonObject,
  { eventType, toEmail, category, isManual }: Identity,
  context: ItemContext,
): string {
  const idOf = (name: string) => toId(field(objectField(data, name), 'id'));
  const happened = objectField(data, 'campaign_event');
  const mailId = idOf('scheduled_email');
  // A mail is sent once, so its id is enough; two webhooks may report it as different campaign events.
  const isMail = eventType === 'EMAIL_SENT' && !isManual && mailId !== null;
  const parts = isMail
    ? [mailId]
    : [mailId, idOf('reply'), idOf('campaign_event'), toInstant(field(happened, 'created_at'))?.toISOString() ?? null];
  const isAnonymous = isMail ? false : parts.slice(1).every((part) => part === null);
  return deriveKey([
    toText(field(source, 'instance_url')),
    toId(field(source, 'workspace_id')),
    eventType,
    category?.id ?? null,
    toEmail,
    ...parts,
    // Without an id of what happened, only the body identifies a retry.
    ...(isAnonymous ? [context.bodyHash, String(context.index)] : []),
  ]);
}
