import fc from 'fast-check';
import { expect, test } from 'vitest';
import { clientAddress } from './client-address.ts';

const of = (trustedProxies: number, forwardedFor?: string) =>
  clientAddress({ remoteAddress: '10.0.0.1', forwardedFor, trustedProxies });

test.each([
  [0, undefined, '10.0.0.1'],
  [0, '203.0.113.1', '10.0.0.1'],
  [1, undefined, '10.0.0.1'],
  [1, '', '10.0.0.1'],
  [1, ' , ', '10.0.0.1'],
  [1, '203.0.113.1', '203.0.113.1'],
  [1, 'spoofed, 203.0.113.1', '203.0.113.1'],
  [1, 'spoofed,\t203.0.113.1 , ', '203.0.113.1'],
  [2, 'spoofed, 203.0.113.1, 10.0.0.2', '203.0.113.1'],
  [2, '203.0.113.1', '203.0.113.1'],
  [9, '203.0.113.1, 10.0.0.2', '203.0.113.1'],
])('%i trusted proxies, X-Forwarded-For %j: %s', (trustedProxies, forwardedFor, address) => {
  expect(of(trustedProxies, forwardedFor)).toBe(address);
});

test('entries written by the client have no effect', () => {
  const entry = fc.stringMatching(/^[\da-f.:]{1,20}$/);
  const written = fc.stringMatching(/^[\w ,.]{0,30}$/);
  fc.assert(
    fc.property(fc.array(entry, { minLength: 1, maxLength: 4 }), written, (added, own) => {
      expect(of(added.length, [own, ...added].join(', '))).toBe(added[0]);
    }),
  );
});
