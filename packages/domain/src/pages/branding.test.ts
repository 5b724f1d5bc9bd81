import { HEADERS, PREFIXES } from '@svc/contract/vocabulary';
import { describe, expect, test } from 'vitest';
import {
  type Branding,
  brandDocument,
  brandHeaderName,
  brandHeaders,
  brandWorld,
  DEFAULT_BRANDING,
  isPrefix,
  unbrandKey,
  toBranding,
} from './branding.ts';
import { parseWorld } from '../world/index.ts';
import { validWorld } from '../world/valid-world.fixture.ts';

const ACME: Branding = { headerPrefix: 'Acme', keyPrefix: 'acme_', secretPrefix: 'acme-sign_' };

describe('toBranding', () => {
  test("uses the contract's prefix for omitted ones", () => {
    expect(toBranding({})).toEqual({ headerPrefix: 'Service', keyPrefix: 'osapi_', secretPrefix: 'oswhsec_' });
    expect(toBranding({ keyPrefix: 'acme_', secretPrefix: undefined })).toEqual({
      ...DEFAULT_BRANDING,
      keyPrefix: 'acme_',
    });
  });

  test('returns DEFAULT_BRANDING for the default prefixes', () => {
    expect(toBranding({ headerPrefix: 'Service-', keyPrefix: 'osapi_' })).toBe(DEFAULT_BRANDING);
  });

  test.each(['Acme', 'Acme-'])('accepts %s: the dash is optional', (headerPrefix) => {
    expect(toBranding({ headerPrefix }).headerPrefix).toBe('Acme');
  });

  test.each([
    ['headerPrefix', ['', '-', '-Acme', 'Acme--', 'Ac me', 'Acme:', 'Acmé', 'a_b', '1st', 'x'.repeat(34)]],
    ['keyPrefix', ['', 'a', '_a', '1a', 'a b', 'a.b', 'a$', 'é_', 'x'.repeat(33)]],
    ['secretPrefix', ['', 'a', '-a', 'a+', 'a\n', 'x'.repeat(33)]],
  ] as const)('refuses an invalid %s', (kind, prefixes) => {
    for (const prefix of prefixes) {
      expect([prefix, isPrefix(kind, prefix)]).toEqual([prefix, false]);
      expect(() => toBranding({ [kind]: prefix })).toThrow(new RegExp(`^${kind} must be .+, such as `));
    }
  });

  test('names the first letter in the error of a header prefix', () => {
    expect(() => toBranding({ headerPrefix: '1st' })).toThrow('at most 32 letters, digits and dashes, a letter first');
  });

  test.each([
    ['headerPrefix', ['A', 'X-Acme', 'X-Acme-', 'a1', 'x'.repeat(32)]],
    ['keyPrefix', ['ab', 'sk_live_', 'acme-', 'x'.repeat(32)]],
    ['secretPrefix', ['whsec_', 'W1']],
  ] as const)('accepts a valid %s', (kind, prefixes) => {
    for (const prefix of prefixes) expect([prefix, isPrefix(kind, prefix)]).toEqual([prefix, true]);
  });
});

describe('headers', () => {
  test('brands all headers of the service and no others', () => {
    expect(Object.values(HEADERS).map((name) => brandHeaderName(name, ACME))).toEqual([
      'Acme-Event-Id',
      'Acme-Delivery-Id',
      'Acme-Signature',
      'Acme-Request-Id',
      'Acme-Payload-Id',
    ]);
    for (const name of ['Retry-After', 'Service-Worker', 'X-Service-Signature']) {
      expect(brandHeaderName(name, ACME)).toBe(name);
    }
    expect(brandHeaders({ 'Service-Signature': 't=1', 'Content-Type': 'text/plain' }, ACME)).toEqual({
      'Acme-Signature': 't=1',
      'Content-Type': 'text/plain',
    });
    expect(brandHeaderName('Service-Signature', DEFAULT_BRANDING)).toBe('Service-Signature');
  });
});

describe('keys and secrets of a world', () => {
  const world = parseWorld(validWorld());

  test('get the prefixes; nothing else changes', () => {
    const branded = brandWorld(world, ACME);
    expect(branded.apiKeys.map(({ token }) => token)).toEqual(['acme_first', 'acme_second']);
    expect(branded.webhooks.map(({ secret }) => secret)).toEqual(['acme-sign_1', 'acme-sign_2']);
    const back = {
      ...branded,
      apiKeys: branded.apiKeys.map((key) => ({ ...key, token: unbrandKey(key.token, ACME) })),
      webhooks: world.webhooks,
    };
    expect(back).toEqual(world);
  });

  test('returns the same world for the default branding', () => {
    expect(brandWorld(world, DEFAULT_BRANDING)).toBe(world);
    expect(brandWorld(world, { ...DEFAULT_BRANDING })).toBe(world);
  });

  test('brands a world when a single prefix differs', () => {
    for (const kind of ['headerPrefix', 'keyPrefix', 'secretPrefix'] as const) {
      expect(brandWorld(world, { ...DEFAULT_BRANDING, [kind]: ACME[kind] })).not.toBe(world);
    }
  });

  test('unbrandKey restores the prefix of the world file', () => {
    expect(unbrandKey('acme_a', ACME)).toBe('osapi_a');
    expect(unbrandKey('osapi_a', ACME)).toBe('osapi_a');
  });
});

describe('the document', () => {
  const text = `Service-Request-Id, "Service-Signature": osapi_... ${PREFIXES.webhookSecret}x of the Service-Desk`;

  test("uses the installation's prefixes", () => {
    expect(brandDocument(text, ACME)).toBe(
      'Acme-Request-Id, "Acme-Signature": acme_... acme-sign_x of the Service-Desk',
    );
  });

  test('does not replace inside an inserted prefix', () => {
    const branding = { ...ACME, keyPrefix: 'x_', secretPrefix: 'osapi_secret_' };
    expect(brandDocument('oswhsec_1 osapi_1', branding)).toBe('osapi_secret_1 x_1');
  });

  test('is unchanged for the default branding', () => {
    expect(brandDocument(text, DEFAULT_BRANDING)).toBe(text);
  });
});
