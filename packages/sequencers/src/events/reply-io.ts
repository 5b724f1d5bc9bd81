import { withBlanks } from './blank-event.ts';
import { AUTO_REPLY, toStatusCategory } from './categories.ts';
import { readColumnContact, readColumns, valuesOf } from './columns.ts';
import { deriveKey, toBodyKey } from './event-key.ts';
import { isTestName, toEventName } from './event-name.ts';
import { toEmailAddress, toInstant } from './field-values.ts';
import { field, firstOf, type JsonObject, objectField, toId, toInteger, toText } from './json-fields.ts';
import { namedValues } from './lead-fields.ts';
import type { InboundCategory, ItemContext, ItemResult } from './types.ts';

/**
 * Reads an event of Reply. Partial.
 *
 * What is known, from the vendor's documentation (docs.reply.io/webhook-event-payloads, read on 2026-11-26): every delivery has
 * an envelope `event` (`id`, `type`, `date`), and beside it `contact_fields` with `id`, `email` and `first_name`,
 * `contact_custom_fields` with the user's own titles as keys, `sequence_fields`, and `reply_reason` of a reply. We have not seen
 * the rest of these objects, nor the fields of single events (the text of a reply, the clicked link, the category). `last_name` is
 * concluded from `first_name`. The API lists past events in another form: `payload.contact`, `payload.customFields` and
 * `payload.sequence`, in camel case; it is read too, so that such a list can be posted.
 *
 * - `reply_reason` is `EmailDetected` when Reply found the mail. Another value says that a user marked the contact as replied: no mail
 *   came, so it is the category "Replied", which is neither contact nor relayed.
 * - `event.id` is documented as the id to recognize repeated deliveries by. It is unique for a delivery, so two
 *   subscriptions of one type make two events.
 * - `contact_custom_fields` is sent only to subscriptions with `payloadConfig.includeProspectCustomFields: true` (the same page, read on
 *   2026-11-27). The page shows no tags and no link to the contact.
 * - An event without the contact's address is not understood, because `contact_fields.id` means nothing outside Reply.
 *
 * Mapping: an automatic reply is a category ("Auto reply"), not a reply; `meeting_booked` is the category "Meeting booked". A message on LinkedIn is a MESSAGE_SENT, also
 * when it was an InMail, because the event does not say which. Where `reply_categorized` names the category is unknown, so it is
 * not read. Events of mailboxes and accounts are ignored. Other names are kept as event types.
 */
export function parseReplyIo(item: JsonObject, context: ItemContext): ItemResult {
  const envelope = objectField(item, 'event');
  const ownName = toEventName(field(envelope, 'type'));
  if (ownName === null) return { outcome: 'unparsed', reason: 'no event name in event.type' };
  if (isTestName(ownName)) return { outcome: 'ignored', reason: 'test ping' };
  if (/(?:^|_)ACCOUNT_/.test(ownName)) return { outcome: 'ignored', reason: `${ownName} concerns no lead` };
  if (ownName.endsWith('REPLY_CATEGORIZED')) {
    return { outcome: 'unparsed', reason: `it is unknown where ${ownName} names the category` };
  }

  const payload = objectField(item, 'payload');
  const person = readColumns(objectField(item, 'contact_fields'), objectField(payload, 'contact'));
  const toEmail = firstOf([person.get('email')], toEmailAddress);
  if (toEmail === null) {
    return { outcome: 'unparsed', reason: `${ownName} without contact_fields.email` };
  }
  const own = readColumns(objectField(item, 'contact_custom_fields'), objectField(payload, 'customFields'));
  // What Reply says of the contact comes before the fields that users made.
  const contact = {
    ...readColumnContact(new Map([...own, ...person]), toEmail, {
      wholeName: ['fullname'],
      custom: [field(item, 'contact_custom_fields'), field(payload, 'customFields')].flatMap(namedValues),
    }),
    leadId: toId(person.get('id')),
  };

  const category = readCategory(ownName, item);
  const eventType = category === null ? (EVENT_TYPES.get(ownName) ?? ownName) : 'LEAD_CATEGORY_UPDATED';
  const id = toId(field(envelope, 'id'));
  const sequence = readColumns(objectField(item, 'sequence_fields'), objectField(payload, 'sequence'));
  return {
    outcome: 'event',
    event: withBlanks({
      eventKey: id === null ? toBodyKey(context) : deriveKey([id, toKeyType(ownName), toEmail]),
      eventType,
      toEmail,
      occurredAt: firstOf([field(envelope, 'date'), field(envelope, 'timestamp')], toInstant),
      contact,
      campaign: {
        id: firstOf(valuesOf(sequence, 'id', 'sequenceid'), toId),
        name: firstOf(valuesOf(sequence, 'name', 'sequencename'), toText),
      },
      category,
      sequenceNumber: toInteger(sequence.get('stepnumber')),
    }),
  };
}

const AUTO_REPLIES: ReadonlySet<string> = new Set(['EMAIL_AUTO_REPLY', 'AUTO_REPLY_RECEIVED']);
const MAIL_DETECTED = 'EMAILDETECTED';

function readCategory(ownName: string, item: JsonObject): InboundCategory | null {
  const id = ownName.toLowerCase();
  if (AUTO_REPLIES.has(ownName)) return { id, name: AUTO_REPLY };
  if (ownName === 'MEETING_BOOKED') return toStatusCategory(id, ownName);
  const reason = toEventName(field(item, 'reply_reason'));
  const isMarked = ownName === 'EMAIL_REPLIED' && reason !== null && reason.replaceAll('_', '') !== MAIL_DETECTED;
  return isMarked ? { id, name: 'Replied' } : null;
}

/** The type in the key is the one from before a name became a category, so that an event that was read before keeps its key. */
function toKeyType(ownName: string): string {
  return AUTO_REPLIES.has(ownName) ? 'LEAD_CATEGORY_UPDATED' : (EVENT_TYPES.get(ownName) ?? ownName);
}

/** The names of the present catalogue, and the older `link_clicked` and `email_unsubscribed`. */
const EVENT_TYPES: ReadonlyMap<string, string> = new Map([
  ['EMAIL_SENT', 'EMAIL_SENT'],
  ['EMAIL_OPENED', 'EMAIL_OPEN'],
  ['EMAIL_LINK_CLICKED', 'EMAIL_LINK_CLICK'],
  ['LINK_CLICKED', 'EMAIL_LINK_CLICK'],
  ['EMAIL_REPLIED', 'EMAIL_REPLY'],
  ['EMAIL_BOUNCED', 'EMAIL_BOUNCE'],
  ['EMAIL_UNSUBSCRIBED', 'LEAD_UNSUBSCRIBED'],
  ['CONTACT_OPTED_OUT', 'LEAD_UNSUBSCRIBED'],
  ['CONTACT_CALLED', 'CALL_COMPLETED'],
  ['LINKEDIN_CONNECTION_REQUEST_SENT', 'CONNECTION_REQUEST_SENT'],
  ['LINKEDIN_CONNECTION_REQUEST_ACCEPTED', 'CONNECTION_REQUEST_ACCEPTED'],
  ['LINKEDIN_MESSAGE_SENT', 'MESSAGE_SENT'],
  ['LINKEDIN_MESSAGE_REPLIED', 'MESSAGE_REPLY'],
]);
