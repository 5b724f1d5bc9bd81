import { BLANK_CONTACT, withBlanks } from './blank-event.ts';
import { deriveKey, toBodyKey } from './event-key.ts';
import { isTestName, toEventName } from './event-name.ts';
import { splitName, toEmailAddress, toInstant, toProfileUrl } from './field-values.ts';
import {
  BODY_TEXT_MAX,
  field,
  firstOf,
  isJsonObject,
  type JsonObject,
  objectField,
  toId,
  toText,
} from './json-fields.ts';
import type { InboundContact, ItemContext, ItemResult } from './types.ts';

/**
 * Reads an event of HeyReach. Partial.
 *
 * What is known: HeyReach publishes the event names, not the bodies. The envelope (`event_type`, `timestamp`,
 * `correlation_id`, and the objects `lead`, `campaign` and `sender`) and the body of a reply are those that receivers of
 * other people read; one of them says that real posts of March 2026 had the same envelope for connection requests. So the
 * envelope is read for every event, and an event is made only when it names the lead's profile or address. Those receivers
 * also read `email_address` and `enriched_email` of the lead, `email_address` of the sender, `message_text`, and
 * `connection_message` of connection requests.
 *
 * In practice:
 * - `event_type` is in lower case, and sometimes absent from replies. A post without it is a reply if `recent_messages` has
 *   a message of the lead.
 * - `is_inmail` says whether `every_message_reply_received` is about an InMail.
 * - A reply is posted as `message_reply_received` (the first one) and as `every_message_reply_received`, each to every hook
 *   that wants it. Whether these have one `correlation_id` is unknown, and it may be shared by several events of a lead. So
 *   the key is the event, the people and the time: that of the newest message of a reply, `timestamp` otherwise. The id
 *   counts only without a time, and the body only without both.
 *
 * Mapping: where `lead_tag_updated` names the changed tag is unknown, so it is not read. `campaign_completed` concerns no
 * lead. Other names of a lead are kept as event types.
 */
export function parseHeyreach(item: JsonObject, context: ItemContext): ItemResult {
  const lead = objectField(item, 'lead');
  const reply = readNewestReply(item);
  const ownName = toEventName(field(item, 'event_type'));
  const name = ownName ?? (reply === null ? null : 'EVERY_MESSAGE_REPLY_RECEIVED');
  if (name === null)
    return { outcome: 'unparsed', reason: 'no event_type, and no message of the lead in recent_messages' };
  if (isTestName(name)) return { outcome: 'ignored', reason: 'test ping' };
  if (name === 'CAMPAIGN_COMPLETED') return { outcome: 'ignored', reason: `${name} concerns no lead` };
  if (name === 'LEAD_TAG_UPDATED') return { outcome: 'unparsed', reason: `it is unknown where ${name} names the tag` };

  const contact = readContact(lead);
  const toEmail = contact.email ?? contact.profileUrl;
  if (toEmail === null) return { outcome: 'unparsed', reason: `${name} without lead.profile_url or an address` };

  const eventType = REPLIES.has(name)
    ? name.startsWith('INMAIL') || field(item, 'is_inmail') === true
      ? 'INMAIL_REPLY'
      : 'MESSAGE_REPLY'
    : (EVENT_TYPES.get(name) ?? name);
  const message = REPLIES.has(name) ? reply : null;
  const occurredAt = message?.at ?? toInstant(field(item, 'timestamp'));
  const campaign = objectField(item, 'campaign');
  const sender = objectField(item, 'sender');
  const correlationId = toId(field(item, 'correlation_id'));
  const people = [eventType, contact.profileUrl ?? toEmail, toId(field(sender, 'id'))];
  return {
    outcome: 'event',
    event: withBlanks({
      eventKey:
        occurredAt !== null
          ? deriveKey([...people, occurredAt.toISOString()])
          : correlationId !== null
            ? deriveKey([...people, correlationId, 'correlation'])
            : toBodyKey(context),
      eventType,
      toEmail,
      occurredAt,
      contact,
      fromEmail: toEmailAddress(field(sender, 'email_address')),
      campaign: { id: toId(field(campaign, 'id')), name: toText(field(campaign, 'name')) },
      bodyText: message?.text ?? readText(item, eventType),
    }),
  };
}

const REPLIES: ReadonlySet<string> = new Set([
  'MESSAGE_REPLY_RECEIVED',
  'EVERY_MESSAGE_REPLY_RECEIVED',
  'INMAIL_REPLY_RECEIVED',
]);

const EVENT_TYPES: ReadonlyMap<string, string> = new Map([
  ['MESSAGE_SENT', 'MESSAGE_SENT'],
  ['INMAIL_SENT', 'INMAIL_SENT'],
  ['CONNECTION_REQUEST_SENT', 'CONNECTION_REQUEST_SENT'],
  ['CONNECTION_REQUEST_ACCEPTED', 'CONNECTION_REQUEST_ACCEPTED'],
  ['FOLLOW_SENT', 'FOLLOW_SENT'],
  ['LIKED_POST', 'POST_LIKED'],
  ['VIEWED_PROFILE', 'PROFILE_VIEWED'],
]);

function readContact(lead: JsonObject): InboundContact {
  const whole = splitName(field(lead, 'full_name'));
  return {
    ...BLANK_CONTACT,
    email: firstOf([field(lead, 'email_address'), field(lead, 'enriched_email')], toEmailAddress),
    profileUrl: toProfileUrl(field(lead, 'profile_url')),
    firstName: toText(field(lead, 'first_name')) ?? whole.firstName,
    lastName: toText(field(lead, 'last_name')) ?? whole.lastName,
    companyName: toText(field(lead, 'company_name')),
    jobTitle: toText(field(lead, 'position')),
  };
}

/** A conversation can be long; the newest messages are last. */
const MESSAGES_MAX = 200;

/** Returns the newest message of the lead; null when there is none. */
function readNewestReply(item: JsonObject): { text: string | null; at: Date | null } | null {
  const messages = field(item, 'recent_messages');
  let newest: { text: string | null; at: Date | null } | null = null;
  for (const message of Array.isArray(messages) ? messages.slice(-MESSAGES_MAX) : []) {
    if (!isJsonObject(message) || field(message, 'is_reply') !== true) continue;
    const at = toInstant(field(message, 'creation_time'));
    if (newest === null || (at?.getTime() ?? 0) >= (newest.at?.getTime() ?? 0)) {
      newest = { text: toText(field(message, 'message'), BODY_TEXT_MAX), at };
    }
  }
  return newest;
}

function readText(item: JsonObject, eventType: string): string | null {
  if (eventType === 'CONNECTION_REQUEST_SENT') return toText(field(item, 'connection_message'), BODY_TEXT_MAX);
  return MESSAGES.has(eventType) ? toText(field(item, 'message_text'), BODY_TEXT_MAX) : null;
}

const MESSAGES: ReadonlySet<string> = new Set(['MESSAGE_SENT', 'MESSAGE_REPLY', 'INMAIL_SENT', 'INMAIL_REPLY']);
