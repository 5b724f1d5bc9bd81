import { expect, test } from 'vitest';
import { createDocumentCutter } from './json-documents.ts';

/** Returns the output for each piece, and the rest. */
function cut(pieces: readonly string[]): string[] {
  const cutter = createDocumentCutter();
  return [...pieces.map((piece) => cutter.push(piece)), cutter.rest()];
}

const LISTS = '[\n{"a":"}]\\"\\n[{"},\n{"b":[1,{"c":2}]}\n]\n{"d":"\\\\"}\n3\n"x[\\ny"\n';

test('a document ends with the line that closes it', () => {
  expect(cut(['[', '\n{"a":1}', ',\n{"a":2}', '\n]\n'])).toEqual(['', '', '', '[\n{"a":1},\n{"a":2}\n]\n', '']);
  expect(cut(['{"a":1}\n{"a":2}\n{"a"', ':3}', '\n'])).toEqual(['{"a":1}\n{"a":2}\n', '', '{"a":3}\n', '']);
  expect(cut(['{"a":1}'])).toEqual(['', '{"a":1}']);
});

test('any pieces give complete documents without loss', () => {
  for (let at = 0; at <= LISTS.length; at += 1) {
    for (let next = at; next <= LISTS.length; next += 1) {
      const out = cut([LISTS.slice(0, at), LISTS.slice(at, next), LISTS.slice(next)]);
      expect(out.join('')).toBe(LISTS);
      expect(out.at(-1)).toBe('');
      for (const documents of out) {
        // All documents except the first have one line.
        const rest = documents.replace(/^\[[^]*?\n\]\n/, '');
        for (const line of rest.split('\n').filter((text) => text !== '')) {
          expect(() => JSON.parse(line)).not.toThrow();
        }
      }
    }
  }
});
