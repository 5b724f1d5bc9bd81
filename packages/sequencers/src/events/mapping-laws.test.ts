/** Any JSON body under any valid mapping: no throw, well-formed events, bounded work. */
import { eventMappingSchema } from '@svc/domain/mappings/event-mapping';
import { comparableEventName } from '@svc/domain/mappings/event-name';
import { formatMappingPath, parseMappingPath } from '@svc/domain/mappings/mapping-path';
import { SEQUENCER_EVENT_TYPES } from '@svc/contract/vocabulary';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { explainReading, proposeMapping } from './mapping-tools.ts';
import { normalize } from './index.ts';

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
const { json } = fc.letrec<{ json: unknown }>((tie) => ({
  json: fc.oneof(
    { maxDepth: 4 },
    leaf,
    fc.array(tie('json'), { maxLength: 4 }),
    fc.dictionary(
      fc.oneof({ weight: 9, arbitrary: fc.constantFrom(...KEYS) }, { weight: 1, arbitrary: fc.string() }),
      tie('json'),
      { maxKeys: 8 },
    ),
  ),
}));
const meant = fc
  .tuple(
    json,
    fc.record({
      event: fc.constantFrom('opened', 'EMAIL_SENT', 'EMAIL_REPLY', 'lead interested'),
      email: fc.constantFrom('kim@example.org', 'x'),
    }),
  )
  .map(([junk, named]) => ({
    ...(typeof junk === 'object' && junk !== null && !Array.isArray(junk) ? junk : { junk }),
    ...named,
  }));
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
  [{ fields: { eventName: 'event', email: 'to' }, script: 'x' }, '', '"script" is not a part'],
])('the mapping %j is refused at %s', (given_, place, message) => {
  const issues = eventMappingSchema.safeParse(given_).error?.issues ?? [];
  expect(issues.map(({ path: at, message: text }) => `${at.join('.')}: ${text}`)).toContainEqual(
    expect.stringContaining(place === '' ? message : `${place}: ${message}`),
  );
});

test('deep, wide and long payloads are read quickly', () => {
  const everything = eventMappingSchema.parse({
    items: ['items[*]', '$'],
    fields: { eventName: ['a[*].b[*].c[*]', 'event'], email: ['lead[*].email', 'x[name=Email].value', 'email'] },
  });
  const reader = { platform: 'my-dialer', mapping: everything };
  const wide = {
    a: Array(2_000).fill({ b: Array(200).fill({ c: Array(50).fill(1) }) }),
    event: 'EMAIL_OPEN',
    email: 'a@example.org',
  };
  const bodies: unknown[] = [
    JSON.parse(`${'{"lead":'.repeat(5_000)}1${'}'.repeat(5_000)}`),
    wide,
    { items: Array(5_000).fill({ event: 'x'.repeat(1_000), email: 'y'.repeat(1_000) }) },
  ];
  const started = performance.now();
  for (const value of bodies) {
    const input = { headers: {}, body: value, bodyHash: HASH };
    normalize(reader, input);
    explainReading(reader, input);
    proposeMapping([input]);
  }
  expect(performance.now() - started).toBeLessThan(5_000);
  expect(comparableEventName('email.opened')).toBe('EMAIL_OPENED');
});
