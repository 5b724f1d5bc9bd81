import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { PLATFORMS, SEQUENCER_EVENT_TYPES } from '@svc/contract/vocabulary';
import { expectWellFormed, HASH, inputOf, leaf } from '../../test/any-body.ts';
import { normalize, type NormalizeInput } from './index.ts';

describe.each(PLATFORMS)('%s, any JSON body', (platform) => {
  test('never throws; every event has a recipient, a type and a key', () => {
    let withEvents = 0;
    fc.assert(
      fc.property(inputOf(platform), (given) => {
        const result = normalize({ platform, mapping: null }, given);
        expectWellFormed(result);
        if (result.outcome === 'events') withEvents += 1;
      }),
      { numRuns: 500, seed: 20260301 },
    );
    expect(withEvents).toBeGreaterThan(100);
  });

  test('returns the same result for the same input and does not change it', () => {
    fc.assert(
      fc.property(inputOf(platform), (given) => {
        const before = structuredClone(given);
        const first = normalize({ platform, mapping: null }, given);
        expect(normalize({ platform, mapping: null }, structuredClone(given))).toEqual(first);
        expect(given).toEqual(before);
      }),
      { numRuns: 200, seed: 20260301 },
    );
  });

  test('event keys do not depend on the order of fields or on unknown fields', () => {
    fc.assert(
      fc.property(inputOf(platform), fc.array(fc.tuple(fc.stringMatching(/^zz_[a-z]{1,5}$/), leaf)), (given, extra) => {
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

/** Keys under which some platform has a text. */
const TEXT_KEYS = [
  'event_type',
  'to_email',
  'lead_email',
  'email',
  'linkedinUrl',
  'profile_url',
  'text',
  'reply_text',
  'subject',
];

describe('bounds', () => {
  const expectRead = (given: NormalizeInput) => {
    for (const platform of PLATFORMS)
      expect(normalize({ platform, mapping: null }, given).outcome).toMatch(/^(events|ignored|unparsed)$/);
  };

  test('reads 10,000 nesting levels', () => {
    expectRead({
      headers: {},
      bodyHash: HASH,
      body: JSON.parse(`${'{"lead":'.repeat(10_000)}1${'}'.repeat(10_000)}`),
    });
    expectRead({ headers: {}, bodyHash: HASH, body: JSON.parse(`${'['.repeat(10_000)}${']'.repeat(10_000)}`) });
  });

  test('reads 100,000 keys and strings of a million characters', () => {
    const many = Object.fromEntries(Array.from({ length: 100_000 }, (_, index) => [`column ${index}`, index]));
    expectRead({
      headers: {},
      bodyHash: HASH,
      body: { ...many, event_type: 'email_sent', lead_email: 'kim@example.org' },
    });
    const long = `${'a.'.repeat(500_000)}@`;
    expectRead({
      headers: { 'x-request-id': long },
      bodyHash: HASH,
      body: Object.fromEntries(TEXT_KEYS.map((key) => [key, long])),
    });
    expectRead({
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
