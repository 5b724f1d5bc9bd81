import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { PLATFORMS as ALL_PLATFORMS, SEQUENCER_EVENT_TYPES } from '@svc/contract/vocabulary';
import { parseEmail } from '@svc/domain/contacts/contact-identity';
import { canonicalProfileUrl } from '@svc/domain/contacts/profile-url';
import { adapterCoverage, normalize, type NormalizeInput } from './index.ts';

const PLATFORMS = ALL_PLATFORMS.filter((platform) => adapterCoverage(platform) !== null);
const HASH = 'c'.repeat(64);

const KEYS = [
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
const leaf = fc.oneof(
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
const { json } = fc.letrec<{ json: unknown }>((tie) => ({
  json: fc.oneof(
    { maxDepth: 4 },
    leaf,
    fc.array(tie('json'), { maxLength: 4 }),
    fc.dictionary(
      fc.oneof({ weight: 9, arbitrary: fc.constantFrom(...KEYS) }, { weight: 1, arbitrary: fc.string() }),
      tie('json'),
      { maxKeys: 12 },
    ),
  ),
}));
/** Mostly plausible values, so that most bodies pass the first checks. */
const address = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom('kim@example.org', 'K. <k@EXAMPLE.org>', 'é@bücher.example') },
  { weight: 1, arbitrary: leaf },
);
const eventName = fc.constantFrom(...EVENT_NAMES);
const nameLike = (...names: string[]) => fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...names) }, eventName);
const asObject = (junk: unknown) =>
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
const input = fc.record({
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

describe.each(PLATFORMS)('%s, any JSON body', (platform) => {
  test('never throws; every event has a recipient, a type and a key', () => {
    let withEvents = 0;
    fc.assert(
      fc.property(input, (given) => {
        const result = normalize({ platform, mapping: null }, given);
        if (result.outcome !== 'events') {
          expect(result.reason).not.toBe('');
          return;
        }
        withEvents += 1;
        expect(result.events.length).toBeGreaterThan(0);
        expect(new Set(result.events.map((event) => event.eventKey)).size).toBe(result.events.length);
        for (const event of result.events) {
          const { email, profileUrl } = event.contact;
          expect(event.toEmail).toBe(email ?? profileUrl);
          expect(event.toEmail).toBe(email === null ? canonicalProfileUrl(event.toEmail) : parseEmail(event.toEmail));
          expect(event.eventType).toMatch(/^[\p{L}\p{M}\p{N}_]{1,80}$/u);
          expect(event.eventKey.length).toBeLessThanOrEqual(200);
          expect(Number.isNaN(event.occurredAt?.getTime())).toBe(false);
          for (const text of strings(event)) {
            expect(text.isWellFormed()).toBe(true);
            expect(text).not.toContain('\0');
          }
        }
      }),
      { numRuns: 2_000, seed: 20260301 },
    );
    expect(withEvents).toBeGreaterThan(80);
  });

  test('returns the same result for the same input and does not change it', () => {
    fc.assert(
      fc.property(input, (given) => {
        const before = structuredClone(given);
        const first = normalize({ platform, mapping: null }, given);
        expect(normalize({ platform, mapping: null }, structuredClone(given))).toEqual(first);
        expect(given).toEqual(before);
      }),
      { numRuns: 500, seed: 20260301 },
    );
  });

  test('event keys do not depend on the order of fields or on unknown fields', () => {
    fc.assert(
      fc.property(input, fc.array(fc.tuple(fc.stringMatching(/^zz_[a-z]{1,5}$/), leaf)), (given, extra) => {
        const shuffled =
          Array.isArray(given.body) || typeof given.body !== 'object' || given.body === null
            ? given.body
            : { ...Object.fromEntries(Object.entries(given.body).toReversed()), ...Object.fromEntries(extra) };
        const [first, second] = [
          normalize({ platform, mapping: null }, given),
          normalize({ platform, mapping: null }, { ...given, body: shuffled }),
        ];
        if (first.outcome !== 'events' || second.outcome !== 'events') return;
        expect(second.events.map((event) => event.eventKey)).toEqual(first.events.map((event) => event.eventKey));
      }),
      { numRuns: 500, seed: 20260301 },
    );
  });
});

describe('bounds', () => {
  const expectCheap = (given: NormalizeInput) => {
    for (const platform of PLATFORMS)
      expect(normalize({ platform, mapping: null }, given).outcome).toMatch(/^(events|ignored|unparsed)$/);
  };

  test('reads 10,000 nesting levels quickly', () => {
    expectCheap({
      headers: {},
      bodyHash: HASH,
      body: JSON.parse(`${'{"lead":'.repeat(10_000)}1${'}'.repeat(10_000)}`),
    });
    expectCheap({ headers: {}, bodyHash: HASH, body: JSON.parse(`${'['.repeat(10_000)}${']'.repeat(10_000)}`) });
  });

  test('reads 100,000 keys and strings of a million characters quickly', () => {
    const many = Object.fromEntries(Array.from({ length: 100_000 }, (_, index) => [`column ${index}`, index]));
    expectCheap({
      headers: {},
      bodyHash: HASH,
      body: { ...many, event_type: 'email_sent', lead_email: 'kim@example.org' },
    });
    const long = `${'a.'.repeat(500_000)}@`;
    expectCheap({
      headers: { 'x-request-id': long },
      bodyHash: HASH,
      body: Object.fromEntries(KEYS.map((key) => [key, long])),
    });
    expectCheap({
      headers: {},
      bodyHash: HASH,
      body: {
        event_type: 'EMAIL_REPLY',
        to_email: 'k@example.org',
        to_name: ' '.repeat(1_000_000),
        reply_body: '<'.repeat(1_000_000),
      },
    });
  });

  test('cuts subjects and bodies', () => {
    const result = normalize(
      { platform: 'smartlead', mapping: null },
      {
        headers: {},
        bodyHash: HASH,
        body: {
          event_type: 'EMAIL_REPLY',
          sl_lead_email: 'k@example.org',
          subject: 'é'.repeat(9_000),
          reply_body: `<p>${'x'.repeat(900_000)}`,
        },
      },
    );
    if (result.outcome !== 'events') throw new Error(result.reason);
    expect(result.events[0]?.subject).toHaveLength(500);
    expect(result.events[0]?.bodyHtml).toHaveLength(200_000);
  });

  test('does not parse more than a thousand items', () => {
    const item = { event_type: 'EMAIL_OPEN', to_email: 'k@example.org' };
    expect(
      normalize(
        { platform: 'smartlead', mapping: null },
        { headers: {}, bodyHash: HASH, body: Array(1_001).fill(item) },
      ).outcome,
    ).toBe('unparsed');
    const thousand = Array.from({ length: 1_000 }, (_, index) => ({ ...item, stats_id: index }));
    const result = normalize({ platform: 'smartlead', mapping: null }, { headers: {}, bodyHash: HASH, body: thousand });
    expect(result).toMatchObject({ outcome: 'events', skipped: 0, events: { length: 1_000 } });
  });
});

test('an unknown platform is unparsed', () => {
  for (const platform of ['apollo', 'Smartlead', '', '__proto__', 'constructor']) {
    expect(normalize({ platform, mapping: null }, { headers: {}, body: {}, bodyHash: HASH }).outcome).toBe('unparsed');
  }
});

test('every mapped type is in the vocabulary', () => {
  const names = [
    'EMAIL_SENT',
    'EMAIL_OPEN',
    'EMAIL_LINK_CLICK',
    'EMAIL_REPLY',
    'EMAIL_BOUNCE',
    'LEAD_UNSUBSCRIBED',
    'LEAD_CATEGORY_UPDATED',
  ];
  for (const event_type of names) {
    const result = normalize(
      { platform: 'smartlead', mapping: null },
      {
        headers: {},
        body: { event_type, lead_email: 'k@example.org' },
        bodyHash: HASH,
      },
    );
    expect(result).toMatchObject({ outcome: 'events', events: [{ eventType: event_type }] });
    expect(Object.keys(SEQUENCER_EVENT_TYPES)).toContain(event_type);
  }
});
