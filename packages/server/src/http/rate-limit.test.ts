import { expect, test } from 'vitest';
import { toClientNetwork } from './rate-limit.ts';

test.each([
  ['192.0.2.7', '192.0.2.7', 'an IPv4 address is itself'],
  ['::ffff:192.0.2.7', '192.0.2.7', 'mapped into IPv6 it is the same client'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64', 'an IPv6 host has a whole /64'],
  ['2001:db8:1:2:ffff::1', '2001:db8:1:2::/64', 'so its other addresses share the bucket'],
  ['2001:db8:1:3::1', '2001:db8:1:3::/64', 'and the neighbour has its own'],
  ['', 'unknown', 'a socket that is gone has no address'],
])('%s counts as %s: %s', (ip, network) => {
  expect(toClientNetwork(ip)).toBe(network);
});
