import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { bytesOf, eventBody, webhookVectors } from '../../test/webhook-vectors.ts';
import {
  ConfigurationError,
  createWebhookHeaders,
  SvcError,
  signWebhook,
  verifyWebhook,
  type VerifyWebhookOptions,
  webhookHeaderNames,
  WebhookVerificationError,
} from './index.ts';

const SECRET = 'oswhsec_demo';
const NOW_SECONDS = 1_769_855_400;
const now = () => NOW_SECONDS * 1000;
const sign = (payload: string | Uint8Array, secret = SECRET, timestampSeconds = NOW_SECONDS) =>
  signWebhook({ payload, secret, timestampSeconds });

async function refusalOf(options: VerifyWebhookOptions): Promise<WebhookVerificationError> {
  const error = await verifyWebhook({ now, ...options }).then(
    () => new Error('it was accepted'),
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof WebhookVerificationError)) throw error;
  return error;
}

describe('shared vectors', () => {
  test('there are at least 30, with every outcome for a body', () => {
    expect(webhookVectors.length).toBeGreaterThanOrEqual(30);
    const bodies = new Set(webhookVectors.map(({ body }) => body));
    expect([...bodies].sort()).toEqual([
      'byte_order_mark',
      'event',
      'invalid_json',
      'invalid_utf8',
      'not_an_event',
      undefined,
    ]);
  });

  test.each(webhookVectors)('$name', async ({ input, expected, body }) => {
    const { payloadBase64, header, secrets, toleranceSeconds, nowSeconds } = input;
    const payload = bytesOf(payloadBase64);
    const options = { payload, header, secrets, toleranceSeconds, now: () => nowSeconds * 1000 };
    if (expected.valid && body === 'event') {
      const event: unknown = JSON.parse(new TextDecoder().decode(payload));
      expect(await verifyWebhook(options)).toEqual(event);
      return;
    }
    const { reason, message, attempts } = await refusalOf(options);
    expect({ reason, attempts }).toEqual({ reason: expected.valid ? body : expected.reason, attempts: 0 });
    expect(message).toMatch(/^[A-Z].*[.?]$/);
    for (const secret of secrets) expect(message).not.toContain(secret);
  });
});

describe('properties', () => {
  const secret = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 60 });
  const summary = fc.string({ unit: 'grapheme', maxLength: 80 });

  test('accepts what was signed, whatever the event and the secret', async () => {
    await fc.assert(
      fc.asyncProperty(secret, summary, fc.jsonValue(), async (key, text, value) => {
        const payload = eventBody({ summary: text, data: { value } });
        const header = await sign(payload, key);
        const event = await verifyWebhook({ payload, header, secret: key, now });
        expect(event).toEqual(JSON.parse(payload));
      }),
    );
  });

  test('signed bytes of any kind pass the signature check; the body check refuses them', async () => {
    await fc.assert(
      fc.asyncProperty(secret, fc.uint8Array({ maxLength: 200 }), async (key, payload) => {
        const { reason } = await refusalOf({ payload, header: await sign(payload, key), secret: key });
        expect(['byte_order_mark', 'invalid_utf8', 'invalid_json', 'not_an_event']).toContain(reason);
      }),
    );
  });

  test('no_match for one flipped bit in the body', async () => {
    const payload = new TextEncoder().encode(eventBody());
    const header = await sign(payload);
    await fc.assert(
      fc.asyncProperty(fc.nat(payload.length * 8 - 1), async (bit) => {
        const flipped = payload.map((byte, index) => (index === bit >> 3 ? byte ^ (1 << (bit & 7)) : byte));
        expect((await refusalOf({ payload: flipped, header, secret: SECRET })).reason).toBe('no_match');
      }),
    );
  });

  test('no_match or malformed_header for one flipped bit in the signature', async () => {
    const payload = eventBody();
    const header = await sign(payload);
    const start = header.indexOf('v1=') + 3;
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: start, max: header.length - 1 }), fc.nat(6), async (place, bit) => {
        const flipped = String.fromCharCode(header.charCodeAt(place) ^ (1 << bit));
        // The bit that changes only the case of a letter has no effect.
        fc.pre(flipped.toLowerCase() !== header.charAt(place));
        const changed = header.slice(0, place) + flipped + header.slice(place + 1);
        const { reason } = await refusalOf({ payload, header: changed, secret: SECRET });
        expect(['no_match', 'malformed_header']).toContain(reason);
      }),
    );
  });

  test('accepts timestamps exactly within the tolerance', async () => {
    const payload = eventBody();
    const header = await sign(payload);
    const shifts = fc.integer({ min: -900_000, max: 900_000 });
    await fc.assert(
      fc.asyncProperty(shifts, fc.nat(600), async (shiftMs, toleranceSeconds) => {
        const options = { payload, header, secret: SECRET, toleranceSeconds, now: () => now() + shiftMs };
        if (Math.abs(shiftMs) <= toleranceSeconds * 1000) {
          expect(await verifyWebhook(options)).toMatchObject({ id: 'osevt_1' });
        } else {
          const { reason } = await refusalOf(options);
          expect(reason).toBe(shiftMs > 0 ? 'timestamp_too_old' : 'timestamp_in_future');
        }
      }),
    );
  });
});

describe('where the signature comes from', () => {
  const payload = eventBody();

  test.each([
    ['Headers of fetch', (headers: Record<string, string>) => new Headers(headers)],
    ['a plain record', (headers: Record<string, string>) => headers],
    [
      'a record of Node, in lower case',
      (headers: Record<string, string>) =>
        Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])),
    ],
    [
      'lists of values',
      (headers: Record<string, string>) =>
        Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]])),
    ],
  ])('%s', async (_, convert) => {
    const made = await createWebhookHeaders({ payload, secret: SECRET, timestampSeconds: NOW_SECONDS });
    expect(await verifyWebhook({ payload, headers: convert(made), secret: SECRET, now })).toMatchObject({
      id: 'osevt_1',
    });
  });

  test('a repeated header is refused', async () => {
    const header = await sign(payload);
    const headers = { 'service-signature': [header, header] };
    expect((await refusalOf({ payload, headers, secret: SECRET })).reason).toBe('malformed_header');
  });

  test.each([{}, { 'service-signature': undefined }, { get: 'a header of this name' }])(
    'none in %o',
    async (headers) => {
      expect((await refusalOf({ payload, headers, secret: SECRET })).reason).toBe('missing_header');
    },
  );

  test.each(['Acme', 'Acme-', 'X-Acme'])('under the prefix %s', async (headerPrefix) => {
    const timestampSeconds = NOW_SECONDS;
    const headers = await createWebhookHeaders({ payload, secret: SECRET, timestampSeconds, headerPrefix });
    expect(Object.keys(headers)).toContain(`${headerPrefix.replace(/-$/, '')}-Signature`);
    expect(await verifyWebhook({ payload, headers, secret: SECRET, now, headerPrefix })).toMatchObject({
      id: 'osevt_1',
    });
    expect((await refusalOf({ payload, headers, secret: SECRET })).reason).toBe('missing_header');
  });

  test('the default names are those of the contract', () => {
    expect(webhookHeaderNames()).toEqual({
      signature: 'Service-Signature',
      eventId: 'Service-Event-Id',
      deliveryId: 'Service-Delivery-Id',
    });
  });

  test('createWebhookHeaders returns all headers of a delivery', async () => {
    const options = { payload, secret: SECRET, timestampSeconds: NOW_SECONDS };
    expect(await createWebhookHeaders({ ...options, eventId: 'osevt_1', deliveryId: 'oswhd_1' })).toEqual({
      'Content-Type': 'application/json',
      'Service-Event-Id': 'osevt_1',
      'Service-Delivery-Id': 'oswhd_1',
      'Service-Signature': await sign(payload),
    });
    expect(await createWebhookHeaders(options)).toMatchObject({
      'Service-Event-Id': 'osevt_test',
      'Service-Delivery-Id': 'oswhd_test',
    });
  });
});

describe('forms of the payload', () => {
  const text = eventBody({ summary: 'Jürgen 🚀' });
  const bytes = new TextEncoder().encode(text);
  const padded = Uint8Array.from([1, 2, ...bytes, 3]);

  test.each([
    ['text', text],
    ['bytes', bytes],
    ['a buffer', bytes.buffer],
    ["Node's Buffer", Buffer.from(text)],
    ['a view into a larger buffer', padded.subarray(2, -1)],
  ])('%s', async (_, payload) => {
    const header = await sign(text);
    expect(await verifyWebhook({ payload, header, secret: SECRET, now })).toMatchObject({ summary: 'Jürgen 🚀' });
  });

  test('bytes of another realm', async () => {
    const { runInNewContext } = await import('node:vm');
    const header = await sign(text);
    const foreign: Uint8Array = runInNewContext('Uint8Array.from(list)', { list: [...bytes] });
    expect(foreign instanceof Uint8Array).toBe(false);
    for (const payload of [foreign, foreign.buffer as ArrayBuffer]) {
      expect(await verifyWebhook({ payload, header, secret: SECRET, now })).toMatchObject({ id: 'osevt_1' });
    }
  });
});

describe('error messages', () => {
  const payload = eventBody();

  test('say by how much a timestamp is stale; the error is an SvcError', async () => {
    const header = await sign(payload);
    const error = await refusalOf({ payload, header, secret: SECRET, now: () => now() + 412_000 });
    expect(error).toBeInstanceOf(SvcError);
    expect(error.name).toBe('WebhookVerificationError');
    expect(error.message).toBe(
      'The signature is genuine, but 412 s old; the tolerance is 300 s. ' +
        'An old delivery was sent again, or this clock is ahead.',
    );
  });

  test('say what to do about a parsed body', async () => {
    const header = await sign(payload);
    const parsed: unknown = JSON.parse(payload);
    // @ts-expect-error a caller without types
    const error = await refusalOf({ payload: parsed, header, secret: SECRET });
    expect(error).toMatchObject({ reason: 'payload_not_raw', hint: expect.stringContaining('"Recipes"') });
    expect(error.message).toContain(error.hint);
  });

  test.each([
    ['a secret with a line break', [`${SECRET}\n`], {}, /white space/],
    ['an API key instead of a secret', ['osapi_demo_write'], {}, /"oswhsec_".*complete/],
    ['a secret of another prefix', ['whsec_1'], { secretPrefix: 'acme_' }, /"acme_"/],
    ['no hint', ['oswhsec_other'], {}, null],
    ['no hint with another prefix', ['acme_1'], { secretPrefix: 'acme_' }, null],
  ])('hint for %s', async (_, secrets, settings, hint) => {
    const error = await refusalOf({ payload, header: await sign(payload), secrets, ...settings });
    expect(error.reason).toBe('no_match');
    if (hint === null) expect(error.hint).toBeNull();
    else expect(error.hint).toMatch(hint);
  });

  test('give a hint for text that lost bytes', async () => {
    const bytes = Uint8Array.from([...new TextEncoder().encode(payload), 0x80]);
    const header = await sign(bytes);
    const error = await refusalOf({ payload: new TextDecoder().decode(bytes), header, secret: SECRET });
    expect(error.hint).toMatch(/pass the bytes/);
  });

  test('name the field that makes a body no event', async () => {
    const messages: Record<string, string> = {};
    for (const [field, value] of Object.entries({ id: '', type: 7, created: '1', summary: null, data: [] })) {
      const wrong = eventBody({ [field]: value });
      messages[field] = (await refusalOf({ payload: wrong, header: await sign(wrong), secret: SECRET })).message;
    }
    const start = 'The signature is genuine, but the body is JSON, but not an event:';
    expect(messages).toEqual({
      id: `${start} id is missing.`,
      type: `${start} type is missing.`,
      created: `${start} created is not an instant.`,
      summary: `${start} summary is not a text.`,
      data: `${start} data is not an object.`,
    });
  });
});

describe('settings that can never work', () => {
  const payload = eventBody();
  const header = 't=1,v1=00';
  test.each<[string, VerifyWebhookOptions]>([
    ['no secrets', { payload, header, secrets: [] }],
    ['an empty secret', { payload, header, secret: '' }],
    ['an empty secret beside a good one', { payload, header, secrets: [SECRET, ''] }],
    ['a tolerance below zero', { payload, header, secret: SECRET, toleranceSeconds: -1 }],
    ['a tolerance that is NaN', { payload, header, secret: SECRET, toleranceSeconds: Number.NaN }],
    ['an invalid prefix', { payload, headers: {}, secret: SECRET, headerPrefix: 'a b' }],
    ['an empty prefix', { payload, headers: {}, secret: SECRET, headerPrefix: '' }],
  ])('%s', async (_, options) => {
    await expect(verifyWebhook(options)).rejects.toThrow(ConfigurationError);
  });

  test('the secret of an unset environment variable', async () => {
    const secret: string | undefined = undefined;
    // @ts-expect-error a caller without types
    await expect(verifyWebhook({ payload, header, secret })).rejects.toThrow(ConfigurationError);
  });

  test('signing checks the secret and the timestamp', async () => {
    await expect(signWebhook({ payload, secret: '' })).rejects.toThrow(ConfigurationError);
    await expect(signWebhook({ payload, secret: SECRET, timestampSeconds: 1.5 })).rejects.toThrow(ConfigurationError);
  });

  test('the timestamp of a signature defaults to now', async () => {
    const header = await signWebhook({ payload, secret: SECRET });
    expect(await verifyWebhook({ payload, header, secret: SECRET })).toMatchObject({ id: 'osevt_1' });
  });
});
