/**
 * A *mapping* says where the events of a platform without an adapter have their fields. It is JSON, without code and without
 * regular expressions; docs/sequencers/any-other.md explains it, and `event-mapping.schema.json` is made from this schema.
 *
 * Every field has a list of places. The first place whose value is valid for the field is used: an address that is no email
 * address is passed over. A field that no place gives has its constant, or is null.
 */
import { SEQUENCER_EVENT_TYPES, type SequencerEventType } from '@svc/contract/vocabulary';
import * as z from 'zod';
import { comparableEventName } from './event-name.ts';
import { MappingPathError, parseMappingPath, PATH_MAX_LENGTH } from './mapping-path.ts';

/** Bounds of a mapping. */
const MAPPING_LIMITS = {
  placesPerField: 10,
  partsPerPlace: 5,
  /** The most entries of `eventTypes`, and of `when`. */
  eventNames: 200,
  eventNameLength: 64,
  constantLength: 500,
  /** As compact JSON. It is read with every receipt. */
  bytes: 64 * 1024,
} as const;

/** The value of `eventTypes` for events that are understood and not wanted. */
const IGNORED = 'ignored';
/** The key of `eventTypes` for every other event name. */
export const OTHER_EVENTS = '*';

/** The orders of day and month in dates that have both orders in use. */
const DATE_ORDERS = ['day-first', 'month-first'] as const;
export type DateOrder = (typeof DATE_ORDERS)[number];

const { placesPerField, partsPerPlace } = MAPPING_LIMITS;
const PLACES = 'must be a path such as "lead.email", or a list of paths';

const pathText = z.string().meta({ minLength: 1, maxLength: PATH_MAX_LENGTH });
const placeList = <Place extends z.ZodType>(place: Place) =>
  z.array(place).meta({ minItems: 1, maxItems: placesPerField });

/** One place, or several in the order of preference. */
const places = z.union([pathText, placeList(pathText)], PLACES).superRefine(checkPlaces);
/** Like `places`, where a list within the list is one place of several parts. */
const joinedPlaces = z
  .union(
    [pathText, placeList(z.union([pathText, z.array(pathText).meta({ minItems: 1, maxItems: partsPerPlace })]))],
    `${PLACES}; a list within it is joined`,
  )
  .superRefine(checkPlaces);

type Places = string | readonly (string | readonly string[])[];

/** Outside the union: its own message would hide the messages about the paths. */
function checkPlaces(given: Places, context: z.RefinementCtx): void {
  const refuse = (message: string, at: PropertyKey[]) => context.addIssue({ code: 'custom', path: at, message });
  const checkCount = (count: number, max: number, at: PropertyKey[]) => {
    if (count === 0) refuse('must name at least one path', at);
    if (count > max) refuse(`must name at most ${max} paths`, at);
  };
  const checkPath = (text: string, at: PropertyKey[]) => {
    try {
      parseMappingPath(text);
    } catch (error) {
      if (!(error instanceof MappingPathError)) throw error;
      refuse(error.message, at);
    }
  };
  if (typeof given === 'string') return checkPath(given, []);
  checkCount(given.length, placesPerField, []);
  for (const [index, place] of given.slice(0, placesPerField).entries()) {
    if (typeof place === 'string') checkPath(place, [index]);
    else {
      checkCount(place.length, partsPerPlace, [index]);
      for (const [part, text] of place.slice(0, partsPerPlace).entries()) checkPath(text, [index, part]);
    }
  }
}

const SEQUENCER_EVENTS = Object.keys(SEQUENCER_EVENT_TYPES) as SequencerEventType[];
const typeNames = SEQUENCER_EVENTS.join(', ');

const constant = z
  .string('must be text')
  .trim()
  .min(1, 'must not be empty')
  .max(MAPPING_LIMITS.constantLength, `must be at most ${MAPPING_LIMITS.constantLength} characters long`);

/** Fields that are read once the event has a name. */
const namedFields = {
  eventKey: joinedPlaces.describe(
    'What is equal only for repeats of one event: its id, or several parts. Without it, only an identical body is a repeat',
  ),
  occurredAt: places.describe(
    'When it happened: ISO-8601 or RFC 2822 text, a Unix time, or a date in the order of dateOrder',
  ),
  email: places.describe("The lead's email address"),
  profileUrl: places.describe("The lead's LinkedIn profile"),
  firstName: places,
  lastName: places,
  fullName: places.describe('Used where first and last name are missing'),
  companyName: places,
  companyDomain: places.describe('A domain or a web address'),
  jobTitle: places,
  phone: places,
  custom: places.describe(
    'Custom fields of the lead: an object, a list of {"name", "value"}, or one value, named by the last key of its path. All places count',
  ),
  tags: places.describe('Tags of the lead: a text, or a list. All places count'),
  leadId: places.describe("The sequencer's id of the lead"),
  leadUrl: places.describe('An https link to the lead in the sequencer'),
  fromEmail: places.describe(
    "Your own mailbox: the sender of a mail, the recipient of a reply. The lead's address is passed over",
  ),
  campaignId: places,
  campaignName: places,
  sequenceNumber: places.describe('The step of the sequence'),
  subject: places,
  bodyHtml: places.describe('A value without a tag is read as text'),
  bodyText: places,
  messageId: places.describe('The Message-ID of the mail; of the reply, for a reply'),
  answeredMessageId: places.describe('The Message-ID of your mail that a reply answers'),
  categoryId: places,
  categoryName: places.describe("The lead's category after the event"),
  linkUrls: places.describe('Clicked links'),
  isAutomaticReply: places.describe('True for an automatic reply, which becomes the category "Auto reply"'),
} satisfies Record<string, z.ZodType>;

const fields = z.strictObject(
  {
    eventName: joinedPlaces
      .describe('The name of the event, such as email.opened. Parts are joined: object and action')
      .exactOptional(),
    ...mapValues(namedFields, (field) => field.exactOptional()),
  },
  { error: unknownField('a field of an event') },
);

/** Fields of some events; null where these events do not have the field. */
const fieldsOfSome = z.strictObject(
  mapValues(namedFields, (field) => field.nullable().exactOptional()),
  { error: unknownField('a field that depends on the event') },
);

const mappedType = z.union(
  [
    z.enum(SEQUENCER_EVENTS),
    z.literal(IGNORED),
    z.strictObject({
      type: z.literal('LEAD_CATEGORY_UPDATED'),
      category: constant.describe('The category of the lead, such as Interested'),
    }),
  ],
  `must be one of ${typeNames}; "${IGNORED}"; or {"type": "LEAD_CATEGORY_UPDATED", "category": "Interested"}`,
);

const eventName = z.string().max(MAPPING_LIMITS.eventNameLength);
const eventTypes = z.record(eventName, mappedType).superRefine(checkEventNames);
const when = z.record(eventName, fieldsOfSome).superRefine(checkEventNames);

function checkEventNames(byName: Readonly<Record<string, unknown>>, context: z.RefinementCtx): void {
  const names = Object.keys(byName);
  if (names.length > MAPPING_LIMITS.eventNames) {
    context.addIssue({ code: 'custom', message: `must have at most ${MAPPING_LIMITS.eventNames} event names` });
  }
  const seen = new Map<string, string>();
  for (const name of names) {
    if (name === OTHER_EVENTS) continue;
    const key = comparableEventName(name);
    const twin = seen.get(key);
    seen.set(key, name);
    if (key === '') context.addIssue({ code: 'custom', path: [name], message: 'must contain a letter or digit' });
    if (twin !== undefined) {
      const message = `is the same event name as ${JSON.stringify(twin)}: case and punctuation do not count`;
      context.addIssue({ code: 'custom', path: [name], message });
    }
  }
}

/** Fields that may be the same for every event of a source. */
const constants = z.strictObject(
  {
    eventName: constant
      .max(MAPPING_LIMITS.eventNameLength)
      .describe('For a source that receives one kind of event')
      .exactOptional(),
    fromEmail: z.email('must be an email address such as kim@example.com').max(254).exactOptional(),
    campaignId: constant.exactOptional(),
    campaignName: constant.exactOptional(),
    companyName: constant.exactOptional(),
    companyDomain: constant.exactOptional(),
    categoryName: constant.exactOptional(),
  },
  { error: unknownField('a field that may be constant') },
);

export const eventMappingSchema = z
  .strictObject(
    {
      $schema: z.string().max(500).describe('Address of the JSON Schema, for editors').exactOptional(),
      description: z.string().max(500).describe('A note for the reader').exactOptional(),
      items: places
        .describe('Where a body with several events has their list; fields begin at its elements. $ is the body itself')
        .exactOptional(),
      fields,
      when: when
        .describe(
          'Places of some events, by their name or type; they are used instead of those in fields; null: not read',
        )
        .exactOptional(),
      dateOrder: z
        .enum(DATE_ORDERS, `must be one of ${DATE_ORDERS.join(', ')}`)
        .describe('How dates such as 03/01/2026 are read: month-first is 1 March, day-first is 3 January')
        .exactOptional(),
      eventTypes: eventTypes
        .describe(
          `Event names and what they are. Case and punctuation do not count; "${OTHER_EVENTS}" is every other name`,
        )
        .exactOptional(),
      constants: constants.describe('Values of fields that no place gives').exactOptional(),
    },
    { error: unknownField('a part of a mapping') },
  )
  .superRefine((mapping, context) => {
    if (new TextEncoder().encode(JSON.stringify(mapping)).length > MAPPING_LIMITS.bytes) {
      context.addIssue({ code: 'custom', message: `must be at most ${MAPPING_LIMITS.bytes} bytes of JSON` });
    }
    if (mapping.fields.eventName === undefined && mapping.constants?.eventName === undefined) {
      const message = 'is missing: name where the event name is, or give it in constants';
      context.addIssue({ code: 'custom', path: ['fields', 'eventName'], message });
    }
    const all = [mapping.fields, ...Object.values(mapping.when ?? {})];
    if (all.every(({ email, profileUrl }) => email === undefined && profileUrl === undefined)) {
      const message = 'is missing: name where the email address of the lead is, or profileUrl';
      context.addIssue({ code: 'custom', path: ['fields', 'email'], message });
    }
  });

/** A checked mapping. */
export type EventMapping = z.infer<typeof eventMappingSchema>;
export type MappedField = keyof EventMapping['fields'];
/** A field that may have other places for some events. */
export type NamedField = Exclude<MappedField, 'eventName'>;

/** Object.fromEntries forgets which key has which type. */
function mapValues<Key extends string, Value, Result>(
  values: Readonly<Record<Key, Value>>,
  change: (value: Value) => Result,
): Record<Key, Result> {
  return Object.fromEntries(Object.entries<Value>(values).map(([key, value]) => [key, change(value)])) as Record<
    Key,
    Result
  >;
}

function unknownField(what: string) {
  return (issue: { code?: string; keys?: unknown }) =>
    issue.code === 'unrecognized_keys' && Array.isArray(issue.keys)
      ? `${issue.keys.map((key) => JSON.stringify(key)).join(', ')} is not ${what}`
      : undefined;
}
