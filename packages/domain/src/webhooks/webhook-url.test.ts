import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { testRuleCases } from '../../test/rule-suite.ts';
import { ApiError } from '../errors/errors.ts';
import { countCharacters, parseWebhookUrl, privateTargetError } from './webhook-url.ts';

testRuleCases('webhook-url', ({ rule }) => {
  rule<unknown>('parseWebhookUrl', (value) => parseWebhookUrl(value));
});

test('accepts only addresses in ranges that the operator allowed, in any spelling', () => {
  const allowedCidrs = ['127.0.0.0/8'];
  for (const url of ['https://127.0.0.1:8443/x', 'https://0x7f.1/x', 'https://[::ffff:127.0.0.1]/x']) {
    expect(parseWebhookUrl(url, { allowedCidrs })).toBe(url);
    expect(() => parseWebhookUrl(url)).toThrow('private, local');
  }
  expect(() => parseWebhookUrl('https://10.0.0.1/', { allowedCidrs })).toThrow('private, local');
  expect(() => parseWebhookUrl('http://127.0.0.1/', { allowedCidrs })).toThrow('absolute https');
});

test('where the operator allowed ranges, a local name is accepted: the addresses that it resolves to decide', () => {
  for (const url of ['https://localhost:8443/x', 'https://receiver.internal/x', 'https://receiver/x']) {
    expect(parseWebhookUrl(url, { allowedCidrs: ['127.0.0.0/8'] })).toBe(url);
    expect(() => parseWebhookUrl(url)).toThrow('local host name');
  }
});

test('refuses every spelling of a loopback address', () => {
  const number = fc.integer({ min: 0x7f000000, max: 0x7fffffff });
  fc.assert(
    fc.property(number, (ip) => {
      const octets = [ip >>> 24, (ip >>> 16) & 255, (ip >>> 8) & 255, ip & 255];
      const [a = 0, b = 0, c = 0, d = 0] = octets;
      const spellings = [
        octets.join('.'),
        `${octets.join('.')}.`,
        String(ip),
        `0x${ip.toString(16)}`,
        `0${ip.toString(8)}`,
        octets.map((octet) => `0x${octet.toString(16)}`).join('.'),
        octets.map((octet) => `0${octet.toString(8)}`).join('.'),
        `${a}.${(b << 16) | (c << 8) | d}`,
        `${a}.${b}.${(c << 8) | d}`,
        `[::ffff:${octets.join('.')}]`,
        `[::ffff:${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}]`,
        `[64:ff9b::${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}]`,
        octets.join('\u3002'),
      ];
      expect(spellings.filter((host) => !isRefusedAsPrivate(`https://${host}/x`))).toEqual([]);
    }),
  );
});

test('privateTargetError is the error of a private address', () => {
  expect(privateTargetError().statusCode).toBe(400);
  expect(() => parseWebhookUrl('https://192.168.0.1/')).toThrow(privateTargetError());
});

test('countCharacters counts code points', () => {
  expect(countCharacters('')).toBe(0);
  expect(countCharacters('a🚀ü')).toBe(3);
});

function isRefusedAsPrivate(url: string): boolean {
  try {
    parseWebhookUrl(url);
  } catch (error) {
    return error instanceof ApiError && error.message.includes('private, local');
  }
  return false;
}
