import { deriveKey } from './event-key.ts';
import { isTestName, toEventName } from './event-name.ts';
import { splitName, toDomain, toEmailAddress, toInstant, toPhone, toProfileUrl } from './field-values.ts';
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
 * - There is no event id and no signature. Ids of workspace, mail, reply and campaign event identify an event, so that a retry and a
 *   second webhook of the workspace repeat it.
 * - `LEAD_FIRST_CONTACTED` reports the mail that `EMAIL_SENT` reports too; together they are one event.
 * - A bounce has the notice of the mail server in `reply`, with `automated_reply` true.
 * - The test webhook sends a sample lead and looks like an event.
 *
 * Mapping: a reply with `automated_reply` is a category ("Auto reply"), not a reply, because it must neither count as contact nor
 * reach a sales rep. UNTRACKED_REPLY_RECEIVED (a reply outside any campaign) is an EMAIL_REPLY of its sender. Events without a lead
 * (sender accounts, warm-up, tags, which name a lead only by its id) are ignored.
 */
export function parseEmailbison(item: JsonObject, context: ItemContext): ItemResult {
  const source = objectField(item, 'event');
  const ownName = toEventName(field(source, 'type'));
  if (ownName === null) return { outcome: 'unparsed', reason: 'no event name in event.type' };
  if (isTestName(ownName)) return { outcome: 'ignored', reason: 'test ping' };

  const data = objectField(item, 'data');
  const reply = objectField(data, 'reply');
  const isUntracked = ownName === 'UNTRACKED_REPLY_RECEIVED';
  if (isUntracked && toEventName(field(reply, 'type')) === 'BOUNCED') {
    return { outcome: 'ignored', reason: 'a bounce outside any campaign concerns no lead' };
  }
  const lead = objectField(data, 'lead');
  const toEmail = toEmailAddress(isUntracked ? field(reply, 'from_email_address') : field(lead, 'email'));
  if (toEmail === null) {
    return EVENT_TYPES.has(ownName)
      ? { outcome: 'unparsed', reason: `${ownName} without a lead email` }
      : { outcome: 'ignored', reason: `${ownName} concerns no lead` };
  }

  const category = readCategory(ownName, reply);
  const eventType = category === null ? (EVENT_TYPES.get(ownName) ?? ownName) : 'LEAD_CATEGORY_UPDATED';
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
      contact: readContact(lead, toEmail, isUntracked ? reply : {}),
      fromEmail: firstOf(
        [
          field(objectField(data, 'sender_email'), 'email'),
          // A manual mail names the lead here.
          ownName === MANUAL ? undefined : field(reply, 'primary_to_email_address'),
        ],
        toEmailAddress,
      ),
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

function readCategory(ownName: string, reply: JsonObject): InboundCategory | null {
  if (ownName === 'LEAD_INTERESTED') return { id: 'lead_interested', name: 'Interested' };
  const isReply = EVENT_TYPES.get(ownName) === 'EMAIL_REPLY';
  return isReply && field(reply, 'automated_reply') === true ? { id: 'automated_reply', name: 'Auto reply' } : null;
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
  const variables = readVariables(lead);
  const named = (...names: string[]) => names.map((name) => variables.get(name));
  const sender = splitName(field(untracked, 'from_name'));
  return {
    email,
    profileUrl: firstOf(named('linkedin', 'linkedinurl', 'linkedinprofile'), toProfileUrl),
    firstName: toText(field(lead, 'first_name')) ?? sender.firstName,
    lastName: toText(field(lead, 'last_name')) ?? sender.lastName,
    companyName: toText(field(lead, 'company')),
    companyDomain: firstOf(named('companydomain', 'companyurl', 'companywebsite', 'website', 'domain'), toDomain),
    jobTitle: toText(field(lead, 'title')),
    phone: firstOf(named('phone', 'phonenumber'), toPhone),
  };
}

const VARIABLES_MAX = 500;

/** Indexes the user's own variables, a list of `{ name, value }`, by the letters and digits of their names. */
function readVariables(lead: JsonObject): ReadonlyMap<string, unknown> {
  const list = field(lead, 'custom_variables');
  const variables = new Map<string, unknown>();
  for (const variable of Array.isArray(list) ? list.slice(0, VARIABLES_MAX) : []) {
    if (!isJsonObject(variable)) continue;
    const name = toText(field(variable, 'name'), 64)
      ?.toLowerCase()
      .replaceAll(/[^a-z0-9]/g, '');
    if (name !== undefined && !variables.has(name)) variables.set(name, field(variable, 'value'));
  }
  return variables;
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
