import { createHmac } from 'node:crypto';
import type { SourceSecret } from '@svc/domain/syncs/source-secret';
import { signPayload } from '@svc/domain/webhooks/webhook-signature';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { newStandardSecret, toStandardKey, verifyPost } from './index.ts';

const NOW = new Date('2026-11-28T12:00:00Z');
const NOW_SECONDS = NOW.getTime() / 1_000;
const BODY = Buffer.from('{"type": "reply.received",  "ü":"\\u00fc"}');

const verify = (secret: SourceSecret, headers: Record<string, unknown>, body: Uint8Array = BODY, now = NOW) =>
  verifyPost([secret], { headers, body, json: {} }, now);

describe('t=<time>,v1=<hex>', () => {
  const accepted: SourceSecret = { check: 'timed-hmac-sha256', name: 'x-warmy-signature', secret: 'whsec_not-base64' };
  const hex = (t: number | string, secret = accepted.secret) =>
    createHmac('sha256', secret).update(`${t}.`).update(BODY).digest('hex');
  const verifyHeader = (value: unknown, more: Partial<SourceSecret> = {}) =>
    verify({ ...accepted, ...more }, { 'x-warmy-signature': value });
  const at = (t: number) => `t=${t},v1=${hex(t)}`;

  test.each<[string, unknown, string]>([
    ['seconds', at(NOW_SECONDS), 'ok'],
    ['milliseconds', at(NOW.getTime()), 'ok'],
    ['another name of the signature', `t=${NOW_SECONDS},s=${hex(NOW_SECONDS)}`, 'ok'],
    ['another order, spaces and upper case', `v1=${hex(NOW_SECONDS).toUpperCase()} , t=${NOW_SECONDS}`, 'ok'],
    ['several signatures', `t=${NOW_SECONDS},v1=${hex(NOW_SECONDS, 'old')},v1=${hex(NOW_SECONDS)}`, 'ok'],
    ['signatures of others', `t=${NOW_SECONDS},v1=${hex(NOW_SECONDS, 'a')},v1=${hex(NOW_SECONDS, 'b')}`, 'wrong'],
    ['another time than signed', `t=${NOW_SECONDS},v1=${hex(NOW_SECONDS - 1)}`, 'wrong'],
    ['no time', `v1=${hex('')}`, 'wrong'],
    ['two times', `t=1,t=${NOW_SECONDS},v1=${hex(NOW_SECONDS)}`, 'wrong'],
    ['no signature', `t=${NOW_SECONDS}`, 'wrong'],
    ['only the HMAC', hex(NOW_SECONDS), 'wrong'],
    ['an empty header', ' ', 'missing'],
    ['no header', undefined, 'missing'],
    ['the oldest time', at(NOW_SECONDS - 300), 'ok'],
    ['an older time', at(NOW_SECONDS - 301), 'stale'],
    ['an older time in milliseconds', at(NOW.getTime() - 300_001), 'stale'],
    ['the last time in the future', at(NOW_SECONDS + 300), 'ok'],
    ['a later time', at(NOW_SECONDS + 301), 'stale'],
    ['an older time with a wrong signature', `t=1,v1=${hex(2)}`, 'wrong'],
  ])('%s', (_name, value, expected) => {
    expect(verifyHeader(value)).toBe(expected);
  });

  test('the tolerance of the source counts', () => {
    expect(verifyHeader(at(NOW_SECONDS - 3_600), { toleranceSeconds: 3_600 })).toBe('ok');
    expect(verifyHeader(at(NOW_SECONDS - 2), { toleranceSeconds: 1 })).toBe('stale');
  });

  test('property: what this service signs for its own webhooks is accepted, and nothing else', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.string({ minLength: 1 }),
        fc.uint8Array({ maxLength: 200 }),
        fc.integer({ min: -300, max: 300 }),
        fc.nat(),
        async (secret, payload, offset, flipped) => {
          const body = new Uint8Array(payload);
          const header = await signPayload({ payload: body, secret, timestampSeconds: NOW_SECONDS + offset });
          const own = { ...accepted, secret };
          expect(verify(own, { [own.name]: header }, body)).toBe('ok');
          const digits = [...header];
          const index = flipped % digits.length;
          digits[index] = digits[index] === '0' ? '1' : '0';
          expect(verify(own, { [own.name]: digits.join('') }, body)).not.toBe('ok');
          expect(verify(own, { [own.name]: header }, new Uint8Array([...body, 0]))).toBe('wrong');
        },
      ),
    );
  });

  test('property: no header throws or is accepted', () => {
    const part = fc.oneof(
      fc.string(),
      fc.constantFrom('t=', 'v1=', ',', 's=', '0', 'f'.repeat(64), String(NOW_SECONDS)),
    );
    fc.assert(
      fc.property(
        fc.array(part).map((parts) => parts.join('')),
        (value) => {
          expect(['wrong', 'missing']).toContain(verifyHeader(value));
        },
      ),
    );
  });
});

describe('Standard Webhooks', () => {
  /** The vector of the reference libraries: github.com/standard-webhooks/standard-webhooks, read on 2026-11-28. */
  const published = {
    secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
    headers: {
      'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      'webhook-timestamp': '1614265330',
      'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    },
    body: Buffer.from('{"test": 2432232314}'),
    now: new Date(1_614_265_330_000),
  };
  const accepted: SourceSecret = { check: 'standard-webhooks', name: 'webhook-signature', secret: published.secret };
  const verifyPublished = (
    headers: Record<string, unknown> = {},
    more: Partial<SourceSecret> = {},
    now = published.now,
  ) => verify({ ...accepted, ...more }, { ...published.headers, ...headers }, published.body, now);
  const signature = published.headers['webhook-signature'];

  test.each<[string, Record<string, unknown>, string]>([
    ['the published vector', {}, 'ok'],
    ['two signatures', { 'webhook-signature': `v1,${'A'.repeat(43)}= ${signature}` }, 'ok'],
    ['with one of a public key', { 'webhook-signature': `v1a,AAAA ${signature}` }, 'ok'],
    ['only another version', { 'webhook-signature': signature.replace('v1,', 'v2,') }, 'wrong'],
    ['no version', { 'webhook-signature': signature.slice(3) }, 'wrong'],
    ['another id', { 'webhook-id': 'msg_other' }, 'wrong'],
    ['another time', { 'webhook-timestamp': '1614265331' }, 'wrong'],
    ['a time that is no number', { 'webhook-timestamp': 'now' }, 'wrong'],
    ['a dot in the id', { 'webhook-id': 'msg.1', 'webhook-timestamp': '1614265330' }, 'wrong'],
    ['no id', { 'webhook-id': undefined }, 'missing'],
    ['no time', { 'webhook-timestamp': '' }, 'missing'],
    ['no signature', { 'webhook-signature': undefined }, 'missing'],
  ])('%s', (_name, headers, expected) => {
    expect(verifyPublished(headers)).toBe(expected);
  });

  test('the prefix of the secret is optional, and its text is not the key', () => {
    expect(verifyPublished({}, { secret: published.secret.slice('whsec_'.length) })).toBe('ok');
    expect(verifyPublished({}, { secret: newStandardSecret(new Uint8Array(24)) })).toBe('wrong');
    expect(verifyPublished({}, { secret: 'not base64!' })).toBe('wrong');
  });

  test.each([
    [300, 'ok'],
    [301, 'stale'],
    [-301, 'stale'],
  ])('%i s after it was signed', (seconds, expected) => {
    expect(verifyPublished({}, {}, new Date(published.now.getTime() + seconds * 1_000))).toBe(expected);
  });

  test('during a rotation, the secret before is accepted too', () => {
    const next = { ...accepted, secret: newStandardSecret(new Uint8Array(32).fill(7)) };
    const post = { headers: published.headers, body: published.body, json: {} };
    expect(verifyPost([next, accepted], post, published.now)).toBe('ok');
    expect(verifyPost([next], post, published.now)).toBe('wrong');
  });

  test('property: a new secret is read back, and signs what is accepted', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1, maxLength: 64 }), fc.string(), fc.uuid(), (bytes, text, id) => {
        const secret = newStandardSecret(bytes);
        expect(toStandardKey(secret)).toEqual(new Uint8Array(bytes));
        const body = Buffer.from(text);
        const signed = createHmac('sha256', bytes).update(`${id}.${NOW_SECONDS}.`).update(body).digest('base64');
        const headers = {
          'webhook-id': id,
          'webhook-timestamp': String(NOW_SECONDS),
          'webhook-signature': `v1,${signed}`,
        };
        expect(verify({ ...accepted, secret }, headers, body)).toBe('ok');
        expect(verify({ ...accepted, secret }, { ...headers, 'webhook-id': `${id}0` }, body)).toBe('wrong');
      }),
    );
  });

  test('property: no text throws as a secret or header', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), fc.string(), (secret, id, given) => {
        expect(toStandardKey(secret)).toSatisfy((key) => key === null || key instanceof Uint8Array);
        const headers = { 'webhook-id': id, 'webhook-signature': given };
        expect(['wrong', 'missing']).toContain(verifyPublished(headers, { secret }));
      }),
    );
  });
});
