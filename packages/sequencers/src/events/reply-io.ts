import { BLANK_CONTACT, withBlanks } from './blank-event.ts';
import { deriveKey, toBodyKey } from './event-key.ts';
import { isTestName, toEventName } from './event-name.ts';
import { splitName, toEmailAddress, toInstant } from './field-values.ts';
import { field, firstOf, type JsonObject, objectField, toId, toInteger, toText } from './json-fields.ts';
import type { InboundContact, ItemContext, ItemResult } from './types.ts';

/**
 * Reads an event of Reply. Partial.
 *
 * What is known, from the vendor's documentation: every delivery has an envelope `event` (`id`, `type`, `date`), and beside
 * it `contact_fields` with `id`, `email` and `first_name`, and `sequence_fields`. We have not seen the rest of these two
 * objects, nor the fields of single events (the text of a reply, the clicked link, the category). `last_name` is
 * concluded from `first_name`. The API lists past events in another form: `payload.contact` and `payload.sequence`, in
 * camel case; it is read too, so that such a list can be posted.
 *
 * - `event.id` is documented as the id to recognize repeated deliveries by. It is unique for a delivery, so two
 *   subscriptions of one type make two events.
 * - An event without the contact's address is not understood, because `contact_fields.id` means nothing outside Reply.
 *
 * Mapping: an automatic reply is a category ("Auto reply"), not a reply. A message on LinkedIn is a MESSAGE_SENT, also
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
  const contact = readContact(objectField(item, 'contact_fields'), objectField(payload, 'contact'));
  const toEmail = contact.email;
  if (toEmail === null) {
    return { outcome: 'unparsed', reason: `${ownName} without contact_fields.email` };
  }

  const isAutoReply = ownName === 'EMAIL_AUTO_REPLY' || ownName === 'AUTO_REPLY_RECEIVED';
  const eventType = isAutoReply ? 'LEAD_CATEGORY_UPDATED' : (EVENT_TYPES.get(ownName) ?? ownName);
  const id = toId(field(envelope, 'id'));
  const sequence = objectField(payload, 'sequence');
  return {
    outcome: 'event',
    event: withBlanks({
      eventKey: id === null ? toBodyKey(context) : deriveKey([id, eventType, toEmail]),
      eventType,
      toEmail,
      occurredAt: firstOf([field(envelope, 'date'), field(envelope, 'timestamp')], toInstant),
      contact,
      campaign: { id: toId(field(sequence, 'id')), name: null },
      category: isAutoReply ? { id: ownName.toLowerCase(), name: 'Auto reply' } : null,
      sequenceNumber: toInteger(field(sequence, 'stepNumber')),
    }),
  };
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

function readContact(delivered: JsonObject, listed: JsonObject): InboundContact {
  const whole = splitName(field(listed, 'fullName'));
  return {
    ...BLANK_CONTACT,
    email: firstOf([field(delivered, 'email'), field(listed, 'email')], toEmailAddress),
    firstName: firstOf([field(delivered, 'first_name'), field(listed, 'firstName')], toText) ?? whole.firstName,
    lastName: firstOf([field(delivered, 'last_name'), field(listed, 'lastName')], toText) ?? whole.lastName,
    companyName: toText(field(listed, 'company')),
    jobTitle: toText(field(listed, 'title')),
  };
}
