import { describe, expect, test } from 'vitest';
import { describeProxy, isExcluded, proxyFor } from './proxy.ts';

const SET = { httpProxy: 'http://p.example:1', httpsProxy: 'q.example:2', noProxy: null };

test('proxyFor chooses by scheme and respects NO_PROXY', () => {
  expect(proxyFor('http://svc.example', SET)).toBe('http://p.example:1');
  expect(proxyFor('https://svc.example', SET)).toBe('http://q.example:2');
  expect(proxyFor('https://svc.example', { ...SET, httpsProxy: null })).toBeNull();
  expect(proxyFor('https://svc.example', { ...SET, noProxy: 'svc.example' })).toBeNull();
});

test.each([
  ...['http://localhost:4000', 'https://LOCALHOST./x', 'http://127.0.0.1', 'http://127.8.9.10:1', 'http://[::1]:4000'],
  'http://2130706433',
])('calls to this machine use no proxy: %s', (address) => {
  expect(proxyFor(address, SET)).toBeNull();
});

test.each(['http://localhost.example', 'http://127.0.0.1.example', 'http://128.0.0.1', 'http://[::2]'])(
  'other addresses use it: %s',
  (address) => {
    expect(proxyFor(address, SET)).toBe('http://p.example:1');
  },
);

describe('NO_PROXY', () => {
  test.each([
    ['svc.example', true],
    ['SVC.example.', true],
    ['example', true],
    ['.example', true],
    ['*.example', true],
    ['*', true],
    ['a.b, svc.example', true],
    ['a.b svc.example', true],
    ['svc.example:443', true],
    ['svc.example:80', false],
    ['*.svc.example', false],
    ['vc.example', false],
    ['other.svc.example', false],
    ['', false],
    [',', false],
  ])('%s', (noProxy, excluded) => {
    expect(isExcluded(new URL('https://svc.example/x'), noProxy)).toBe(excluded);
  });

  test.each([
    ['::1', true],
    ['[::1]', true],
    ['[::1]:4000', true],
    ['[::1]:1', false],
    ['127.0.0.1', false],
  ])('IPv6: %s', (noProxy, excluded) => {
    expect(isExcluded(new URL('http://[::1]:4000'), noProxy)).toBe(excluded);
  });
});

test('describeProxy shows no password', () => {
  expect(describeProxy('http://me:secret@p.example:1/x')).toBe('http://p.example:1');
  expect(describeProxy('not an address secret')).toBe('an invalid address');
});
