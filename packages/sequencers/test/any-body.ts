/** Random bodies for the tests of `normalize`, and what holds for its result whatever the body is. */
import fc from 'fast-check';
import { canonicalProfileUrl } from '@svc/domain/contacts/profile-url';
import { parseEmail } from '@svc/domain/contacts/contact-identity';
import { type EventMapping, eventMappingSchema } from '@svc/domain/mappings/event-mapping';
import { readPayloads } from '@svc/fixtures/payloads.ts';
import { expect } from 'vitest';
import type { InboundEvent, NormalizeInput, NormalizeResult } from '../src/events/index.ts';

export const HASH = 'c'.repeat(64);

interface Sample {
  readonly platform: string;
  readonly headers: NormalizeInput['headers'];
  readonly body: unknown;
}
const SAMPLES: readonly Sample[] = readPayloads()
  .filter(({ kind }) => kind !== 'published')
  .map(({ platform, headers, text }) => ({ platform, headers, body: JSON.parse(text) }));

/** Keys that the paths of random mappings name. */
const MAPPED_KEYS = [
  ...['event_type', 'event', 'type', 'timestamp', 'to_email', 'email', 'lead', 'lead_data', 'reply', 'step', 'time'],
  ...['message_id', 'link_details', 'profile_url', 'recent_messages', 'data', 'payload', 'attributes', 'emails', 'id'],
];
const HOSTILE_KEYS = ['__proto__', 'constructor', 'hasOwnProperty', ''];
const COMMON_TEXTS = [
  'kim@example.org',
  'K <k@example.org>',
  '<>',
  'test',
  '2026-03-01T10:00:00Z',
  'linkedin.com/in/kim',
];

/** Plausible values, such as these texts, and implausible ones. */
const leafOf = (texts: readonly string[]) =>
  fc.oneof(
    fc.constantFrom<unknown>(...texts, ...COMMON_TEXTS),
    fc.string({ unit: 'binary', maxLength: 40 }),
    fc.string({ unit: 'grapheme', maxLength: 40 }),
    fc.constantFrom<unknown>(null, true, 0, -1, 1e308, 1772359200, '\0', '\ud800', ' '),
    fc.double(),
  );
export const leaf = leafOf([]);

/** Returns random JSON made of the given leaves, most of them under the given keys. */
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

export const asObject = (junk: unknown) =>
  typeof junk === 'object' && junk !== null && !Array.isArray(junk) ? junk : { junk };

/**
 * What `normalize` is given: payloads of a platform with some values replaced, added or removed, and any other JSON with their
 * keys. It depends on the platform's own payloads only, so that a new adapter changes nothing for the others.
 */
export function inputOf(platform: string): fc.Arbitrary<NormalizeInput> {
  // Payloads of thousands of values have tests of their own, and would take most of the time here.
  const samples = SAMPLES.filter((sample) => sample.platform === platform && placesIn(sample.body).length < 300);
  const places = samples.flatMap(({ body }) => placesIn(body));
  const keys = [...new Set(places.flatMap(({ key }) => (typeof key === 'string' ? key : []))), ...HOSTILE_KEYS];
  const texts = places
    .flatMap(({ owner, key }) => Reflect.get(owner, key))
    .filter((value) => typeof value === 'string');
  const json = randomJson({ leaf: leafOf([...new Set(texts)]), keys, keysMax: 12 });
  const edit = fc.record({
    place: fc.nat(10_000),
    kind: fc.constantFrom('replace', 'replace', 'add', 'remove'),
    key: fc.constantFrom(...keys),
    value: json,
  });
  const edited = fc
    .tuple(fc.constantFrom(...samples), fc.array(edit, { maxLength: 6 }))
    .map(([{ headers, body }, edits]) => ({ headers, body: edits.reduce(applyEdit, body) }));
  const alone = fc.oneof(
    json,
    fc.jsonValue(),
    fc.array(
      edited.map(({ body }) => body),
      { maxLength: 5 },
    ),
  );
  const posted = fc.oneof(
    { weight: 5, arbitrary: edited },
    {
      weight: 2,
      arbitrary: fc.tuple(fc.constantFrom(...samples), alone).map(([{ headers }, body]) => ({ headers, body })),
    },
  );
  return fc
    .tuple(posted, fc.dictionary(fc.constantFrom('x-request-id', 'user-agent'), fc.string({ maxLength: 60 })))
    .map(([{ headers, body }, others]) => ({
      headers: { ...headers, ...others },
      body: asParsed(body),
      bodyHash: HASH,
    }));
}

/** Mostly an address, so that most bodies are read to their end. */
const address = fc.oneof({ weight: 4, arbitrary: fc.constantFrom('kim@example.org', 'K. <k@EXAMPLE.org>') }, leaf);
/** What a random mapping is given: JSON with the keys of its paths. */
export const mappedInput: fc.Arbitrary<NormalizeInput> = fc
  .tuple(
    randomJson({
      leaf: leafOf(['email_sent', 'EMAIL_REPLY', 'x']),
      keys: [...MAPPED_KEYS, ...HOSTILE_KEYS],
      keysMax: 12,
    }),
    fc.record({ event_type: fc.constantFrom('email_sent', 'EMAIL_REPLY', 'x'), email: address }),
    fc.dictionary(fc.constantFrom('x-request-id', 'user-agent'), fc.string({ maxLength: 60 })),
  )
  .map(([junk, named, headers]) => ({ headers, body: asParsed({ ...asObject(junk), ...named }), bodyHash: HASH }));

/** Round-trips through text, so that `__proto__` keys are own keys, as in parsed JSON. */
const asParsed = (body: unknown): unknown => JSON.parse(JSON.stringify(body) ?? 'null');

/** Every field and element of a value, at any depth. */
function placesIn(value: unknown): { owner: object; key: string | number }[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => [
    { owner: value, key: Array.isArray(value) ? Number(key) : key },
    ...placesIn(inner),
  ]);
}

interface Edit {
  readonly place: number;
  readonly kind: string;
  readonly key: string;
  readonly value: unknown;
}

function applyEdit(body: unknown, { place, kind, key, value }: Edit): unknown {
  const copy = structuredClone(body);
  const places = placesIn(copy);
  const at = places[place % places.length];
  if (at === undefined) return value;
  if (kind === 'remove') Reflect.deleteProperty(at.owner, at.key);
  else Reflect.set(at.owner, kind === 'add' && !Array.isArray(at.owner) ? key : at.key, value);
  return copy;
}

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
  demand(Object.keys(contact.custom).every(isStorable), 'the names of custom fields can be stored');
  demand(JSON.stringify(contact.custom).length <= 17_000, 'custom fields are bounded');
  return flaws;
}

const isStorable = (text: string) => text.isWellFormed() && !text.includes('\0');

const path = fc.oneof(
  fc.constantFrom(...MAPPED_KEYS.map((key) => `["${key}"]`)),
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
      fields: {
        ...fields,
        eventName: ['event_type', 'event.type', ...eventName].slice(0, 10),
        email: [...email.slice(0, 9), 'email'],
      },
      eventTypes: { ...eventTypes, '*': 'EMAIL_OPEN' },
      ...(items === undefined ? {} : { items }),
    }),
  );

/** How much was read of a value, and how large it is. */
interface Reading {
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

interface Size {
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
