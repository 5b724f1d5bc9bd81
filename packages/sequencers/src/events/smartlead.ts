import type { ReplySender } from '@svc/domain/contacts/event-contact';
import { isMailSystem } from '@svc/domain/contacts/mail-system';
import { findBouncedAddress, isDelayNotice } from './bounce-notice.ts';
import { deriveKey } from './event-key.ts';
import { isTestName, toEventName } from './event-name.ts';
import {
  splitName,
  toDisplayName,
  toDomain,
  toEmailAddress,
  toInstant,
  toLinkUrls,
  toPhone,
  toProfileUrl,
} from './field-values.ts';
import { BODY_TEXT_MAX, field, firstOf, type JsonObject, objectField, toId, toInteger, toText } from './json-fields.ts';
import { fieldsExcept, toCustomFields, toLeadUrl } from './lead-fields.ts';
import type { InboundCategory, InboundContact, ItemContext, ItemResult } from './types.ts';

/**
 * Reads an event of Smartlead.
 *
 * The documentation promises one object per POST with `event_type`, the lead in `to_email`, an `X-Request-Id` for
 * deduplication, and a retry only after a 5xx or a timeout.
 *
 * In practice:
 * - Three shapes are documented: *classic* (flat, with `sent_message`, `reply_message`, ...), *flat* (`event_type` and a dozen
 *   keys) and *nested* (`event`, `lead`, `email`, `reply`). Each value is looked for in every known place. Read on 2026-11-26:
 *   help.smartlead.ai "Webhook Guide Updated"; api.smartlead.ai: core/webhooks, guides/webhook-integration, reference/email-reply-webhooks.
 * - `to_email` of a reply is the lead, an alias or a colleague of the lead, or our own mailbox. `sl_lead_email`, when present, is the
 *   lead. `leadCorrespondence` names the lead and who wrote the reply. `to_name` is the writer's name then.
 * - The top-level `message_id` of a reply is the id of the message that was answered.
 * - Custom fields are in `lead_data.custom_fields` or `lead.custom_fields`. The lead's id is `sl_email_lead_id` ("lead id", help.smartlead.ai
 *   "Threaded Replies", read on 2026-11-27), `lead_id` or `lead.id`. `app_url`, formerly `ui_master_inbox_link`, shows the lead's
 *   conversation when it has `leadMap`, as receivers of other people show. No page lists tags.
 * - Ids are numbers or strings; `link_clicked`, `link_details` and `link` are a string, a count, an object or a list.
 * - Proxies set `X-Request-Id` too: some a new one per hop, which would make a retry a new event, some a constant. It is used
 *   only when the payload has neither a row id nor a time, and together with the hash of the body.
 *
 * Mapping: UNTRACKED_REPLIES (a reply outside any campaign) is an EMAIL_REPLY of its sender, and the notice of a mail server among
 * them an EMAIL_BOUNCE of the recipient that it names. Campaign events without a lead are
 * ignored. Message bodies are read only for sent, reply and bounce events, because an open repeats the whole sent mail. A reply from
 * another address than the lead's is an event of the lead with that sender; it names nobody's contact.
 */
export function parseSmartlead(item: JsonObject, context: ItemContext): ItemResult {
  const ownName = firstOf([field(item, 'event_type'), field(item, 'event'), field(item, 'type')], toEventName);
  if (ownName === null) return { outcome: 'unparsed', reason: 'no event name in event_type or event' };
  if (isTestName(ownName)) return { outcome: 'ignored', reason: 'test ping' };

  const isNotice = isBounceNotice(item, ownName);
  const eventType = isNotice ? 'EMAIL_BOUNCE' : (EVENT_TYPES.get(ownName) ?? ownName);
  const toEmail = isNotice ? readBouncedAddress(item) : readLeadEmail(item, ownName);
  if (toEmail === null) {
    if (isNotice) return { outcome: 'ignored', reason: 'a notice of a mail server that names no recipient' };
    return EVENT_TYPES.has(ownName)
      ? { outcome: 'unparsed', reason: `${ownName} without a lead email` }
      : { outcome: 'ignored', reason: `${ownName} concerns no lead` };
  }

  const message = readMessage(item, isNotice ? 'EMAIL_REPLY' : eventType);
  const campaignId = firstOf([field(item, 'campaign_id'), field(objectField(item, 'campaign'), 'id')], toId);
  const category = readCategory(item);
  const occurredAt = firstOf(readTimes(item), toInstant);
  const sequenceNumber = toInteger(field(item, 'sequence_number'));
  const linkUrls = toLinkUrls([field(item, 'link_clicked'), field(item, 'link_details'), field(item, 'link')]);
  const replySender = eventType === 'EMAIL_REPLY' ? readReplySender(item, toEmail) : null;
  return {
    outcome: 'event',
    event: {
      eventKey: toEventKey(item, context, [
        eventType,
        toEmail,
        campaignId,
        message.id,
        category?.id ?? category?.name ?? null,
        sequenceNumber === null ? null : String(sequenceNumber),
        ...linkUrls,
      ]),
      eventType,
      toEmail,
      occurredAt,
      contact: readContact(item, toEmail, { replySender, isNotice }),
      fromEmail: readOwnMailbox(item, [toEmail, replySender?.email]),
      replySender,
      campaign: {
        id: campaignId,
        name: firstOf([field(item, 'campaign_name'), field(objectField(item, 'campaign'), 'name')], toText),
      },
      subject: message.subject,
      bodyHtml: message.html,
      bodyText: message.text,
      messageId: message.id,
      answeredMessageId: eventType === 'EMAIL_REPLY' ? readAnsweredId(item) : null,
      category,
      linkUrls,
      sequenceNumber,
    },
  };
}

/** Event names of all three shapes. EMAIL_REPLIED is the only name in the past tense that has been observed. */
const EVENT_TYPES: ReadonlyMap<string, string> = new Map([
  ['EMAIL_SENT', 'EMAIL_SENT'],
  ['EMAIL_OPEN', 'EMAIL_OPEN'],
  ['EMAIL_OPENED', 'EMAIL_OPEN'],
  ['EMAIL_LINK_CLICK', 'EMAIL_LINK_CLICK'],
  ['EMAIL_LINK_CLICKED', 'EMAIL_LINK_CLICK'],
  ['EMAIL_CLICKED', 'EMAIL_LINK_CLICK'],
  ['LINK_CLICKED', 'EMAIL_LINK_CLICK'],
  ['EMAIL_REPLY', 'EMAIL_REPLY'],
  ['EMAIL_REPLIED', 'EMAIL_REPLY'],
  ['UNTRACKED_REPLIES', 'EMAIL_REPLY'],
  ['EMAIL_BOUNCE', 'EMAIL_BOUNCE'],
  ['EMAIL_BOUNCED', 'EMAIL_BOUNCE'],
  ['LEAD_UNSUBSCRIBED', 'LEAD_UNSUBSCRIBED'],
  ['EMAIL_UNSUBSCRIBED', 'LEAD_UNSUBSCRIBED'],
  ['LEAD_CATEGORY_UPDATED', 'LEAD_CATEGORY_UPDATED'],
]);

/** Whether an untracked reply is the notice of a mail server. */
function isBounceNotice(item: JsonObject, ownName: string): boolean {
  const sender = ownName === 'UNTRACKED_REPLIES' ? readLeadEmail(item, ownName) : null;
  return sender !== null && isMailSystem(sender);
}

function readBouncedAddress(item: JsonObject): string | null {
  const { subject, text, html } = readMessage(item, 'EMAIL_REPLY');
  const own = toEmailAddress(field(item, 'recipient_detail'));
  return isDelayNotice(subject, text) ? null : findBouncedAddress([text, html], [own]);
}

/** Reads the lead's address, most reliable field first. The contact of an untracked reply is its sender. */
function readLeadEmail(item: JsonObject, ownName: string): string | null {
  if (ownName === 'UNTRACKED_REPLIES') {
    return firstOf([field(item, 'sender_detail'), field(item, 'from_email'), field(item, 'from')], toEmailAddress);
  }
  return firstOf(
    [
      field(item, 'sl_lead_email'),
      field(objectField(item, 'leadCorrespondence'), 'targetLeadEmail'),
      field(item, 'lead_email'),
      field(objectField(item, 'lead'), 'email'),
      field(objectField(item, 'lead_data'), 'email'),
      field(item, 'to_email'),
      field(item, 'to'),
    ],
    toEmailAddress,
  );
}

/** Returns who wrote a reply; null when it was the lead, or when the payload does not say. */
function readReplySender(item: JsonObject, leadEmail: string): ReplySender | null {
  const email =
    toEmailAddress(field(objectField(item, 'leadCorrespondence'), 'replyReceivedFrom')) ??
    readOtherAddress(item, leadEmail);
  if (email === null || email === leadEmail) return null;
  return { email, name: toText(field(item, 'to_name')) };
}

/** `to_email` is the writer beside our mailbox in `from_email`, when neither is the lead. */
function readOtherAddress(item: JsonObject, leadEmail: string): string | null {
  const own = toEmailAddress(field(item, 'from_email'));
  const other = toEmailAddress(field(item, 'to_email'));
  return own === null || own === leadEmail || own === other ? null : other;
}

/** Returns the address that is neither the lead's nor the writer's. On replies, `from_email` and `to_email` may be swapped. */
function readOwnMailbox(item: JsonObject, others: readonly (string | undefined)[]): string | null {
  const places = [
    field(item, 'from_email'),
    field(item, 'recipient_detail'),
    field(item, 'from'),
    field(item, 'to_email'),
  ];
  return firstOf(places, (value) => {
    const address = toEmailAddress(value);
    return address === null || others.includes(address) ? null : address;
  });
}

function readContact(
  item: JsonObject,
  email: string,
  { replySender, isNotice }: { replySender: ReplySender | null; isNotice: boolean },
): InboundContact {
  const lead = objectField(item, 'lead');
  const leadData = objectField(item, 'lead_data');
  const custom = objectField(lead, 'custom_fields');
  const customData = objectField(leadData, 'custom_fields');
  const whole = splitName(
    toText(field(item, 'lead_name')) ??
      (replySender === null ? toText(field(item, 'to_name')) : null) ??
      (isNotice ? null : toDisplayName(field(item, 'sender_detail'))),
  );
  const read = new Set<string>();
  const everywhere = <T>(parse: (value: unknown) => T | null, ...names: string[]): T | null => {
    for (const object of [leadData, lead, customData, custom]) {
      for (const name of names) {
        const value = parse(field(object, name));
        if (value === null) continue;
        read.add(name);
        return value;
      }
    }
    return null;
  };
  const text = (value: unknown) => toText(value);
  const contact = {
    email,
    profileUrl: everywhere(toProfileUrl, 'linkedin_profile', 'linkedin_url', 'linkedin'),
    firstName: everywhere(text, 'first_name') ?? whole.firstName,
    lastName: everywhere(text, 'last_name') ?? whole.lastName,
    companyName: everywhere(text, 'company_name'),
    companyDomain: everywhere(toDomain, 'company_url', 'website'),
    jobTitle: everywhere(text, 'job_title', 'title', 'position'),
    phone: everywhere(toPhone, 'phone_number', 'phone'),
  };
  return {
    ...contact,
    custom: toCustomFields([customData, custom].flatMap((object) => fieldsExcept(object, read))),
    tags: [],
    leadId: firstOf([field(item, 'sl_email_lead_id'), field(item, 'lead_id'), field(lead, 'id')], toId),
    leadUrl: firstOf([field(item, 'app_url'), field(item, 'ui_master_inbox_link')], toLeadLink),
  };
}

/** Returns a link that names a lead. Some posts have only that of the inbox. */
function toLeadLink(value: unknown): string | null {
  const url = toLeadUrl(value);
  return url?.includes('leadMap=') === true ? url : null;
}

interface Message {
  id: string | null;
  subject: string | null;
  html: string | null;
  text: string | null;
}

/** Reads the message of the event: the reply, the bounce notice, or else the sent mail. */
function readMessage(item: JsonObject, eventType: string): Message {
  const sent = objectField(item, 'sent_message');
  const email = objectField(item, 'email');
  const subjects = [field(item, 'subject'), field(item, 'custom_subject'), field(email, 'subject')];
  const sentIds = [field(sent, 'message_id'), field(sent, 'id'), field(email, 'message_id')];
  switch (eventType) {
    case 'EMAIL_REPLY': {
      const message = objectField(item, 'reply_message');
      const nested = objectField(item, 'reply');
      return {
        id: firstOf([field(message, 'message_id'), field(message, 'id'), field(nested, 'message_id')], toId),
        subject: firstOf([field(nested, 'subject'), ...subjects], toText),
        ...readBody(
          [field(message, 'html'), field(item, 'reply_body'), field(nested, 'body')],
          [field(message, 'text'), field(nested, 'text'), field(item, 'visible_text'), field(item, 'preview_text')],
        ),
      };
    }
    case 'EMAIL_BOUNCE': {
      const message = objectField(item, 'bounce_message');
      return {
        id: firstOf([field(message, 'message_id'), field(item, 'bounce_reply_message_id')], toId),
        subject: firstOf(subjects, toText),
        ...readBody(
          [field(message, 'html')],
          [field(message, 'text'), field(item, 'bounce_reply_email'), field(item, 'bounce_reply_email_preview')],
        ),
      };
    }
    case 'EMAIL_SENT':
      return {
        id: firstOf([field(item, 'message_id'), ...sentIds], toId),
        subject: firstOf([field(item, 'custom_subject'), ...subjects], toText),
        ...readBody(
          [field(item, 'custom_email_message'), field(sent, 'html'), field(item, 'sent_message_body')],
          [field(sent, 'text')],
        ),
      };
    default:
      return {
        id: firstOf([...sentIds, field(item, 'message_id')], toId),
        subject: firstOf(subjects, toText),
        html: null,
        text: null,
      };
  }
}

/** Reads the id of the mail that a reply answers. The nested shape has it in `email`. */
function readAnsweredId(item: JsonObject): string | null {
  return firstOf(
    [
      field(item, 'message_id'),
      field(objectField(item, 'sent_message'), 'message_id'),
      field(objectField(item, 'email'), 'message_id'),
    ],
    toId,
  );
}

/** Fields for HTML sometimes hold plain text, so a value without a tag is treated as text. */
function readBody(htmlPlaces: unknown[], textPlaces: unknown[]): { html: string | null; text: string | null } {
  const html = firstOf(htmlPlaces, toBody);
  const text = firstOf(textPlaces, toBody);
  if (html === null || /<[a-z!/]/i.test(html)) return { html, text };
  return { html: null, text: text ?? html };
}

function toBody(value: unknown): string | null {
  return toText(value, BODY_TEXT_MAX);
}

/** Lists the timestamps, most reliable first. */
function readTimes(item: JsonObject): unknown[] {
  return [
    field(item, 'event_timestamp'),
    field(item, 'timestamp'),
    field(item, 'time_replied'),
    field(item, 'time_clicked'),
    field(item, 'time_opened'),
    field(item, 'time_sent'),
    field(objectField(item, 'reply'), 'received_at'),
    field(objectField(item, 'reply_message'), 'time'),
    field(item, 'created_at'),
  ];
}

function readCategory(item: JsonObject): InboundCategory | null {
  const change = objectField(item, 'lead_category');
  const name = firstOf([field(change, 'new_name'), field(change, 'name'), field(item, 'category')], toText);
  if (name === null) return null;
  return { id: firstOf([field(change, 'new_id'), field(change, 'id'), field(item, 'lead_category_id')], toId), name };
}

/**
 * Derives the key from `identity`, the platform's row id and every timestamp. These values are the same on a retry, and when two hooks
 * of a workspace report one event.
 */
function toEventKey(item: JsonObject, context: ItemContext, identity: (string | null)[]): string {
  const statsId = toId(field(item, 'stats_id'));
  const times = readTimes(item).map((time) => toInstant(time)?.toISOString() ?? null);
  const isAnonymous = statsId === null && times.every((time) => time === null);
  const derived = deriveKey([
    statsId,
    ...times,
    ...identity,
    // Without row id and time, only the body identifies a retry.
    ...(isAnonymous ? [context.bodyHash, String(context.index)] : []),
  ]);
  const requestId = context.headers['x-request-id'];
  const isUsable = isAnonymous && requestId !== undefined && /^[\w.:-]{8,128}$/.test(requestId);
  return isUsable ? `${requestId}/${derived}` : derived;
}
