import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { anyCharacter } from '../../test/any-character.ts';
import { testRuleCases } from '../../test/rule-suite.ts';
import { toBlockedAddress, toBlockedDomain } from './blocklist-entry.ts';

testRuleCases('blocklist-entry', ({ rule }) => {
  rule<string>('toBlockedAddress', toBlockedAddress);
  rule<string>('toBlockedDomain', toBlockedDomain);
});

test('whatever the text, the stored form is its own stored form, and fit for storing', () => {
  const text = fc.oneof(
    fc.string({ unit: anyCharacter }),
    fc.tuple(fc.string({ unit: anyCharacter }), fc.domain()).map(([name, domain]) => `${name}@${domain}`),
    fc.webUrl(),
    fc.emailAddress(),
  );
  fc.assert(
    fc.property(text, (input) => {
      for (const toEntry of [toBlockedAddress, toBlockedDomain]) {
        const entry = toEntry(input);
        if (entry === null) continue;
        expect(toEntry(entry)).toBe(entry);
        expect(entry).toMatch(/^[^\s\p{C}]{3,254}$/u);
        expect(toEntry(` ${input} `)).toBe(entry);
      }
    }),
  );
});

test('every ordinary address and domain is an entry', () => {
  fc.assert(
    fc.property(fc.emailAddress({ size: 'small' }), fc.domain({ size: 'small' }), (address, domain) => {
      expect(toBlockedAddress(address)).not.toBeNull();
      expect(toBlockedDomain(domain)).not.toBeNull();
    }),
  );
});
