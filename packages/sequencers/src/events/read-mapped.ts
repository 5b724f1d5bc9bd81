/**
 * Reads events as a mapping says. The values go through the same parsers as those of the adapters, and of the places of a field
 * the first with a valid value counts. Pure, and never throws for a JSON value.
 */
import type { DateOrder, EventMapping, MappedField } from '@svc/domain/mappings/event-mapping';
import { compileMapping, type Place } from './compile-mapping.ts';
import { deriveKey } from './event-key.ts';
import { isTestName } from './event-name.ts';
import { splitName, toDisplayName, toEmailAddress, toLinkUrls, toProfileUrl } from './field-values.ts';
import { firstOf, isJsonObject } from './json-fields.ts';
import { type NamedValue, namedValues, toCustomFields, toTags } from './lead-fields.ts';
import { type FieldValue, FIELD_PARSERS } from './mapped-fields.ts';
import { type BodyRoots, type PathRoots, readPath, readPlace } from './read-path.ts';
import { findUnreadLeads } from './unread-leads.ts';
import type { ItemContext, ItemResult } from './types.ts';

/**
 * Returns the items of a body: the elements of the list that the mapping names, or else of a body that is a list, or the body
 * itself.
 *
 * @param max more than these are left out
 */
export function readMappedItems(mapping: EventMapping, roots: BodyRoots, max: number): unknown[] {
  const { body } = roots;
  const { items } = compileMapping(mapping);
  if (items === null) return toElements(body, max);
  for (const {
    paths: [path],
  } of items) {
    const found = path === undefined ? [] : readPath(path, { ...roots, item: body }, max);
    if (found.length > 0) return found.flatMap((value) => toElements(value, max)).slice(0, max);
  }
  return [];
}

/** An element that is a text or a number becomes an object, so that a path (`value`) can name it. */
function toElements(value: unknown, max: number): unknown[] {
  if (!Array.isArray(value)) return [value];
  return value
    .slice(0, max)
    .map((element) => (typeof element === 'string' || typeof element === 'number' ? { value: element } : element));
}

/** Reads the event of one item. */
export function readMappedItem(
  mapping: EventMapping,
  item: unknown,
  bodyRoots: BodyRoots,
  context: ItemContext,
): ItemResult {
  if (!isJsonObject(item)) return { outcome: 'unparsed', reason: 'not a JSON object' };
  const { placesOf, constantOf, dateOrder, typeOf } = compileMapping(mapping);
  const roots: PathRoots = { ...bodyRoots, item };
  const labels: string[] = [];
  const valuesOf = (name: MappedField) => [
    ...placesOf(name, labels).flatMap((place) => readPlace(place, roots)),
    constantOf(name),
  ];
  const read: ReadField = (name) => {
    const parse = FIELD_PARSERS[name] as Parser<typeof name>;
    return firstOf(valuesOf(name), (value) => parse(value, dateOrder));
  };

  const ownName = read('eventName');
  if (ownName === null) return { outcome: 'unparsed', reason: 'no event name where the mapping looks for it' };
  if (isTestName(ownName)) return { outcome: 'ignored', reason: 'test ping' };
  const type = typeOf(ownName);
  if (type === null) return { outcome: 'unparsed', reason: `the mapping has no event type for ${ownName}` };
  if (type.kind === 'ignored') return { outcome: 'ignored', reason: `the mapping ignores ${ownName}` };

  labels.push(ownName, type.name);
  const whole = splitName(read('fullName') ?? firstOf(valuesOf('email'), toDisplayName));
  const [email, profileUrl] = [read('email'), read('profileUrl')];
  const toEmail = email ?? profileUrl;
  if (toEmail === null) {
    return {
      outcome: 'unparsed',
      reason: `${ownName} without an email address or profile URL where the mapping looks for it`,
    };
  }
  const occurredAt = read('occurredAt');
  const notices = [
    ...(occurredAt === null && valuesOf('occurredAt').some(isGiven)
      ? [unreadTime(placesOf('occurredAt', labels))]
      : []),
    ...findUnreadLeads(
      placesOf(email === null ? 'profileUrl' : 'email', labels),
      roots,
      email === null ? toProfileUrl : toEmailAddress,
    ),
  ];
  const isAutomatic = type.name === 'EMAIL_REPLY' && read('isAutomaticReply') === true;
  const categoryName = isAutomatic ? 'Auto reply' : (type.category ?? read('categoryName'));
  return {
    outcome: 'event',
    notices,
    event: {
      eventKey: toEventKey(read('eventKey'), ownName, toEmail, context),
      eventType: isAutomatic ? 'LEAD_CATEGORY_UPDATED' : type.name,
      toEmail,
      occurredAt,
      contact: {
        email,
        profileUrl,
        firstName: read('firstName') ?? whole.firstName,
        lastName: read('lastName') ?? whole.lastName,
        companyName: read('companyName'),
        companyDomain: read('companyDomain'),
        jobTitle: read('jobTitle'),
        phone: read('phone'),
        custom: toCustomFields(customFieldsAt(placesOf('custom', labels), roots)),
        tags: toTags(...valuesOf('tags')),
        leadId: read('leadId'),
        leadUrl: read('leadUrl'),
      },
      fromEmail: firstOf(valuesOf('fromEmail'), (value) => {
        const address = toEmailAddress(value);
        return address === email ? null : address;
      }),
      // A mapping has no field for it.
      replySender: null,
      campaign: { id: read('campaignId'), name: read('campaignName') },
      subject: read('subject'),
      ...toBodies(read('bodyHtml'), read('bodyText')),
      messageId: read('messageId'),
      answeredMessageId: read('answeredMessageId'),
      category: categoryName === null ? null : { id: read('categoryId'), name: categoryName },
      linkUrls: toLinkUrls(valuesOf('linkUrls')),
      sequenceNumber: read('sequenceNumber'),
    },
  };
}

type Parser<Name extends MappedField> = (value: unknown, order?: DateOrder) => FieldValue<Name> | null;
type ReadField = <Name extends MappedField>(name: Name) => FieldValue<Name> | null;

function* customFieldsAt(places: readonly Place[], roots: PathRoots): Generator<NamedValue> {
  for (const place of places) {
    for (const value of readPlace(place, roots)) {
      if (typeof value === 'object') yield* namedValues(value);
      else yield [lastName(place), value];
    }
  }
}

/** `lead.region` and `lead.fields[name=region].value` are both named `region`. */
function lastName({ paths: [path] }: Place): string {
  const steps = path === undefined || path.from === 'header' ? [] : path.steps;
  const names = steps.flatMap((step) => (step.kind === 'where' ? step.value : step.kind === 'key' ? step.key : []));
  const last = names.at(-1) ?? '';
  return last === 'value' ? (names.at(-2) ?? last) : last;
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null && value !== '';
}

function unreadTime(places: readonly Place[]): string {
  const paths = places.flatMap(({ texts }) => texts).join(' or ');
  return `The time at ${paths} was not understood, so the time of receipt counts: name another place for occurredAt, or set dateOrder for dates such as 03/01/2026.`;
}

/** Fields for HTML sometimes hold plain text. */
function toBodies(html: string | null, text: string | null): { bodyHtml: string | null; bodyText: string | null } {
  if (html === null || /<[a-z!/]/i.test(html)) return { bodyHtml: html, bodyText: text };
  return { bodyHtml: null, bodyText: text ?? html };
}

/**
 * The name and the lead are part of the key, because some platforms use one id for all events of a mail, or for all of its
 * recipients. The type is not, so that an event stays the same one after a correction of `eventTypes`.
 */
function toEventKey(id: string | null, ownName: string, toEmail: string, context: ItemContext): string {
  return deriveKey([ownName, toEmail, ...(id === null ? [context.bodyHash, String(context.index)] : [id])]);
}
