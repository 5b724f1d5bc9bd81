import { BLANK_CONTACT, withBlanks } from './blank-event.ts';
import { deriveKey, toBodyKey } from './event-key.ts';
import { isTestName, toEventName } from './event-name.ts';
import { toEmailAddress, toInstant, toProfileUrl } from './field-values.ts';
import { field, firstOf, type JsonObject, objectField, toId, toText } from './json-fields.ts';
import { namedValues, toCustomFields, toTags } from './lead-fields.ts';
import type { InboundContact, ItemContext, ItemResult } from './types.ts';

/**
 * Reads an event of Outreach. Partial: only prospects can be read.
 *
 * What is known: a post has `data` (`type`, `id`, `attributes`, `relationships`) and `meta` (`eventName`, `deliveredAt`,
 * `jobId`), as two receivers of other people show; the attributes are those of the vendor's API. An update carries only the
 * attributes that changed, so `prospect.updated` has an address only when the address changed. Mailings, calls and tasks
 * name their prospect by id, and their posts were found nowhere, so they are not understood, and kept.
 *
 * - The custom fields of a prospect are its attributes `custom1` to `custom150`, and `tags` is a list of texts (the API's prospect, as
 *   public integrations show it, read on 2026-11-27). No link to the prospect is sent.
 * - `meta.jobId` identifies a delivery; the key adds the event and the record, in case a job has several.
 *
 * Mapping: `prospect.created` and `prospect.updated` are kept as event types; they are no touch. A destroyed prospect is ignored,
 * because writing it would bring it back, and so are records that belong to no prospect (accounts, sequences, users, ...).
 */
export function parseOutreach(item: JsonObject, context: ItemContext): ItemResult {
  const meta = objectField(item, 'meta');
  const ownName = toEventName(field(meta, 'eventName'));
  if (ownName === null) return { outcome: 'unparsed', reason: 'no event name in meta.eventName' };
  if (isTestName(ownName)) return { outcome: 'ignored', reason: 'test ping' };
  if (ownName === 'PROSPECT_DESTROYED' || WITHOUT_PROSPECT.test(ownName)) {
    return { outcome: 'ignored', reason: `${ownName} concerns no lead` };
  }
  if (!ownName.startsWith('PROSPECT_')) {
    return { outcome: 'unparsed', reason: `${ownName} names its prospect by id only` };
  }

  const data = objectField(item, 'data');
  const contact = { ...readContact(objectField(data, 'attributes')), leadId: toId(field(data, 'id')) };
  const toEmail = contact.email ?? contact.profileUrl;
  if (toEmail === null)
    return { outcome: 'unparsed', reason: `${ownName} without an address in data.attributes.emails` };

  const jobId = toId(field(meta, 'jobId'));
  return {
    outcome: 'event',
    event: withBlanks({
      eventKey: jobId === null ? toBodyKey(context) : deriveKey([jobId, ownName, toId(field(data, 'id')) ?? toEmail]),
      eventType: ownName,
      toEmail,
      occurredAt: firstOf(
        [
          field(objectField(data, 'attributes'), 'updatedAt'),
          field(objectField(data, 'attributes'), 'createdAt'),
          field(meta, 'deliveredAt'),
        ],
        toInstant,
      ),
      contact,
    }),
  };
}

const WITHOUT_PROSPECT = /^(?:ACCOUNT|IMPORT|OPPORTUNITY|SEQUENCE|USER)_(?:CREATED|UPDATED|DESTROYED|FINISHED)$/;

const CUSTOM = /^custom\d{1,3}$/;
const EMAILS_MAX = 10;

function readContact(attributes: JsonObject): InboundContact {
  const emails = field(attributes, 'emails');
  return {
    ...BLANK_CONTACT,
    email: firstOf(Array.isArray(emails) ? emails.slice(0, EMAILS_MAX) : [], toEmailAddress),
    profileUrl: toProfileUrl(field(attributes, 'linkedInUrl')),
    firstName: toText(field(attributes, 'firstName')),
    lastName: toText(field(attributes, 'lastName')),
    companyName: toText(field(attributes, 'company')),
    jobTitle: toText(field(attributes, 'title')),
    custom: toCustomFields(namedValues(attributes).filter(([name]) => CUSTOM.test(name))),
    tags: toTags(field(attributes, 'tags')),
  };
}
