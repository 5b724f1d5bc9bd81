import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { domainOf, parseMailAddress, toHeaderText, toMailAddress } from './mail-address.ts';

test.each([
  ['relay@acme.example', { name: '', address: 'relay@acme.example' }],
  ['Acme Replies <relay@acme.example>', { name: 'Acme Replies', address: 'relay@acme.example' }],
  [' "Acme, Inc." <relay@acme.example> ', { name: 'Acme, Inc.', address: 'relay@acme.example' }],
  ['<relay@acme.example>', { name: '', address: 'relay@acme.example' }],
  ['Acme, Inc. <relay@acme.example>', null],
  ['relay', null],
  ['relay@', null],
  ['a@b.example, c@d.example', null],
  ['a@b.example\r\nBcc: c@d.example', null],
  ['Acme\n<a@b.example>', null],
  [`${'x'.repeat(500)} <a@b.example>`, null],
  [`${'x'.repeat(65)}@b.example`, null],
])('parses %j', (text, expected) => {
  expect(parseMailAddress(text)).toEqual(expected);
});

test('an address that could end its header is none', () => {
  expect(toMailAddress('kim@lead.example', 'Kim\r\nBcc: x@y.example')).toEqual({
    name: 'Kim Bcc: x@y.example',
    address: 'kim@lead.example',
  });
  for (const address of [
    null,
    'https://linkedin.com/in/kim',
    'a@b\r\nBcc: x@y.example',
    'a@b,c@d',
    'a\uff0cb@c.example',
    '\u200bkim@lead.example',
    'kim@lead.example\uff0cx',
    `a@${'b'.repeat(254)}`,
  ]) {
    expect(toMailAddress(address, '')).toBeNull();
  }
});

test('header text is one bounded line', () => {
  expect(toHeaderText(' a\r\n\tb\u2028c\0 ', 100)).toBe('a b c');
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.integer({ min: 1, max: 20 }), (text, max) => {
      const line = toHeaderText(text, max);
      expect(line.length).toBeLessThanOrEqual(max);
      expect(line).not.toMatch(/\p{Cc}/u);
      expect(line.isWellFormed()).toBe(true);
    }),
  );
});

test('domain of an address', () => {
  expect(domainOf('relay@Acme.Example')).toBe('acme.example');
});
