import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { testRuleCases } from '../../test/rule-suite.ts';
import { addressOfHostname, isBlockedPort, isLocalName, isPublicAddress } from './public-address.ts';

testRuleCases('public-address', ({ rule }) => {
  rule<string>('isPublicAddress', (address) => isPublicAddress(address));
});

describe('allowed ranges', () => {
  test('allow only addresses inside them', () => {
    expect(isPublicAddress('127.0.0.1', ['127.0.0.0/8'])).toBe(true);
    expect(isPublicAddress('10.0.0.1', ['127.0.0.0/8'])).toBe(false);
    expect(isPublicAddress('::1', ['127.0.0.0/8', '::1/128'])).toBe(true);
    expect(isPublicAddress('::1', ['0.0.0.0/0'])).toBe(false);
  });

  test('an IPv4 range applies to mapped addresses too', () => {
    expect(isPublicAddress('::ffff:127.0.0.1', ['127.0.0.0/8'])).toBe(true);
  });

  test('do not allow text that is not an address', () => {
    expect(isPublicAddress('localhost', ['0.0.0.0/0', '::/0'])).toBe(false);
    expect(isPublicAddress('fe80::1%eth0', ['::/0'])).toBe(false);
  });

  test('throws for a range that is not a CIDR', () => {
    expect(() => isPublicAddress('127.0.0.1', ['127.0.0.1'])).toThrow('CIDR');
  });
});

test('treats an IPv4 address and its mapped form alike', () => {
  fc.assert(
    fc.property(fc.ipV4(), (address) => {
      expect(isPublicAddress(`::ffff:${address}`)).toBe(isPublicAddress(address));
    }),
    { numRuns: 500 },
  );
});

test('nothing outside 2000::/3 is public', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 0xffff }), (first) => {
      fc.pre(first >> 13 !== 1);
      expect(isPublicAddress(`${first.toString(16)}:1:2:3:4:5:6:7`)).toBe(false);
    }),
  );
});

test('recognizes local names', () => {
  const local = [
    'localhost',
    'localhost.',
    'a.localhost',
    'printer.local',
    'printer.local.',
    'home.arpa',
    'db.internal',
    'nas.lan',
    'nas.home.arpa',
    'intranet',
  ];
  expect(local.filter((name) => !isLocalName(name))).toEqual([]);
  const others = [
    'example.com',
    'example.com.',
    'localhost.example.com',
    'notlocal.example',
    'arpa.example',
    'x.home-arpa.net',
  ];
  expect(others.filter(isLocalName)).toEqual([]);
});

test('addressOfHostname returns the normalized address', () => {
  const addressOf = (url: string) => addressOfHostname(new URL(url).hostname);
  expect(addressOf('https://0x7f.1/')).toBe('127.0.0.1');
  expect(addressOf('https://[::FFFF:127.0.0.1]:8443/')).toBe('::ffff:7f00:1');
  expect(addressOf('https://example.com/')).toBeNull();
  expect(addressOf('https://1.2.3.4.example.com/')).toBeNull();
});

test('blocks ports of other protocols, not those of http and https', () => {
  const blocked = Array.from({ length: 65_536 }, (_, port) => String(port)).filter(isBlockedPort);
  // The number of entries in the table "bad port" of WHATWG Fetch.
  expect(blocked).toHaveLength(83);
  for (const port of ['0', '22', '25', '53', '139', '587', '6000', '6667', '10080']) expect(blocked).toContain(port);
  for (const port of ['', '80', '443', '8080', '8443', '3000']) expect(isBlockedPort(port)).toBe(false);
});
