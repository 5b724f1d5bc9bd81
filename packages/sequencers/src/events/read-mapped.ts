/**
 * Reads events as a mapping says. The values go through the same parsers as those of the adapters, and of the places of a field
 * the first with a valid value counts. Pure, and never throws for a JSON value.
 */
import type { EventMapping, MappedField } from '@svc/domain/mappings/event-mapping';
import { compileMapping } from './compile-mapping.ts';
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
import { BODY_TEXT_MAX, firstOf, isJsonObject, toId, toInteger, toText } from './json-fields.ts';
import { type PathRoots, readPath, readPlace } from './read-path.ts';
import type { InboundContact, ItemContext, ItemResult, NormalizeInput } from './types.ts';

/**
 * Returns the items of a body: the elements of the list that the mapping names, or else of a body that is a list, or the body
 * itself.
 *
 * @param max more than these are left out
 */
export function readMappedItems(mapping: EventMapping, { body, headers }: NormalizeInput, max: number): unknown[] {
  const { items } = compileMapping(mapping);
  if (items === null) return toElements(body, max);
  for (const [path] of items) {
    const found = path === undefined ? [] : readPath(path, { item: body, body, headers }, max);
    if (found.length > 0) return found.flatMap((value) => toElements(value, max)).slice(0, max);
  }
  return [];
}

function toElements(value: unknown, max: number): unknown[] {
  return Array.isArray(value) ? value.slice(0, max) : [value];
}

/** Reads the event of one item. */
export function readMappedItem(mapping: EventMapping, item: unknown, body: unknown, context: ItemContext): ItemResult {
  if (!isJsonObject(item)) return { outcome: 'unparsed', reason: 'not a JSON object' };
  const { placesOf, constantOf, typeOf } = compileMapping(mapping);
  const roots: PathRoots = { item, body, headers: context.headers };
  const valuesOf = (name: MappedField) => [
    ...placesOf(name).flatMap((place) => readPlace(place, roots)),
    constantOf(name),
  ];
  const read: ReadField = (name, parse) => firstOf(valuesOf(name), parse);

  const ownName = read('eventName', toEventName);
  if (ownName === null) return { outcome: 'unparsed', reason: 'no event name where the mapping looks for it' };
  if (isTestName(ownName)) return { outcome: 'ignored', reason: 'test ping' };
  const type = typeOf(ownName);
  if (type === null) return { outcome: 'unparsed', reason: `the mapping has no event type for ${ownName}` };
  if (type.kind === 'ignored') return { outcome: 'ignored', reason: `the mapping ignores ${ownName}` };

  const contact = readContact(read);
  const toEmail = contact.email ?? contact.profileUrl;
  if (toEmail === null) {
    return {
      outcome: 'unparsed',
      reason: `${ownName} without an email address or profile URL where the mapping looks`,
    };
  }
  const isAutomatic = type.name === 'EMAIL_REPLY' && read('isAutomaticReply', toFlag) === true;
  const categoryName = isAutomatic ? 'Auto reply' : (type.category ?? read('categoryName', toText));
  return {
    outcome: 'event',
    event: {
      eventKey: toEventKey(read('eventKey', toKeyPart), ownName, toEmail, context),
      eventType: isAutomatic ? 'LEAD_CATEGORY_UPDATED' : type.name,
      toEmail,
      occurredAt: read('occurredAt', toInstant),
      contact,
      fromEmail: read('fromEmail', (value) => {
        const address = toEmailAddress(value);
        return address === contact.email ? null : address;
      }),
      campaign: { id: read('campaignId', toId), name: read('campaignName', toText) },
      subject: read('subject', toText),
      ...readBodies(read),
      messageId: read('messageId', toId),
      answeredMessageId: read('answeredMessageId', toId),
      category: categoryName === null ? null : { id: read('categoryId', toId), name: categoryName },
      linkUrls: toLinkUrls(valuesOf('linkUrls')),
      sequenceNumber: read('sequenceNumber', toInteger),
    },
  };
}

type ReadField = <T>(name: MappedField, parse: (value: unknown) => T | null) => T | null;

function readContact(read: ReadField): InboundContact {
  const whole = splitName(read('fullName', toText) ?? read('email', toDisplayName));
  return {
    email: read('email', toEmailAddress),
    profileUrl: read('profileUrl', toProfileUrl),
    firstName: read('firstName', toText) ?? whole.firstName,
    lastName: read('lastName', toText) ?? whole.lastName,
    companyName: read('companyName', toText),
    companyDomain: read('companyDomain', toDomain),
    jobTitle: read('jobTitle', toText),
    phone: read('phone', toPhone),
  };
}

/** Fields for HTML sometimes hold plain text. */
function readBodies(read: ReadField): { bodyHtml: string | null; bodyText: string | null } {
  const [html, text] = [read('bodyHtml', toBody), read('bodyText', toBody)];
  if (html === null || /<[a-z!/]/i.test(html)) return { bodyHtml: html, bodyText: text };
  return { bodyHtml: null, bodyText: text ?? html };
}

function toBody(value: unknown): string | null {
  return toText(value, BODY_TEXT_MAX);
}

function toFlag(value: unknown): boolean | null {
  if (typeof value === 'boolean') return value;
  const text = toId(value)?.toLowerCase();
  return text === undefined ? null : ['true', '1', 'yes'].includes(text);
}

/** Ids can be long when they are parts put together, so they are not cut like `toId`. */
function toKeyPart(value: unknown): string | null {
  return typeof value === 'string' ? toText(value, 50_000) : toId(value);
}

/**
 * The name and the lead are part of the key, because some platforms use one id for all events of a mail, or for all of its
 * recipients. The type is not, so that an event stays the same one after a correction of `eventTypes`.
 */
function toEventKey(id: string | null, ownName: string, toEmail: string, context: ItemContext): string {
  return deriveKey([ownName, toEmail, ...(id === null ? [context.bodyHash, String(context.index)] : [id])]);
}
