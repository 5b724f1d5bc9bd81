import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { anyCharacter } from '../../test/any-character.ts';
import { testRuleCases } from '../../test/rule-suite.ts';
import { toBlockedAddress, toBlockedDomain } from './blocklist-entry.ts';

testRuleCases('blocklist-entry', ({ rule }) => {
  rule<string>('toBlockedAddress', toBlockedAddress);
  rule<string>('toBlockedDomain', toBlockedDomain);
});

test('the stored form of any text is stable and safe to store', () => {
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

test('accepts every ordinary address and domain', () => {
  fc.assert(
    fc.property(fc.emailAddress({ size: 'small' }), fc.domain({ size: 'small' }), (address, domain) => {
      expect(toBlockedAddress(address)).not.toBeNull();
      expect(toBlockedDomain(domain)).not.toBeNull();
    }),
  );
});
