import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { formatCsvLine } from './csv.ts';

/** Parses one record independently (RFC 4180). */
function parseCsvLine(line: string): string[] {
  const cells: string[] = [];
  let rest = line.replace(/\n$/, '');
  for (;;) {
    const quoted = /^"((?:[^"]|"")*)"(,|$)/.exec(rest);
    const match = quoted ?? /^([^",\r\n]*)(,|$)/.exec(rest);
    if (match === null) throw new Error(`not CSV: ${rest}`);
    const [whole, text = '', end] = match;
    cells.push(quoted ? text.replaceAll('""', '"') : text);
    if (end === '') return cells;
    rest = rest.slice(whole.length);
  }
}

describe('formatCsvLine', () => {
  test.each([
    [['a', 1, true, null, undefined], 'a,1,true,,\n'],
    [['a,b', 'say "hi"', 'two\nlines'], '"a,b","say ""hi""","two\nlines"\n'],
    [[{ code: 'X' }, ['a', 'b']], '"{""code"":""X""}","[""a"",""b""]"\n'],
    [['Zoë 日本'], 'Zoë 日本\n'],
    [[], '\n'],
  ])('%j', (values, line) => {
    expect(formatCsvLine(values)).toBe(line);
  });

  test.each(['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', '\r=1', '\n=1', '\r\n=1'])('defuses formulas: %j', (text) => {
    expect(parseCsvLine(formatCsvLine([text]))).toEqual([`'${text}`]);
  });

  test('negative numbers stay numbers', () => {
    expect(formatCsvLine([-5])).toBe('-5\n');
  });

  test('round trip: cells keep their text, and none begins a formula', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'binary' }), { minLength: 1 }), (values) => {
        const cells = parseCsvLine(formatCsvLine(values));
        expect(cells.map((cell, index) => (cell === `'${values[index]}` ? values[index] : cell))).toEqual(values);
        for (const cell of cells) expect(cell).not.toMatch(/^[=+\-@\t\r\n]/);
      }),
    );
  });
});
