/** The client's rule for prefixes agrees with the server's (`@svc/domain/pages/branding`), which is not in the client's bundle. */
import { HEADERS } from '@svc/contract/vocabulary';
import { brandHeaderName, isPrefix, toBranding } from '@svc/domain/pages/branding';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createFakeService, json } from '../../test/fake-service.ts';
import { createClient } from '../index.ts';
import { webhookHeaderNames } from '../webhooks/index.ts';

const ME = { account: { id: 1 }, apiKey: {}, connections: [] };

const requestIdUnder = async (name: string, headerPrefix: string) => {
  const { options } = createFakeService(json(ME, 200, { [name]: 'req-1' }));
  const { requestId } = await createClient({ ...options, headerPrefix })
    .me.get()
    .withResponse();
  return requestId;
};

describe('headerPrefix', () => {
  test('every prefix that the server accepts gives the same header names', async () => {
    const prefix = fc.string({ unit: fc.constantFrom('a', 'Z', '0', '-'), minLength: 1, maxLength: 33 });
    const prefixes = prefix.filter((text) => isPrefix('headerPrefix', text));
    await fc.assert(
      fc.asyncProperty(prefixes, async (headerPrefix) => {
        const branding = toBranding({ headerPrefix });
        expect(webhookHeaderNames(headerPrefix)).toEqual({
          signature: brandHeaderName(HEADERS.signature, branding),
          eventId: brandHeaderName(HEADERS.eventId, branding),
          deliveryId: brandHeaderName(HEADERS.deliveryId, branding),
        });
        expect(await requestIdUnder(brandHeaderName(HEADERS.requestId, branding), headerPrefix)).toBe('req-1');
      }),
      { examples: [['Service'], ['Acme'], ['Acme-'], ['X-Acme']] },
    );
  });

  test.each(['', '-', '--', '-Acme', 'Ac me', 'Acme:', 'Acmé', 'Acme\n'])(
    '%j is refused before anything is sent',
    (headerPrefix) => {
      expect(isPrefix('headerPrefix', headerPrefix)).toBe(false);
      const refusal = expect.objectContaining({
        name: 'ConfigurationError',
        message: expect.stringContaining('headerPrefix'),
      });
      const { options } = createFakeService(json(ME));
      expect(() => createClient({ ...options, headerPrefix })).toThrow(refusal);
      expect(() => webhookHeaderNames(headerPrefix)).toThrow(refusal);
    },
  );
});
