/** Any JSON body under any valid mapping: no throw, well-formed events, bounded work. */
import { eventMappingSchema } from '@svc/domain/mappings/event-mapping';
import { formatMappingPath, parseMappingPath } from '@svc/domain/mappings/mapping-path';
import { SEQUENCER_EVENT_TYPES } from '@svc/contract/vocabulary';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { explainReading, proposeMapping } from './index.ts';
import { asObject, countReads, randomJson } from '../../test/any-body.ts';
import { normalize, type NormalizeInput } from '../events/index.ts';

const HASH = 'e'.repeat(64);
const KEYS = [
  'event',
  'type',
  'lead',
  'email',
  'to',
  'items',
  'id',
  'at',
  'name',
  'value',
  'url',
  'linkedin',
  'first.name',
  '__proto__',
  'constructor',
];
const leaf = fc.oneof(
  fc.constantFrom<unknown>(
    'opened',
    'email.replied',
    'test',
    'kim@example.org',
    'K <k@example.org>',
    'https://www.linkedin.com/in/kim',
    '2026-03-01',
    1772359200,
    null,
    true,
    -1,
    1e308,
    '\0',
    '\ud800',
    '',
  ),
  fc.string({ unit: 'binary', maxLength: 30 }),
  fc.double(),
);
const json = randomJson({ leaf, keys: KEYS, keysMax: 8 });
const meant = fc
  .tuple(
    json,
    fc.record({
      event: fc.constantFrom('opened', 'EMAIL_SENT', 'EMAIL_REPLY', 'lead interested'),
      email: fc.constantFrom('kim@example.org', 'x'),
    }),
  )
  .map(([junk, named]) => ({ ...asObject(junk), ...named }));
const body = fc
  .oneof(
    json,
    meant,
    fc.array(meant, { maxLength: 3 }),
    meant.map((item) => ({ items: [item] })),
  )
  .map((value): unknown => JSON.parse(JSON.stringify(value) ?? 'null'));

const step = fc.oneof(
  fc.record({
    kind: fc.constant('key' as const),
    key: fc.oneof(fc.constantFrom(...KEYS), fc.string({ minLength: 1, maxLength: 8 })),
  }),
  fc.record({ kind: fc.constant('index' as const), index: fc.integer({ min: -9, max: 9 }) }),
  fc.constant({ kind: 'each' as const }),
  fc.constant({ kind: 'where' as const, key: 'name', value: 'Email' }),
);
const steps = fc.array(step, { minLength: 1, maxLength: 4 });
const path = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom('event', 'email', 'lead.email', '$.items[0].event', 'header:x-event', 'id') },
  { weight: 1, arbitrary: steps.map(formatMappingPath) },
);
const places = fc.oneof(path, fc.array(path, { minLength: 1, maxLength: 4 }));
const joined = fc.oneof(
  places,
  fc.array(fc.oneof(path, fc.array(path, { minLength: 1, maxLength: 3 })), { minLength: 1, maxLength: 3 }),
);
const types = fc.constantFrom(...Object.keys(SEQUENCER_EVENT_TYPES), 'ignored', {
  type: 'LEAD_CATEGORY_UPDATED',
  category: 'Interested',
});
const mapping = fc.record(
  {
    items: fc.constantFrom('items', 'items[*]', '$', ['lead.items', '$']),
    fields: fc
      .record(
        Object.fromEntries(
          [
            'email',
            'profileUrl',
            'occurredAt',
            'fullName',
            'phone',
            'fromEmail',
            'bodyHtml',
            'linkUrls',
            'categoryName',
            'isAutomaticReply',
            'messageId',
            'custom',
            'tags',
            'leadUrl',
          ].map((field) => [field, places]),
        ),
        { requiredKeys: ['email'] },
      )
      .chain((fields) =>
        fc
          .record({
            eventName: fc.oneof({ weight: 3, arbitrary: fc.constant('event') }, joined),
            email: fc.oneof({ weight: 3, arbitrary: fc.constant(['email', 'lead.email']) }, places),
            eventKey: joined,
          })
          .map((more) => ({ ...fields, ...more })),
      ),
    eventTypes: fc.record({ opened: types, 'Email Replied': types, '*': types }, { requiredKeys: [] }),
    constants: fc.record({ eventName: fc.constant('opened'), campaignName: fc.constant('x') }, { requiredKeys: [] }),
  },
  { requiredKeys: ['fields'] },
);
const given = fc.record({
  headers: fc.dictionary(fc.constantFrom('x-event'), fc.string({ maxLength: 20 })),
  body,
  bodyHash: fc.constant(HASH),
});

function strings(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (value instanceof Date || typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(strings);
}

test('never throws; events are well-formed, the same again, and what `try` shows agrees', () => {
  let withEvents = 0;
  fc.assert(
    fc.property(mapping, given, (raw, input) => {
      const reader = { platform: 'my-dialer', mapping: eventMappingSchema.parse(JSON.parse(JSON.stringify(raw))) };
      const before = structuredClone(input);
      const result = normalize(reader, input);
      expect(normalize(reader, structuredClone(input))).toEqual(result);
      expect(input).toEqual(before);
      expect(explainReading(reader, input).result).toEqual(result);
      if (result.outcome !== 'events') return;
      withEvents += 1;
      expect(new Set(result.events.map(({ eventKey }) => eventKey)).size).toBe(result.events.length);
      for (const event of result.events) {
        expect(Object.keys(SEQUENCER_EVENT_TYPES)).toContain(event.eventType);
        expect(event.toEmail).toMatch(/^(?:[^\s@]+@[^\s@]+|https:\/\/\S+)$/);
        expect(event.toEmail).toBe(event.toEmail.toLowerCase());
        for (const text of strings(event)) expect(text.isWellFormed() && !text.includes('\0')).toBe(true);
      }
    }),
    { numRuns: 1_500, seed: 20260301 },
  );
  expect(withEvents).toBeGreaterThan(100);
});

test('proposals are valid mappings of any payloads, but for what could not be found', () => {
  fc.assert(
    fc.property(fc.array(given, { maxLength: 4 }), (received) => {
      const checked = eventMappingSchema.safeParse(JSON.parse(JSON.stringify(proposeMapping(received).mapping)));
      const missing = checked.error?.issues.map(({ path: at }) => at.join('.')) ?? [];
      expect(['fields.eventName', 'fields.email']).toEqual(expect.arrayContaining(missing));
    }),
    { numRuns: 500, seed: 20260301 },
  );
});

test('a path is what its text says', () => {
  fc.assert(
    fc.property(steps, (expected) => {
      const text = formatMappingPath(expected);
      fc.pre(text.length <= 200);
      expect(parseMappingPath(text)).toEqual({ from: 'item', steps: expected });
    }),
    { seed: 20260301 },
  );
});

test.each([
  ['', 'must not be empty'],
  ['lead..email', 'cannot be read from "..email"'],
  ['lead.', 'cannot be read from "."'],
  ['lead[x]', 'brackets hold a position'],
  ['lead[0', 'brackets hold a position'],
  ['a]b', 'cannot be read from "]b"'],
  ['header:', 'must name a header'],
  ['header:x y', 'must name a header'],
  ['header:x-kind', 'is not stored'],
  ['header:authorization', 'is not stored'],
  ['a'.repeat(201), 'at most 200'],
  ['a.'.repeat(12) + 'b', 'at most 12 parts'],
])('the path %j is refused: %s', (text, message) => {
  expect(() => parseMappingPath(text)).toThrow(message);
});

test.each([
  [{}, 'fields', ''],
  [{ fields: { email: 'to' } }, 'fields.eventName', 'is missing'],
  [{ fields: { eventName: 'event' } }, 'fields.email', 'is missing'],
  [{ fields: { eventName: 'event', email: 'to', mail: 'x' } }, 'fields', '"mail" is not a field'],
  [{ fields: { eventName: 'event', email: [] } }, 'fields.email', 'must name at least one path'],
  [{ fields: { eventName: 'event', email: Array(11).fill('a') } }, 'fields.email', 'must name at most 10 paths'],
  [
    { fields: { eventName: [['a', 'b', 'c', 'd', 'e', 'f']], email: 'to' } },
    'fields.eventName.0',
    'must name at most 5 paths',
  ],
  [{ fields: { eventName: 'event', email: ['to', 'a..b'] } }, 'fields.email.1', 'cannot be read'],
  [{ fields: { eventName: 'event', email: 7 } }, 'fields.email', 'must be a path'],
  [
    { fields: { eventName: 'event', email: 'to' }, eventTypes: { a: 'OPENED' } },
    'eventTypes.a',
    'must be one of EMAIL_SENT',
  ],
  [
    { fields: { eventName: 'event', email: 'to' }, eventTypes: { 'a.b': 'EMAIL_OPEN', 'A B': 'EMAIL_SENT' } },
    'eventTypes.A B',
    'is the same event name as "a.b"',
  ],
  [{ fields: { eventName: 'event', email: 'to' }, constants: { email: 'x' } }, 'constants', '"email" is not'],
  [
    {
      fields: { eventName: 'event', email: 'to' },
      eventTypes: Object.fromEntries(
        Array.from({ length: 200 }, (_, index) => [
          `e${index}`,
          { type: 'LEAD_CATEGORY_UPDATED', category: 'x'.repeat(400) },
        ]),
      ),
    },
    '',
    'must be at most 65536 bytes',
  ],
  [{ fields: { eventName: 'event', email: 'to' }, script: 'x' }, '', '"script" is not a part'],
])('the mapping %j is refused at %s', (given_, place, message) => {
  const issues = eventMappingSchema.safeParse(given_).error?.issues ?? [];
  expect(issues.map(({ path: at, message: text }) => `${at.join('.')}: ${text}`)).toContainEqual(
    expect.stringContaining(place === '' ? message : `${place}: ${message}`),
  );
});

const WIDE = eventMappingSchema.parse({
  items: ['items[*]', '$'],
  fields: {
    eventName: ['a[*].b[*].c[*]', '$.a[*].b[*].c[*]', 'event'],
    email: ['lead[*].email', 'x[name=Email].value', 'a[*].b[name=Email].value', 'email'],
  },
});
const list = <Value>(length: number, element: Value): Value[] => Array.from({ length }, () => element);
const named = { event: 'EMAIL_OPEN', email: 'a@example.org' };
const WIDE_BODIES: Readonly<Record<string, (size: number) => unknown>> = {
  deep: (size) => JSON.parse(`${'{"lead":'.repeat(size)}1${'}'.repeat(size)}`),
  wide: (size) => ({ ...named, a: list(size, { b: list(size, { c: list(size, 1) }) }) }),
  long: (size) => ({ items: list(size, { event: 'x'.repeat(1_000), email: 'y'.repeat(1_000) }) }),
  both: (size) => ({ items: list(size, named), a: list(size, { b: list(size, { name: 'Email' }) }) }),
};

/** A path looks at 1,000 elements for each of its steps at most, however they are nested. */
test.each(Object.entries(WIDE_BODIES))('%s payloads cost a bounded number of reads', (_name, bodyOf) => {
  const reader = { platform: 'my-dialer', mapping: WIDE };
  const readsOf = (size: number, read: (given_: NormalizeInput) => unknown) => {
    const reading = { reads: 0 };
    read({ headers: {}, body: countReads(bodyOf(size), reading), bodyHash: HASH });
    return reading.reads;
  };
  expect(readsOf(150, (given_) => normalize(reader, given_))).toBeLessThan(60_000);
  expect(readsOf(150, (given_) => explainReading(reader, given_))).toBeLessThan(120_000);
  expect(readsOf(900, (given_) => proposeMapping([given_]))).toBeLessThan(60_000);
});

test('a text of the body in each of many events is not multiplied', () => {
  const fields = { eventName: 'event', email: 'email', bodyText: '$.text' };
  const reader = { platform: 'my-dialer', mapping: eventMappingSchema.parse({ items: 'items', fields }) };
  const read = (count: number) => {
    const items = Array.from({ length: count }, (_, index) => ({ ...named, email: `a${index}@example.org` }));
    return normalize(reader, { headers: {}, body: { text: 'x'.repeat(100_000), items }, bodyHash: HASH });
  };
  expect(read(100).outcome).toBe('events');
  expect(read(101)).toEqual({
    outcome: 'unparsed',
    reason: expect.stringContaining('characters in the events of one body'),
  });
});

test('keys of the prototype are keys like others, and nothing is inherited', () => {
  const text = '{"fields":{"eventName":"__proto__.event","email":"constructor.email","jobTitle":"toString.name"}}';
  const reader = { platform: 'my-dialer', mapping: eventMappingSchema.parse(JSON.parse(text)) };
  const read = (json_: string) => normalize(reader, { headers: {}, body: JSON.parse(json_), bodyHash: HASH });
  expect(read('{"__proto__":{"event":"EMAIL_OPEN"},"constructor":{"email":"kim@example.org"}}')).toMatchObject({
    events: [{ eventType: 'EMAIL_OPEN', toEmail: 'kim@example.org', contact: { jobTitle: null } }],
  });
  expect(read('{"a":1}').outcome).toBe('unparsed');
  const names = { headers: {}, body: JSON.parse('{"event":"__proto__","email":"kim@example.org"}'), bodyHash: HASH };
  expect(Object.getPrototypeOf(proposeMapping([names]).mapping)).toBe(Object.prototype);
  expect(({} as Record<string, unknown>)['event']).toBeUndefined();
});
