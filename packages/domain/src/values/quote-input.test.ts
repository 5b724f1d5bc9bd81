import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { anyCharacter } from '../../test/any-character.ts';
import { quoteInput } from './quote-input.ts';

test('short values are quoted whole, control characters escaped', () => {
  expect(quoteInput('')).toBe('""');
  expect(quoteInput('a"b\n')).toBe('"a\\"b\\n"');
  expect(quoteInput('a'.repeat(100))).toBe(`"${'a'.repeat(100)}"`);
  expect(quoteInput('🚀'.repeat(100))).toBe(`"${'🚀'.repeat(100)}"`);
});

test('cuts long values between characters and appends ...', () => {
  expect(quoteInput('a'.repeat(101))).toBe(`"${'a'.repeat(100)}"...`);
  expect(quoteInput('🚀'.repeat(5000))).toBe(`"${'🚀'.repeat(100)}"...`);
});

test('the quote of any text is well-formed, of bounded length, and a prefix of it', () => {
  fc.assert(
    fc.property(fc.string({ unit: anyCharacter, maxLength: 300 }), (text) => {
      const quote = quoteInput(text);
      expect(quote.isWellFormed()).toBe(true);
      const shown: unknown = JSON.parse(quote.replace(/\.\.\.$/, ''));
      expect(text.startsWith(String(shown))).toBe(true);
      expect(quote.endsWith('...')).toBe([...text].length > 100);
    }),
  );
});
