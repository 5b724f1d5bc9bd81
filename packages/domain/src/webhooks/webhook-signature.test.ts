import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { anyCharacter } from '../../test/any-character.ts';
import {
  DEFAULT_SIGNATURE_TOLERANCE_SECONDS,
  type SignatureVerdict,
  signPayload,
  verifySignature,
} from './webhook-signature.ts';

interface SignatureCase {
  name: string;
  input: {
    payloadBase64: string;
    header: string | null;
    secrets: string[];
    toleranceSeconds: number;
    nowSeconds: number;
  };
  expected: { valid: true; timestampSeconds: number } | { valid: false; reason: string };
  reason: string;
}

const file = new URL('../../../../fixtures/webhook-signature.json', import.meta.url);
const { cases }: { cases: SignatureCase[] } = JSON.parse(readFileSync(file, 'utf8'));

const bytesOf = (base64: string) => Uint8Array.from(Buffer.from(base64, 'base64'));

/** An independent implementation: OpenSSL through node:crypto. */
function nodeHmac(secret: string, t: string | number, payload: Uint8Array): string {
  return createHmac('sha256', secret).update(`${t}.`).update(payload).digest('hex');
}

describe('vectors', () => {
  test('there are enough of each kind', () => {
    expect(cases.filter(({ expected }) => expected.valid).length).toBeGreaterThanOrEqual(12);
    expect(cases.filter(({ expected }) => !expected.valid).length).toBeGreaterThanOrEqual(12);
    expect(new Set(cases.map(({ name }) => name)).size).toBe(cases.length);
  });

  test.each(cases)('$name', async ({ input, expected }) => {
    const { payloadBase64, ...options } = input;
    const verdict = await verifySignature({ payload: bytesOf(payloadBase64), ...options });
    expect(verdict).toMatchObject(expected);
    expect(verdict.valid || /^[A-Z].*\.$/.test(verdict.detail)).toBe(true);
  });

  const genuine = cases.filter(({ expected }) => expected.valid || expected.reason.startsWith('timestamp_'));

  test.each(genuine)('signPayload gives the signature: $name', async ({ input }) => {
    const { payloadBase64, header, secrets } = input;
    const timestampSeconds = Number(/t\s*=\s*(\d+)/.exec(header ?? '')?.[1]);
    const signed = await Promise.all(
      secrets.map((secret) => signPayload({ payload: bytesOf(payloadBase64), secret, timestampSeconds })),
    );
    const plain = (header ?? '').replaceAll(/\s/g, '').toLowerCase();
    // The service sends one t and one v1, in this order; other forms contain the same signature.
    if (/^t=\d+,v1=[0-9a-f]{64}$/.test(plain)) expect(signed).toContain(plain);
    expect(signed.some((value) => plain.includes(value.replace(/^t=\d+,/, '')))).toBe(true);
  });

  test.each(cases)('node:crypto agrees: $name', ({ input, expected }) => {
    const { payloadBase64, header, secrets } = input;
    const t = /(?:^|,)\s*t\s*=\s*(\d+)/.exec(header ?? '')?.[1];
    const signatures = [...(header ?? '').matchAll(/(?:^|,)\s*v1\s*=\s*([0-9a-f]{64})(?![0-9a-f])/gi)];
    const fits =
      t !== undefined &&
      secrets.some((secret) =>
        signatures.some(([, v1 = '']) => v1.toLowerCase() === nodeHmac(secret, t, bytesOf(payloadBase64))),
      );
    // OpenSSL is not compared for malformed or missing headers.
    const genuine = expected.valid || expected.reason.startsWith('timestamp_');
    expect(genuine || expected.reason === 'no_match' ? fits : genuine).toBe(genuine);
  });
});

const secret = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 60 });
const payload = fc.uint8Array({ maxLength: 300 });
const instant = fc.integer({ min: 0, max: 4_102_444_800 });
const TOLERANCE = DEFAULT_SIGNATURE_TOLERANCE_SECONDS;

describe('laws of the signature', () => {
  test('signs like OpenSSL, and the signature verifies', async () => {
    await fc.assert(
      fc.asyncProperty(payload, secret, instant, async (body, key, t) => {
        const header = await signPayload({ payload: body, secret: key, timestampSeconds: t });
        expect(header).toBe(`t=${t},v1=${nodeHmac(key, t, body)}`);
        expect(await verify({ payload: body, header, secrets: [key], nowSeconds: t })).toEqual({
          valid: true,
          timestampSeconds: t,
        });
      }),
    );
  });

  test('no match for a body with a changed, added or removed byte', async () => {
    await fc.assert(
      fc.asyncProperty(payload, secret, fc.nat(), fc.integer({ min: 1, max: 255 }), async (body, key, place, flip) => {
        const header = await signPayload({ payload: body, secret: key, timestampSeconds: 1000 });
        const changed = body.map((byte, index) => (index === place % body.length ? byte ^ flip : byte));
        const others = [Uint8Array.from([...body, flip]), ...(body.length > 0 ? [changed, body.slice(1)] : [])];
        for (const other of others) await expectReason({ payload: other, header, secrets: [key] }, 'no_match');
      }),
    );
  });

  test('no match for another secret', async () => {
    await fc.assert(
      fc.asyncProperty(payload, secret, secret, async (body, key, other) => {
        // HMAC pads keys with zero bytes, so trailing zero bytes do not change a key.
        fc.pre(key.replace(/\0+$/, '') !== other.replace(/\0+$/, ''));
        const header = await signPayload({ payload: body, secret: key, timestampSeconds: 1000 });
        await expectReason({ payload: body, header, secrets: [other] }, 'no_match');
        expect(await verify({ payload: body, header, secrets: [other, key] })).toMatchObject({ valid: true });
      }),
    );
  });

  test('no match for a changed v1 or t', async () => {
    await fc.assert(
      fc.asyncProperty(
        payload,
        secret,
        instant,
        fc.nat(63),
        fc.integer({ min: 1, max: 15 }),
        async (body, key, t, place, step) => {
          const v1 = nodeHmac(key, t, body);
          const digit = ((Number.parseInt(v1.charAt(place), 16) + step) % 16).toString(16);
          const changed = v1.slice(0, place) + digit + v1.slice(place + 1);
          await expectReason(
            { payload: body, header: `t=${t},v1=${changed}`, secrets: [key], nowSeconds: t },
            'no_match',
          );
          await expectReason(
            { payload: body, header: `t=${t + step},v1=${v1}`, secrets: [key], nowSeconds: t },
            'no_match',
          );
        },
      ),
    );
  });

  test('valid exactly within the tolerance, in both directions', async () => {
    await fc.assert(
      fc.asyncProperty(instant, fc.integer({ min: -700, max: 700 }), fc.nat(600), async (t, age, toleranceSeconds) => {
        const header = await signPayload({ payload: '{}', secret: 's', timestampSeconds: t });
        const verdict = await verify({ payload: '{}', header, secrets: ['s'], nowSeconds: t + age, toleranceSeconds });
        expect(verdict.valid).toBe(Math.abs(age) <= toleranceSeconds);
        if (!verdict.valid) expect(verdict.reason).toBe(age > 0 ? 'timestamp_too_old' : 'timestamp_in_future');
      }),
    );
  });

  test('a random header is never valid and never throws', async () => {
    const noise = fc.oneof(
      fc.string({ unit: anyCharacter }),
      fc.stringMatching(/^(?:t=\d{1,12}|v1=[0-9a-f]{60,66}|,|=| )*$/),
    );
    await fc.assert(
      fc.asyncProperty(noise, async (header) => {
        expect((await verify({ payload: '{}', header, secrets: ['s'] })).valid).toBe(false);
      }),
    );
  });
});

describe('forms of the payload', () => {
  test('a string, its UTF-8 bytes and their buffer give the same signature', async () => {
    const text = '{"summary":"Jürgen 🚀"}';
    const bytes = new TextEncoder().encode(text);
    const headers = await Promise.all(
      [text, bytes, bytes.buffer, Buffer.from(text)].map((form) =>
        signPayload({ payload: form, secret: 's', timestampSeconds: 1000 }),
      ),
    );
    expect(new Set(headers).size).toBe(1);
  });

  test('a view into a larger buffer signs only its own bytes', async () => {
    const view = new TextEncoder().encode('xx{}xx').subarray(2, 4);
    const header = await signPayload({ payload: '{}', secret: 's', timestampSeconds: 1000 });
    expect(await verify({ payload: view, header, secrets: ['s'] })).toMatchObject({ valid: true });
  });

  test('a parsed object is reported as payload_not_raw', async () => {
    const header = await signPayload({ payload: '{}', secret: 's', timestampSeconds: 1000 });
    const parsed: unknown = JSON.parse('{}');
    // @ts-expect-error what callers without types do
    const verdict = await verify({ payload: parsed, header, secrets: ['s'] });
    expect(verdict).toEqual({
      valid: false,
      reason: 'payload_not_raw',
      detail: 'The payload is not the raw body. Pass the bytes as they arrived, before any JSON parser.',
    });
  });
});

describe('detail', () => {
  test('says how far the timestamp is off', async () => {
    const header = await signPayload({ payload: '{}', secret: 's', timestampSeconds: 1000 });
    const detail = async (nowSeconds: number) => {
      const verdict = await verify({ payload: '{}', header, secrets: ['s'], nowSeconds });
      return verdict.valid ? '' : verdict.detail;
    };
    expect(await detail(1412)).toBe('The signature is genuine, but 412 s old; the tolerance is 300 s.');
    expect(await detail(600)).toBe('The signature is genuine, but 400 s ahead of this clock; the tolerance is 300 s.');
  });
});

describe('detail about a malformed header', () => {
  const digits = '0'.repeat(64);
  test.each([
    [undefined, 'missing_header', 'The request has no signature header.'],
    [' ', 'missing_header', 'The request has no signature header.'],
    ['t=1,v1', 'malformed_header', 'The signature header is not a list of name=value parts.'],
    [`t=1,t=1,v1=${digits}`, 'malformed_header', 'The signature header holds more than one t.'],
    [`t=01,v1=${digits}`, 'malformed_header', 'The t of the signature header is not a number of seconds.'],
    [`v1=${digits}`, 'malformed_header', 'The signature header has no t.'],
    ['t=1,v0=00', 'malformed_header', 'The signature header has no v1.'],
    ['t=1,v1=00', 'malformed_header', 'The v1 of the signature header is not 64 hexadecimal digits.'],
  ])('%s', async (header, reason, detail) => {
    expect(await verify({ payload: '{}', header, secrets: ['s'] })).toEqual({ valid: false, reason, detail });
  });
});

describe('mistakes of the caller', () => {
  const header = 't=1,v1=00';
  test.each([
    ['no secret', { secrets: [] }, 'at least one signing secret'],
    ['an empty secret', { secrets: [''], header: `t=1,v1=${'0'.repeat(64)}` }, 'must not be empty'],
    ['a tolerance that is not a number', { toleranceSeconds: Number.NaN }, 'toleranceSeconds'],
    ['a negative tolerance', { toleranceSeconds: -1 }, 'toleranceSeconds'],
    ['a clock that is not a number', { nowSeconds: Number.NaN }, 'nowSeconds'],
    ['an infinite clock', { nowSeconds: Number.POSITIVE_INFINITY }, 'nowSeconds'],
  ])('%s', async (_, wrong, message) => {
    await expect(verify({ payload: '{}', header, secrets: ['s'], ...wrong })).rejects.toThrow(message);
  });

  test.each([-1, 1.5, Number.NaN, 2 ** 60])('timestamp %d', async (timestampSeconds) => {
    await expect(signPayload({ payload: '{}', secret: 's', timestampSeconds })).rejects.toThrow(
      new RangeError('timestampSeconds must be a whole number of seconds since 1970'),
    );
  });

  test('signPayload throws for an empty secret', async () => {
    await expect(signPayload({ payload: '{}', secret: '', timestampSeconds: 1 })).rejects.toThrow(TypeError);
  });

  test('an infinite tolerance accepts any age', async () => {
    const old = await signPayload({ payload: '{}', secret: 's', timestampSeconds: 0 });
    const verdict = await verify({
      payload: '{}',
      header: old,
      secrets: ['s'],
      toleranceSeconds: Number.POSITIVE_INFINITY,
    });
    expect(verdict).toEqual({ valid: true, timestampSeconds: 0 });
  });
});

type Partially = Omit<Parameters<typeof verifySignature>[0], 'toleranceSeconds' | 'nowSeconds'> & {
  toleranceSeconds?: number;
  nowSeconds?: number;
};

function verify(options: Partially): Promise<SignatureVerdict> {
  return verifySignature({ toleranceSeconds: TOLERANCE, nowSeconds: 1000, ...options });
}

async function expectReason(options: Partially, reason: string): Promise<void> {
  expect(await verify(options)).toMatchObject({ valid: false, reason });
}
