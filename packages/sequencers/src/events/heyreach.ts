import { withBlanks } from './blank-event.ts';
import { toStatusCategory } from './categories.ts';
import { type Columns, readColumnContact, readColumns, valuesOf } from './columns.ts';
import { deriveKey, toBodyKey } from './event-key.ts';
import { isTestName, toEventName } from './event-name.ts';
import { isSalesNavigatorUrl, toEmailAddress, toInstant } from './field-values.ts';
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
import { toTags } from './lead-fields.ts';
import type { InboundCategory, InboundContact, ItemContext, ItemResult } from './types.ts';

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
 * - Other receivers read the same posts with other spellings: `eventType`, the lead as `leadProfile` or `linkedInLead`, its fields in camel
 *   case, and for `LEAD_AUTO_TAGGED_...` a flat body with `leadProfileUrl`, `leadFirstName`, ... (a receiver's tests of 2026 say that
 *   production sent it). Which of them HeyReach sends today nobody verified, so all are read. The sender's own profile never counts.
 * - `is_inmail` says whether `every_message_reply_received` is about an InMail.
 * - `lead.id` and `lead.tags` are read. Custom fields of a lead (`customUserFields` in HeyReach's API) and a link to it were found in no
 *   body (looked for on 2026-11-27).
 * - A reply is posted as `message_reply_received` (the first one) and as `every_message_reply_received`, each to every hook
 *   that wants it. Whether these have one `correlation_id` is unknown, and it may be shared by several events of a lead. So
 *   the key is the event, the people and the time: that of the newest message of a reply, `timestamp` otherwise. The id
 *   counts only without a time, and the body only without both.
 *
 * Mapping: `LEAD_AUTO_TAGGED_INTERESTED` and its siblings are the category that their name ends with, and `MEETING_BOOKED` is
 * "Meeting booked". `LEAD_FINISHED_SEQUENCE_WITHOUT_REPLYING` is an event of that name. Where `lead_tag_updated` names the changed tag is unknown, so it is not read. `campaign_completed` concerns no
 * lead. Other names of a lead are kept as event types.
 */
export function parseHeyreach(item: JsonObject, context: ItemContext): ItemResult {
  const columns = readColumns(item);
  const reply = readNewestReply(item);
  const ownName = firstOf(valuesOf(columns, 'eventtype', 'type', 'event'), toEventName);
  const name = ownName ?? (reply === null ? null : 'EVERY_MESSAGE_REPLY_RECEIVED');
  if (name === null)
    return { outcome: 'unparsed', reason: 'no event_type, and no message of the lead in recent_messages' };
  if (isTestName(name)) return { outcome: 'ignored', reason: 'test ping' };
  if (name === 'CAMPAIGN_COMPLETED') return { outcome: 'ignored', reason: `${name} concerns no lead` };
  if (name === 'LEAD_TAG_UPDATED') return { outcome: 'unparsed', reason: `it is unknown where ${name} names the tag` };

  const lead = readLead(item, columns);
  const contact = readContact(lead);
  const toEmail = contact.email ?? contact.profileUrl;
  if (toEmail === null) {
    const isSalesNavigator = valuesOf(lead, 'profileurl', 'linkedinurl').some(isSalesNavigatorUrl);
    const reason = isSalesNavigator ? ONLY_SALES_NAVIGATOR : 'without lead.profile_url or an address';
    return { outcome: 'unparsed', reason: `${name} ${reason}` };
  }

  const category = readCategory(name);
  const knownType = REPLIES.has(name)
    ? name.startsWith('INMAIL') || field(item, 'is_inmail') === true
      ? 'INMAIL_REPLY'
      : 'MESSAGE_REPLY'
    : (EVENT_TYPES.get(name) ?? name);
  const eventType = category === null ? knownType : 'LEAD_CATEGORY_UPDATED';
  const message = REPLIES.has(name) ? reply : null;
  const occurredAt = message?.at ?? toInstant(columns.get('timestamp'));
  const campaign = readColumns(objectField(item, 'campaign'));
  const sender = objectField(item, 'sender');
  const correlationId = toId(columns.get('correlationid'));
  const people = [knownType, contact.profileUrl ?? toEmail, toId(field(sender, 'id'))];
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
      campaign: {
        id: firstOf([campaign.get('id'), columns.get('campaignid')], toId),
        name: firstOf([campaign.get('name'), columns.get('campaignname')], toText),
      },
      bodyText: message?.text ?? readText(item, eventType),
      category,
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

/** The lead's fields: an object of its own, or columns of a flat body that begin with `lead`. */
function readLead(item: JsonObject, columns: Columns): Columns {
  const objects = ['lead', 'leadProfile', 'linkedInLead'].map((name) => objectField(item, name));
  const flat = [...columns].flatMap(([name, value]) =>
    name.startsWith('lead') && !isJsonObject(value) ? [[name.slice('lead'.length), value] as const] : [],
  );
  return readColumns(...objects, Object.fromEntries(flat));
}

function readContact(lead: Columns): InboundContact {
  const email = firstOf(valuesOf(lead, 'emailaddress', 'email', 'enrichedemail'), toEmailAddress);
  return {
    ...readColumnContact(lead, email, { wholeName: ['fullname'] }),
    tags: toTags(lead.get('tags')),
    leadId: toId(lead.get('id')),
  };
}

const AUTO_TAGGED = 'LEAD_AUTO_TAGGED_';

function readCategory(name: string): InboundCategory | null {
  if (name === 'MEETING_BOOKED') return toStatusCategory(name, name);
  return name.startsWith(AUTO_TAGGED) && name !== AUTO_TAGGED
    ? toStatusCategory(name, name.slice(AUTO_TAGGED.length))
    : null;
}

const ONLY_SALES_NAVIGATOR =
  'has only a link of Sales Navigator, which names no public profile: give the lead an address or a profile URL at HeyReach';

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
  if (!MESSAGES.has(eventType)) return null;
  const places = [field(item, 'message_text'), field(objectField(item, 'message'), 'text'), field(item, 'message')];
  return firstOf(places, (value) => toText(value, BODY_TEXT_MAX));
}

const MESSAGES: ReadonlySet<string> = new Set(['MESSAGE_SENT', 'MESSAGE_REPLY', 'INMAIL_SENT', 'INMAIL_REPLY']);
