/** Random bodies for the tests of `normalize`, and what holds for its result whatever the body is. */
import fc from 'fast-check';
import { PLATFORMS as ALL_PLATFORMS } from '@svc/contract/vocabulary';
import { canonicalProfileUrl } from '@svc/domain/contacts/profile-url';
import { parseEmail } from '@svc/domain/contacts/contact-identity';
import { type EventMapping, eventMappingSchema } from '@svc/domain/mappings/event-mapping';
import { expect } from 'vitest';
import { adapterCoverage, type InboundEvent, type NormalizeInput, type NormalizeResult } from '../src/events/index.ts';

export const PLATFORMS = ALL_PLATFORMS.filter((platform) => adapterCoverage(platform) !== null);
export const HASH = 'c'.repeat(64);

export const KEYS = [
  ...[
    'event_type',
    'event',
    'event_timestamp',
    'timestamp',
    'to_email',
    'from_email',
    'to_name',
    'sl_lead_email',
    'lead_email',
    'lead',
  ],
  ...[
    'email',
    'stats_id',
    'campaign_id',
    'campaign_name',
    'sent_message',
    'reply_message',
    'message_id',
    'link_clicked',
    'link_details',
  ],
  ...[
    'lead_category',
    'lead_data',
    'leadCorrespondence',
    'reply',
    'sender_detail',
    'email_account',
    'step',
    'reply_text',
    'firstName',
  ],
  ...[
    'new_name',
    'new_id',
    'html',
    'text',
    'time',
    'url',
    'first_name',
    'linkedin_profile',
    'linkedinUrl',
    'type',
    'data',
    'reply',
    'scheduled_email',
    'campaign_event',
    'custom_variables',
    'automated_reply',
    'profile_url',
    'recent_messages',
    'is_inmail',
    'sender',
    'contact_fields',
    'payload',
    'email_address',
    'meta',
    'attributes',
    'emails',
    'id',
    '_id',
    '__proto__',
    'constructor',
    'hasOwnProperty',
  ],
];
const EVENT_NAMES = [
  'EMAIL_REPLY',
  'EMAIL_REPLIED',
  'UNTRACKED_REPLIES',
  'email_sent',
  'link_clicked',
  'lead_interested',
  'lead_',
  'LEAD_REPLIED',
  'email_opened',
  'emailsReplied',
  'linkedinReplied',
  'notInterested',
  'every_message_reply_received',
  'viewed_profile',
  'linkedin_message_sent',
  'person_updated',
  'prospect.created',
  'test',
  '',
  'x',
];

/** Plausible and implausible values. */
export const leaf = fc.oneof(
  fc.constantFrom<unknown>(
    ...EVENT_NAMES,
    'kim@example.org',
    'K <k@example.org>',
    '<>',
    '2026-03-01T10:00:00Z',
    'https://example.com',
    'linkedin.com/in/kim',
  ),
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.string({ unit: 'grapheme', maxLength: 40 }),
  fc.constantFrom<unknown>(null, true, 0, -1, 1e308, 1772359200, '\0', '\ud800', ' '),
  fc.double(),
);
/** Random JSON of these leaves, mostly under these keys. */
export function randomJson({ leaf, keys, keysMax }: JsonParts): fc.Arbitrary<unknown> {
  const key = fc.oneof({ weight: 9, arbitrary: fc.constantFrom(...keys) }, { weight: 1, arbitrary: fc.string() });
  return fc.letrec<{ json: unknown }>((tie) => ({
    json: fc.oneof(
      { maxDepth: 4 },
      leaf,
      fc.array(tie('json'), { maxLength: 4 }),
      fc.dictionary(key, tie('json'), { maxKeys: keysMax }),
    ),
  })).json;
}
interface JsonParts {
  leaf: fc.Arbitrary<unknown>;
  keys: readonly string[];
  keysMax: number;
}

const json = randomJson({ leaf, keys: KEYS, keysMax: 12 });
/** Mostly plausible values, so that most bodies pass the first checks. */
const address = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom('kim@example.org', 'K. <k@EXAMPLE.org>', 'é@bücher.example') },
  { weight: 1, arbitrary: leaf },
);
const eventName = fc.constantFrom(...EVENT_NAMES);
const nameLike = (...names: string[]) => fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...names) }, eventName);
export const asObject = (junk: unknown) =>
  typeof junk === 'object' && junk !== null && !Array.isArray(junk) ? junk : { junk };
/** The shapes of the platforms: flat with one key or another, or the event and its data in objects. */
const meant = fc.oneof(
  fc.record({ event_type: eventName, lead_email: address, sender_detail: address }),
  fc.record({ type: eventName, email: address, linkedinUrl: leaf }),
  fc.record({
    event: fc.record({ type: eventName }),
    data: fc
      .tuple(json, fc.record({ lead: fc.record({ email: address }), reply: json }))
      .map(([junk, lead]) => ({ ...asObject(junk), ...lead })),
  }),
  fc.record({
    event_type: eventName,
    lead: fc.record({ profile_url: fc.oneof(fc.constant('linkedin.com/in/kim'), leaf), email_address: leaf }),
    recent_messages: fc.array(fc.record({ is_reply: fc.boolean(), creation_time: leaf, message: leaf })),
  }),
  fc.record({
    event: fc.record({ type: eventName, id: leaf, date: leaf }),
    contact_fields: fc.record({ email: address }),
  }),
  fc.record({ email_address: address, linkedin_url: leaf, id: leaf, updated_at: leaf }),
  fc.record({
    meta: fc.record({ eventName: nameLike('prospect.created', 'prospect.updated'), jobId: leaf }),
    data: fc.record({ id: leaf, attributes: fc.record({ emails: fc.array(address), linkedInUrl: leaf }) }),
  }),
);
const nearMiss = fc.tuple(json, meant).map(([junk, shape]) => ({ ...asObject(junk), ...shape }));
/** Round-trips through text, so that `__proto__` keys are own keys, as in parsed JSON. */
const body = fc
  .oneof(json, fc.jsonValue(), { weight: 5, arbitrary: nearMiss }, fc.array(fc.oneof(nearMiss, json), { maxLength: 5 }))
  .map((value): unknown => JSON.parse(JSON.stringify(value) ?? 'null'));
/** What `normalize` is given. */
export const input: fc.Arbitrary<NormalizeInput> = fc.record({
  headers: fc
    .tuple(
      fc.dictionary(fc.constantFrom('x-request-id', 'user-agent'), fc.string({ maxLength: 60 })),
      fc.record({ 'x-salesloft-event': nameLike('person_created', 'person_updated') }, { requiredKeys: [] }),
    )
    .map(([others, salesloft]) => ({ ...others, ...salesloft })),
  body,
  bodyHash: fc.constant(HASH),
});

/** Returns every string in a value, at any depth. */
function strings(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (value instanceof Date || typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(strings);
}

/** Fails unless a result is complete: each event has a recipient, a type and a key, and texts that can be stored. */
export function expectWellFormed(result: NormalizeResult): void {
  if (result.outcome !== 'events') {
    expect(result.reason).not.toBe('');
    return;
  }
  expect(result.events.length).toBeGreaterThan(0);
  expect(new Set(result.events.map((event) => event.eventKey)).size).toBe(result.events.length);
  // One expectation for all: each costs as much as reading a body.
  expect(result.events.flatMap(flawsOf)).toEqual([]);
}

function flawsOf(event: InboundEvent): string[] {
  const { contact, toEmail, eventType, eventKey, occurredAt } = event;
  const { email, profileUrl } = contact;
  const flaws: string[] = [];
  const demand = (isKept: boolean, law: string) => void (isKept || flaws.push(law));
  demand(toEmail === (email ?? profileUrl), 'the recipient is the contact');
  demand(toEmail === (email === null ? canonicalProfileUrl(toEmail) : parseEmail(toEmail)), 'it is in normal form');
  demand(/^[\p{L}\p{M}\p{N}_]{1,80}$/u.test(eventType), 'the type is a word');
  demand(eventKey.length >= 1 && eventKey.length <= 200, 'the key has 1 to 200 characters');
  demand(!Number.isNaN(occurredAt?.getTime()), 'the time is valid');
  demand(strings(event).every(isStorable), 'the texts can be stored');
  return flaws;
}

const isStorable = (text: string) => text.isWellFormed() && !text.includes('\0');

const path = fc.oneof(
  fc.constantFrom(...KEYS.map((key) => `["${key}"]`)),
  fc.constantFrom('$', 'links[*].url', 'lead.email', 'data.lead.email', '$.event.type', 'recent_messages[-1].message'),
  fc.constantFrom('lead[*][*][*]', 'data[type=lead].email', 'header:x-request-id', '$.lead["first.name"]'),
);
const places = fc.array(path, { minLength: 1, maxLength: 10 });
const FIELDS = Object.keys(eventMappingSchema.shape.fields.shape);

/** Mappings that place each field anywhere, and name any events. */
export const mapping: fc.Arbitrary<EventMapping> = fc
  .tuple(
    fc.dictionary(fc.constantFrom(...FIELDS), places),
    fc.tuple(places, places),
    fc.option(places, { nil: undefined }),
    fc.dictionary(fc.constantFrom('email_sent', 'EMAIL_REPLY', 'x'), fc.constantFrom('EMAIL_SENT', 'ignored')),
  )
  .map(([fields, [eventName, email], items, eventTypes]) =>
    eventMappingSchema.parse({
      fields: { ...fields, eventName: ['event_type', 'event.type', ...eventName].slice(0, 10), email },
      eventTypes: { ...eventTypes, '*': 'EMAIL_OPEN' },
      ...(items === undefined ? {} : { items }),
    }),
  );

/** How much was read of a value, and how large it is. */
export interface Reading {
  /** Fields and elements that were looked at, and keys that were listed. */
  reads: number;
}

/** Returns the value behind proxies that count each access. */
export function countReads<Value>(value: Value, reading: Reading): Value {
  const wrapped = new WeakMap<object, object>();
  const wrap = (inner: unknown): unknown => {
    if (typeof inner !== 'object' || inner === null) return inner;
    const known = wrapped.get(inner);
    if (known !== undefined) return known;
    const proxy = new Proxy(inner, {
      get(target, key) {
        reading.reads += 1;
        return wrap(Reflect.get(target, key));
      },
      getOwnPropertyDescriptor(target, key) {
        reading.reads += 1;
        return Reflect.getOwnPropertyDescriptor(target, key);
      },
      ownKeys(target) {
        const keys = Reflect.ownKeys(target);
        reading.reads += keys.length;
        return keys;
      },
    });
    wrapped.set(inner, proxy);
    return proxy;
  };
  return wrap(value) as Value;
}

export interface Size {
  /** Values, the whole one included. */
  values: number;
  /** Characters of texts and keys. */
  characters: number;
}

/** Returns how large a JSON value is. */
export function sizeOf(value: unknown): Size {
  const size = { values: 0, characters: 0 };
  const open: unknown[] = [value];
  while (open.length > 0) {
    const next = open.pop();
    size.values += 1;
    if (typeof next === 'string') size.characters += next.length;
    if (typeof next !== 'object' || next === null || next instanceof Date) continue;
    for (const [key, inner] of Object.entries(next)) {
      if (!Array.isArray(next)) size.characters += key.length;
      open.push(inner);
    }
  }
  return size;
}
