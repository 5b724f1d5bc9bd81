import fc from 'fast-check';
import { expect, test } from 'vitest';
import { escapeHtml, truncateHtml, truncateText } from './text-limits.ts';

const text = fc.string({ unit: 'grapheme', maxLength: 80 });

test('truncated text fits, is well-formed and is a prefix', () => {
  fc.assert(
    fc.property(text, fc.integer({ min: 1, max: 40 }), (value, max) => {
      for (const cut of [truncateText(value, max), truncateHtml(value, max)]) {
        expect(cut.length).toBeLessThanOrEqual(max);
        expect(cut.isWellFormed()).toBe(value.isWellFormed());
        if (value.length <= max) expect(cut).toBe(value);
        else expect(value.startsWith(cut.slice(0, -1))).toBe(true);
      }
    }),
  );
});

test('truncates before an incomplete tag or entity', () => {
  const html = '<p class="a">Tea &amp; cake</p><br/>';
  for (let max = 1; max <= html.length; max += 1) {
    expect(truncateHtml(html, max).replace(/…$/, '')).not.toMatch(/<[^>]*$|&[a-z]*$/);
  }
});

test('escaped text has no markup', () => {
  fc.assert(
    fc.property(text, (value) => {
      expect(escapeHtml(value)).not.toMatch(/[<>"]|&(?!(?:amp|lt|gt|quot);)/);
    }),
  );
});
