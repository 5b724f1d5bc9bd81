import { describe, expect, test } from 'vitest';
import { createRedactor } from './redact.ts';

const KEY = 'live-0123456789abcdef';
const plain = createRedactor({ redactEmails: false, keys: new Set([KEY]) });
const pseudonyms = createRedactor({ redactEmails: true, keys: new Set() });

describe('a text', () => {
  test.each([
    ['keys of the service', 'a osapi_live_abc123 b', 'a osapi_REDACTED b'],
    ['signing secrets', 'oswhsec_abc-DEF_123', 'oswhsec_REDACTED'],
    ['the keys that were sent, whatever their form', `x${KEY}y`, 'xREDACTEDy'],
    ['Authorization headers', 'Authorization: bearer abcdefgh12345==', 'Authorization: bearer REDACTED'],
    ['basic credentials', 'Basic dXNlcjpwYXNz', 'Basic REDACTED'],
    ['JSON web tokens', 'eyJhbGciOi.eyJzdWIiOi.c2lnbg', 'REDACTED'],
    ['credentials in URLs', 'https://user:pass@a.example/x', 'https://REDACTED@a.example/x'],
    [
      'signed URLs',
      'https://s.example/f?X-Amz-Signature=ab12&X-Amz-Credential=c%2Fd&page=2&sig=xyz#a',
      'https://s.example/f?X-Amz-Signature=REDACTED&X-Amz-Credential=REDACTED&page=2&sig=REDACTED#a',
    ],
    [
      'tokens in URLs',
      'see https://a.example/?access_token=1&b=2 now',
      'see https://a.example/?access_token=REDACTED&b=2 now',
    ],
    ['the first field of a form', 'token=abc&page=2', 'token=REDACTED&page=2'],
    ['a quoted form', 'not JSON: "token=abc&page=2"', 'not JSON: "token=REDACTED&page=2"'],
  ])('loses %s', (_name, text, redacted) => {
    expect(plain.text(text)).toBe(redacted);
    expect(plain.text(redacted)).toBe(redacted);
  });

  test.each([
    'oswhk_01kn0k19 oswhd_1 osevt_2',
    'https://api.example.com/api/v1/webhooks/oswhk_01/deliveries?limit=5',
    'Bearer of news',
    'page=2&cursor=eyJhIjoxfQ',
    'kim@example.org',
    '2026-01-15T12:00:00.000Z',
  ])('keeps %s', (text) => {
    expect(plain.text(text)).toBe(text);
  });

  test("gets the same pseudonym for the same source's URL", () => {
    const shown = plain.text('https://sync.example.com/webhooks/7Hk2mQ9x and /webhooks/4711/88');
    expect(shown).toMatch(
      /^https:\/\/sync\.example\.com\/webhooks\/redacted-[\da-f]{10} and \/webhooks\/redacted-[\da-f]{10}$/,
    );
    expect(plain.path('/webhooks/7Hk2mQ9x')).toBe(shown.slice('https://sync.example.com'.length, shown.indexOf(' ')));
    expect(plain.json({ path: '7Hk2mQ9x' })).toEqual({
      path: plain.path('/webhooks/7Hk2mQ9x').slice('/webhooks/'.length),
    });
    expect(plain.path('/api/v1/webhooks/oswhk_1')).toBe('/api/v1/webhooks/oswhk_1');
    expect(plain.text(shown)).toBe(shown);
  });
});

test('fields with secret names and URLs of customers are redacted, all others stay', () => {
  const row = {
    secret: 'oswhsec_abc',
    accessToken: 'abc',
    password: 'x',
    api_key: 'sk_live',
    nested: [{ clientSecret: 'y', apiKey: { name: 'Operations' } }],
    url: 'https://hooks.zapier.com/hooks/catch/123/abc/?a=1',
    destinationUrl: 'https://hooks.example.com/',
    docUrl: 'https://docs.example.com/api/x',
    nextCursor: 'abc',
    path: '/api/v1/x',
    count: 3,
    isActive: true,
    error: null,
  };
  expect(plain.json(row)).toEqual({
    ...row,
    secret: 'oswhsec_REDACTED',
    accessToken: 'REDACTED',
    password: 'REDACTED',
    api_key: 'REDACTED',
    nested: [{ clientSecret: 'REDACTED', apiKey: { name: 'Operations' } }],
    url: expect.stringMatching(/^https:\/\/hooks\.zapier\.com\/redacted-[\da-f]{10}$/),
  });
  expect(plain.json(plain.json(row))).toEqual(plain.json(row));
});

test('a list in a field with a secret name is redacted', () => {
  expect(plain.json({ apiKeys: ['a', 'b'], keys: ['c'] })).toEqual({ apiKeys: ['REDACTED', 'REDACTED'], keys: ['c'] });
});

test.each(['?code=s3cret', '#s3cret', ':s3cret', '/'])(
  "a customer's URL that looks like a source's keeps only its origin: .../webhooks/in%s",
  (end) => {
    const url = `https://hooks.example.com/webhooks/in${end}`;
    const redacted = plain.value('url', url);
    expect(redacted).toMatch(/^https:\/\/hooks\.example\.com\/redacted-[\da-f]{10}$/);
    expect(plain.value('url', redacted)).toBe(redacted);
  },
);

describe('with redactEmails', () => {
  const person = /^person-[\da-f]{10}@redacted\.example$/;

  test('an address always has the same pseudonym, whatever its case and place', () => {
    const shown = pseudonyms.text('Kim@Example.org');
    expect(shown).toMatch(person);
    expect(pseudonyms.json({ toEmail: 'kim@example.org', body: 'From <kim@example.org>,' })).toEqual({
      toEmail: shown,
      body: `From <${shown}>,`,
    });
    expect(pseudonyms.path('/api/v1/contacts/kim%40example.org')).toBe(`/api/v1/contacts/${encodeURIComponent(shown)}`);
    expect(pseudonyms.text('https://a.example/x?email=kim%40example.org&b=1')).toBe(
      `https://a.example/x?email=${shown.replace('@', '%40')}&b=1`,
    );
    expect(pseudonyms.text('https://a.example/x?email=kim@example.org')).toBe(`https://a.example/x?email=${shown}`);
    expect(pseudonyms.text(shown)).toBe(shown);
    expect(pseudonyms.text('jürgen+a@bücher.example')).toMatch(person);
    expect(pseudonyms.text('pat@example.org')).not.toBe(shown);
  });

  test('other texts stay', () => {
    expect(pseudonyms.text('a@b, @handle, 3 @ 4.5')).toBe('a@b, @handle, 3 @ 4.5');
  });
});
