import { describe, expect, test } from 'vitest';
import { isLoopbackAddress, isLoopbackHost, findHostError } from './loopback.ts';

test.each(['127.0.0.1', '127.255.8.9', '::1', '0:0:0:0:0:0:0:1', '::ffff:127.0.0.1'])('%s is loopback', (address) => {
  expect(isLoopbackAddress(address)).toBe(true);
});

test.each(['', '0.0.0.0', '::', '10.0.0.1', '128.0.0.1', '::2', '::ffff:10.0.0.1', 'localhost', '[::1]'])(
  '%j is not a loopback address',
  (address) => {
    expect(isLoopbackAddress(address)).toBe(false);
  },
);

const LOCAL = [
  'localhost',
  'LocalHost:4010',
  'localhost.',
  'app.localhost:80',
  'a.b.localhost',
  '127.0.0.1',
  '127.8.9.1:4000',
  '[::1]',
  '[::1]:4000',
  '[0:0::1]',
  '[::ffff:127.0.0.1]:1',
];
const FOREIGN = [
  '',
  'example.com',
  'rebound.example.com:4000',
  'localhost.example.com',
  'notlocalhost',
  '.localhost',
  '127.0.0.1.example.com',
  '128.0.0.1',
  '0.0.0.0',
  '[::]',
  '[::2]',
  '169.254.1.1',
  'evil@localhost',
  'evil:x@127.0.0.1',
  'localhost/evil',
  'localhost?evil',
  'localhost#evil',
  'localhost, evil',
  'localhost:99999',
  '::1',
];

test.each(LOCAL)('%s is this machine', (host) => {
  expect(isLoopbackHost(host)).toBe(true);
});

test.each(FOREIGN)('%j is not this machine', (host) => {
  expect(isLoopbackHost(host)).toBe(false);
});

describe('a service that listens on a loopback address', () => {
  const rule = { publicUrls: ['https://api.example.com/svc', 'http://Sync.example.com:8080'], setting: 'THE_URL' };
  test.each([undefined, ...LOCAL, 'api.example.com', 'API.example.com:443', 'sync.example.com'])(
    'accepts %s',
    (host) => {
      expect(findHostError(host, rule)).toBeNull();
    },
  );
  test.each([...FOREIGN, 'x.api.example.com'])('refuses %j', (host) => {
    expect(findHostError(host, rule)?.statusCode).toBe(403);
  });
  test('says what to do', () => {
    expect(findHostError('example.com', rule)?.message).toMatch(/localhost or 127\.0\.0\.1, or set THE_URL to/);
  });
});
