import { BLANK_CONTACT, withBlanks } from './blank-event.ts';
import { toStatusCategory } from './categories.ts';
import { deriveKey, toBodyKey } from './event-key.ts';
import { isTestName, toEventName } from './event-name.ts';
import { splitName, toDomain, toEmailAddress, toInstant, toPhone, toProfileUrl } from './field-values.ts';
import { field, firstOf, type JsonObject, objectField, toId, toText } from './json-fields.ts';
import { namedValues, toCustomFields, toTags } from './lead-fields.ts';
import type { InboundContact, ItemContext, ItemResult } from './types.ts';

/**
 * Reads an event of Salesloft. Partial: only people can be read.
 *
 * What is known, from the vendor's documentation: the event's name is in the header `x-salesloft-event` and nowhere else, and
 * the body is the bare object of the API that was created, updated or deleted. A person has an
 * address (`email_address`), and a meeting has the address of the person invited (`recipient_email`;
 * developer.salesloft.com/docs/api/meetings-update, read on 2026-11-26). Calls and tasks name their person by id, and an email event does not say what changed: an open,
 * a click and a reply all update the email. So calls, tasks and emails are kept without being understood.
 *
 * - A person has `custom_fields`, an object by the fields' names, and `tags`, a list of texts (the API's person object, as public
 *   integrations show it, read on 2026-11-27). `_href` and `crm_url` are not links to the person in Salesloft.
 * - There is no event id. The object's id, the event and `updated_at` identify it; a repeat after a failure is the same
 *   object.
 *
 * Mapping: `meeting_booked` is the category "Meeting booked". `person_created` and `person_updated` are kept as event types; they are no touch. A deleted person is ignored, because
 * writing it would bring it back, and so are objects that belong to no person (accounts, cadences, users, ...).
 */
export function parseSalesloft(item: JsonObject, context: ItemContext): ItemResult {
  const ownName = toEventName(context.headers['x-salesloft-event']);
  if (ownName === null) return { outcome: 'unparsed', reason: 'no event name in the header x-salesloft-event' };
  if (isTestName(ownName)) return { outcome: 'ignored', reason: 'test ping' };
  if (ownName === 'PERSON_DELETED' || WITHOUT_PERSON.test(ownName)) {
    return { outcome: 'ignored', reason: `${ownName} concerns no lead` };
  }
  if (ownName === MEETING_BOOKED) return readMeeting(item, context);
  if (!ownName.startsWith('PERSON_')) {
    return { outcome: 'unparsed', reason: `${ownName} does not say whom it is about, or what happened` };
  }

  const contact = readContact(item);
  const toEmail = contact.email ?? contact.profileUrl;
  if (toEmail === null) return { outcome: 'unparsed', reason: `${ownName} without email_address` };

  const id = toId(field(item, 'id'));
  const occurredAt = firstOf([field(item, 'updated_at'), field(item, 'created_at')], toInstant);
  return {
    outcome: 'event',
    event: withBlanks({
      eventKey:
        id === null || occurredAt === null
          ? toBodyKey(context)
          : deriveKey([ownName, id, toEmail, occurredAt.toISOString()]),
      eventType: ownName,
      toEmail,
      occurredAt,
      contact,
    }),
  };
}

const MEETING_BOOKED = 'MEETING_BOOKED';

function readMeeting(meeting: JsonObject, context: ItemContext): ItemResult {
  const toEmail = toEmailAddress(field(meeting, 'recipient_email'));
  if (toEmail === null) return { outcome: 'unparsed', reason: `${MEETING_BOOKED} without recipient_email` };
  const id = toId(field(meeting, 'id'));
  return {
    outcome: 'event',
    event: withBlanks({
      eventKey: id === null ? toBodyKey(context) : deriveKey([MEETING_BOOKED, id, toEmail]),
      eventType: 'LEAD_CATEGORY_UPDATED',
      toEmail,
      occurredAt: firstOf([field(meeting, 'created_at'), field(meeting, 'updated_at')], toInstant),
      contact: {
        ...BLANK_CONTACT,
        email: toEmail,
        ...splitName(field(meeting, 'recipient_name')),
        leadId: toId(field(objectField(meeting, 'person'), 'id')),
      },
      subject: toText(field(meeting, 'title')),
      category: toStatusCategory(MEETING_BOOKED, MEETING_BOOKED),
    }),
  };
}

const WITHOUT_PERSON = /^(?:ACCOUNT|BULK_JOB|CADENCE|STEP|USER)_(?:CREATED|UPDATED|DELETED|COMPLETED)$/;

function readContact(person: JsonObject): InboundContact {
  return {
    ...BLANK_CONTACT,
    email: toEmailAddress(field(person, 'email_address')),
    profileUrl: toProfileUrl(field(person, 'linkedin_url')),
    firstName: toText(field(person, 'first_name')),
    lastName: toText(field(person, 'last_name')),
    companyName: toText(field(person, 'person_company_name')),
    companyDomain: toDomain(field(person, 'person_company_website')),
    jobTitle: toText(field(person, 'title')),
    phone: firstOf([field(person, 'phone'), field(person, 'mobile_phone')], toPhone),
    custom: toCustomFields(namedValues(field(person, 'custom_fields'))),
    tags: toTags(field(person, 'tags')),
    leadId: toId(field(person, 'id')),
  };
}
