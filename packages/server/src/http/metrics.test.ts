import { expect, test } from 'vitest';
import { isFromThisMachine } from './metrics.ts';

test.each([
  ['127.0.0.1', true],
  ['127.8.8.8', true],
  ['::1', true],
  ['::ffff:127.0.0.1', true],
  ['10.0.0.7', false],
  ['192.0.2.7', false],
  ['::ffff:192.0.2.7', false],
  ['fe80::1', false],
  ['0.0.0.0', false],
  ['', false],
  [undefined, false],
])('a connection from %s is from this machine: %s', (remoteAddress, expected) => {
  const headers = { host: '127.0.0.1:4000' };
  expect(isFromThisMachine({ socket: { remoteAddress }, headers })).toBe(expected);
  // A host name that points to loopback, or a proxy, does not count as this machine.
  expect(isFromThisMachine({ socket: { remoteAddress }, headers: { host: 'rebound.example.com' } })).toBe(false);
  expect(isFromThisMachine({ socket: { remoteAddress }, headers: {} })).toBe(false);
  expect(isFromThisMachine({ socket: { remoteAddress }, headers: { ...headers, via: '1.1 proxy' } })).toBe(false);
});
