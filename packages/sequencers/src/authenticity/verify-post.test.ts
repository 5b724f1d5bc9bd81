import { createHmac } from 'node:crypto';
import type { SourceSecret } from '@svc/domain/syncs/source-secret';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { documentedCheck, verifyPost } from './index.ts';

const SECRET = 'it is a secret, ü';
const NOW = new Date('2026-11-28T12:00:00Z');
const BODY = Buffer.from('{"a": 1,  "ü":"\\u00fc"}');

const post = (headers: Record<string, unknown>, body: Uint8Array = BODY) => {
  const text = Buffer.from(body).toString();
  return { headers, body, json: text === '' ? undefined : JSON.parse(text) };
};
const hmacOf = (algorithm: string, encoding: 'hex' | 'base64', secret = SECRET) =>
  createHmac(algorithm, secret).update(BODY).digest(encoding);

const header: SourceSecret = { check: 'header', name: 'x-my-secret', secret: SECRET };
const sha256: SourceSecret = { check: 'hmac-sha256', name: 'x-smartlead-signature', secret: SECRET };
const sha1: SourceSecret = { check: 'hmac-sha1', name: 'x-salesloft-signature', secret: SECRET };
const body: SourceSecret = { check: 'body', name: 'secret', secret: SECRET };

test('without secrets every post is accepted', () => {
  expect(verifyPost([], post({}), NOW)).toBe('ok');
});

test.each<[string, SourceSecret, Record<string, unknown>, string]>([
  ['the secret', header, { 'x-my-secret': SECRET }, 'ok'],
  ['another', header, { 'x-my-secret': `${SECRET}.` }, 'wrong'],
  ['only its beginning', header, { 'x-my-secret': SECRET.slice(0, -1) }, 'wrong'],
  ['in another header', header, { 'x-other': SECRET }, 'missing'],
  ['an empty header', header, { 'x-my-secret': '' }, 'missing'],
  ['a repeated header', header, { 'x-my-secret': [SECRET, SECRET] }, 'missing'],
  ['with its prefix', sha256, { 'x-smartlead-signature': `sha256=${hmacOf('sha256', 'hex')}` }, 'ok'],
  ['without', sha256, { 'x-smartlead-signature': hmacOf('sha256', 'hex') }, 'ok'],
  ['in upper case', sha256, { 'x-smartlead-signature': `sha256=${hmacOf('sha256', 'hex').toUpperCase()}` }, 'ok'],
  ['in base64', sha256, { 'x-smartlead-signature': `sha256=${hmacOf('sha256', 'base64')}` }, 'ok'],
  ['of another secret', sha256, { 'x-smartlead-signature': `sha256=${hmacOf('sha256', 'hex', 'no')}` }, 'wrong'],
  ['of another algorithm', sha256, { 'x-smartlead-signature': hmacOf('sha1', 'hex') }, 'wrong'],
  ['only a prefix', sha256, { 'x-smartlead-signature': 'sha256=' }, 'wrong'],
  ['no signature', sha256, {}, 'missing'],
  ['SHA-1', sha1, { 'x-salesloft-signature': hmacOf('sha1', 'hex') }, 'ok'],
  ['SHA-1 of another secret', sha1, { 'x-salesloft-signature': hmacOf('sha1', 'hex', 'no') }, 'wrong'],
])('%s by %o', (_name, secret, headers, expected) => {
  expect(verifyPost([secret], post(headers), NOW)).toBe(expected);
});

test('a signature is of the bytes, not of the JSON', () => {
  const signed = { 'x-smartlead-signature': hmacOf('sha256', 'hex') };
  const reserialized = Buffer.from(JSON.stringify(JSON.parse(BODY.toString())));
  expect(verifyPost([sha256], post(signed, reserialized), NOW)).toBe('wrong');
});

test.each<[unknown, string]>([
  [{ secret: SECRET }, 'ok'],
  [{ secret: 'no' }, 'wrong'],
  [{ secret: 5 }, 'missing'],
  [{ nested: { secret: SECRET } }, 'missing'],
  [[{ secret: SECRET }, { secret: SECRET }], 'ok'],
  [[{ secret: SECRET }, {}], 'missing'],
  [[{ secret: SECRET }, { secret: 'no' }], 'wrong'],
  [[], 'missing'],
  [null, 'missing'],
  ['text', 'missing'],
])('a secret in the body %j is %s', (json, expected) => {
  expect(verifyPost([body], post({}, Buffer.from(JSON.stringify(json))), NOW)).toBe(expected);
});

describe('several secrets', () => {
  const old = { ...header, name: 'x-old-secret', secret: 'old' };
  test('need one match', () => {
    expect(verifyPost([header, old], post({ 'x-old-secret': 'old' }), NOW)).toBe('ok');
    expect(verifyPost([header, old], post({ 'x-my-secret': 'no', 'x-old-secret': 'old' }), NOW)).toBe('ok');
  });
  test('are wrong when one is wrong and none matches', () => {
    expect(verifyPost([header, old], post({ 'x-old-secret': 'no' }), NOW)).toBe('wrong');
    expect(verifyPost([header, old], post({}), NOW)).toBe('missing');
  });
});

test('property: only the secret itself is accepted, and nothing throws', () => {
  fc.assert(
    fc.property(fc.string(), fc.jsonValue(), fc.string(), (given, json, secret) => {
      for (const { check, name } of [header, sha256, sha1, body]) {
        const received = { headers: { [name]: given }, body: Buffer.from(JSON.stringify(json)), json };
        const verdict = verifyPost([{ check, name, secret: `${secret}!` }], received, NOW);
        expect(verdict === 'ok').toBe(check === 'header' && given === `${secret}!`);
      }
    }),
  );
});

test.each([
  ['smartlead', { check: 'hmac-sha256', name: 'x-smartlead-signature' }],
  ['lemlist', { check: 'body', name: 'secret' }],
  ['salesloft', { check: 'hmac-sha1', name: 'x-salesloft-signature' }],
  ['warmysender', { check: 'timed-hmac-sha256', name: 'x-warmy-signature' }],
  ['sendpilot', { check: 'timed-hmac-sha256', name: 'webhook-signature' }],
  ['origami', { check: 'standard-webhooks', name: 'webhook-signature' }],
  ['woodpecker', null],
  ['instantly', null],
  ['my-dialer', null],
])('%s documents %j', (platform, check) => {
  expect(documentedCheck(platform)).toEqual(check);
});
