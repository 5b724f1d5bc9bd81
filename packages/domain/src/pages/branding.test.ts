import { HEADERS, PREFIXES } from '@svc/contract/vocabulary';
import { describe, expect, test } from 'vitest';
import {
  type Branding,
  brandDocument,
  brandHeaderName,
  brandHeaders,
  brandKey,
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
  test('what is left out is as the specification has it', () => {
    expect(toBranding({})).toEqual({ headerPrefix: 'Service', keyPrefix: 'osapi_', secretPrefix: 'oswhsec_' });
    expect(toBranding({ keyPrefix: 'acme_', secretPrefix: undefined })).toEqual({
      ...DEFAULT_BRANDING,
      keyPrefix: 'acme_',
    });
  });

  test('the same value for the same prefixes as the default', () => {
    expect(toBranding({ headerPrefix: 'Service-', keyPrefix: 'osapi_' })).toBe(DEFAULT_BRANDING);
  });

  test.each(['Acme', 'Acme-'])('%s is the same header prefix with its dash and without', (headerPrefix) => {
    expect(toBranding({ headerPrefix }).headerPrefix).toBe('Acme');
  });

  test.each([
    ['headerPrefix', ['', '-', '-Acme', 'Acme--', 'Ac me', 'Acme:', 'Acmé', 'a_b', '1st', 'x'.repeat(34)]],
    ['keyPrefix', ['', 'a', '_a', '1a', 'a b', 'a.b', 'a$', 'é_', 'x'.repeat(33)]],
    ['secretPrefix', ['', 'a', '-a', 'a+', 'a\n', 'x'.repeat(33)]],
  ] as const)('%s that cannot be one', (kind, prefixes) => {
    for (const prefix of prefixes) {
      expect([prefix, isPrefix(kind, prefix)]).toEqual([prefix, false]);
      expect(() => toBranding({ [kind]: prefix })).toThrow(new RegExp(`^${kind} must be .+, such as `));
    }
  });

  test('of all that a header prefix must be, the first letter is named too', () => {
    expect(() => toBranding({ headerPrefix: '1st' })).toThrow('at most 32 letters, digits and dashes, a letter first');
  });

  test.each([
    ['headerPrefix', ['A', 'X-Acme', 'X-Acme-', 'a1', 'x'.repeat(32)]],
    ['keyPrefix', ['ab', 'sk_live_', 'acme-', 'x'.repeat(32)]],
    ['secretPrefix', ['whsec_', 'W1']],
  ] as const)('%s that can', (kind, prefixes) => {
    for (const prefix of prefixes) expect([prefix, isPrefix(kind, prefix)]).toEqual([prefix, true]);
  });
});

describe('headers', () => {
  test("the service's own, every one of them, and no other", () => {
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

  test('get the prefixes, and nothing else changes', () => {
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

  test('the world itself where the prefixes are those of the specification', () => {
    expect(brandWorld(world, DEFAULT_BRANDING)).toBe(world);
    expect(brandWorld(world, { ...DEFAULT_BRANDING })).toBe(world);
  });

  test('one prefix alone is enough', () => {
    for (const kind of ['headerPrefix', 'keyPrefix', 'secretPrefix'] as const) {
      expect(brandWorld(world, { ...DEFAULT_BRANDING, [kind]: ACME[kind] })).not.toBe(world);
    }
  });

  test('a key goes there and back', () => {
    expect(brandKey('osapi_a_osapi_', ACME)).toBe('acme_a_osapi_');
    expect(unbrandKey('acme_a', ACME)).toBe('osapi_a');
    expect(brandKey('other', ACME)).toBe('other');
    expect(unbrandKey('osapi_a', ACME)).toBe('osapi_a');
  });
});

describe('the document', () => {
  const text = `Service-Request-Id, "Service-Signature": osapi_... ${PREFIXES.webhookSecret}x of the Service-Desk`;

  test('names what the installation has', () => {
    expect(brandDocument(text, ACME)).toBe(
      'Acme-Request-Id, "Acme-Signature": acme_... acme-sign_x of the Service-Desk',
    );
  });

  test('a prefix that holds the default of another is left alone', () => {
    const branding = { ...ACME, keyPrefix: 'x_', secretPrefix: 'osapi_secret_' };
    expect(brandDocument('oswhsec_1 osapi_1', branding)).toBe('osapi_secret_1 x_1');
  });

  test('stays to the letter where there is nothing to say', () => {
    expect(brandDocument(text, DEFAULT_BRANDING)).toBe(text);
  });
});
