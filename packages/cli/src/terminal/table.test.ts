import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { paintFor, paintNothing } from './colors.ts';
import { type Column, layOutTable, renderTable } from './table.ts';
import { displayWidth, sanitize } from './text.ts';

interface Row {
  readonly id: number;
  readonly name: string;
  readonly note: string;
}
const COLUMNS: readonly Column<Row>[] = [
  { header: 'ID', cell: ({ id }) => ({ text: String(id) }) },
  { header: 'NAME', cell: ({ name }) => ({ text: name, tone: 'good' }), canShrink: true },
  { header: 'NOTE', cell: ({ note }) => ({ text: note }), dropOrder: 1, field: 'note' },
];
const ROWS: readonly Row[] = [
  { id: 1, name: 'a rather long name', note: 'x' },
  { id: 22, name: 'short', note: 'a note' },
];
const plain = (width: number) => ({ width, paint: paintNothing });

describe('renderTable', () => {
  test('is as wide as needed, without trailing spaces', () => {
    expect(renderTable(ROWS, COLUMNS, plain(Number.POSITIVE_INFINITY))).toBe(
      'ID  NAME                NOTE\n1   a rather long name  x\n22  short               a note\n',
    );
  });

  test('aligns long lists throughout', () => {
    const many = Array.from({ length: 120 }, (_, id): Row => ({ id, name: 'n'.repeat((id * 7) % 20), note: 'x' }));
    const lines = renderTable(many, COLUMNS, plain(Number.POSITIVE_INFINITY)).split('\n');
    expect(lines).toHaveLength(122);
    expect(new Set(lines.slice(1, -1).map((line) => line.lastIndexOf('x')))).toEqual(new Set([26]));
    expect(lines.slice(1, -1).map((line) => Number(line.split(' ', 1)[0]))).toEqual(many.map(({ id }) => id));
  });

  test('narrow: drops columns, then cuts cells', () => {
    expect(renderTable(ROWS, COLUMNS, plain(24))).toBe('ID  NAME\n1   a rather long name\n22  short\n');
    expect(renderTable(ROWS, COLUMNS, plain(16))).toBe('ID NAME\n1  a rather lon…\n22 short\n');
  });

  test('names the fields of dropped columns', () => {
    const hidden = (width: number) => layOutTable(ROWS, COLUMNS, plain(width)).hidden;
    expect(hidden(80)).toEqual([]);
    expect(hidden(24)).toEqual(['note']);
    // A block has all columns.
    expect(hidden(8)).toEqual([]);
  });

  test('a long text is cut before columns are dropped', () => {
    const columns: readonly Column<Row>[] = [
      ...COLUMNS,
      { header: 'ERROR', cell: () => ({ text: 'e'.repeat(100) }), canShrink: true, enoughWidth: 10, dropOrder: 2 },
    ];
    const lines = (width: number) => renderTable(ROWS, columns, plain(width)).split('\n');
    expect(lines(50)[1]).toBe(`1  a rather long name x      ${'e'.repeat(20)}…`);
    expect(lines(41)[0]).toBe('ID  NAME                NOTE');
  });

  test('too narrow: prints a block per row with all columns', () => {
    expect(renderTable(ROWS, COLUMNS, plain(8))).toBe(
      'ID    1\nNAME  a rather long name\nNOTE  x\n\nID    22\nNAME  short\nNOTE  a note\n',
    );
  });

  test('a table never exceeds the width', () => {
    fc.assert(
      fc.property(
        fc.array(fc.record({ id: fc.nat(99), name: fc.string({ unit: 'grapheme' }), note: fc.string() }), {
          minLength: 1,
          maxLength: 5,
        }),
        fc.integer({ min: 14, max: 60 }),
        (rows, width) => {
          const text = renderTable(rows, COLUMNS, plain(width));
          for (const line of text.split('\n')) expect(displayWidth(line)).toBeLessThanOrEqual(width);
          expect(text.trimEnd().split('\n')).toHaveLength(rows.length + 1);
        },
      ),
      { numRuns: 50 },
    );
  });

  test('escapes control characters in values', () => {
    const rows = [{ id: 1, name: '\u001b[31mred\u001b[0m', note: 'line\nbreak\u0007' }];
    const text = renderTable(rows, COLUMNS, plain(Number.POSITIVE_INFINITY));
    expect(text).not.toContain('\u001b');
    expect(text).not.toContain('\u0007');
    expect(text.split('\n')).toHaveLength(3);
  });

  test('colours do not move the columns', () => {
    const paint = paintFor({ isTTY: true }, { noColor: false, forceColor: null, isDumbTerminal: false });
    const colored = renderTable(ROWS, COLUMNS, { width: 80, paint });
    expect(colored).toContain('\u001b[32mshort\u001b[39m');
    // eslint-disable-next-line no-control-regex
    expect(colored.replace(/\u001b\[\d+m/g, '')).toBe(renderTable(ROWS, COLUMNS, plain(80)));
  });
});

describe('paintFor', () => {
  const environment = {
    noColor: false,
    forceColor: null,
    isDumbTerminal: false,
  };
  test.each([
    ['a terminal', { isTTY: true }, {}, true],
    ['a pipe', {}, {}, false],
    ['NO_COLOR', { isTTY: true }, { noColor: true }, false],
    ['a dumb terminal', { isTTY: true }, { isDumbTerminal: true }, false],
    ['FORCE_COLOR into a pipe', {}, { forceColor: true }, true],
    ['FORCE_COLOR over NO_COLOR', {}, { forceColor: true, noColor: true }, true],
    ['FORCE_COLOR=0', { isTTY: true }, { forceColor: false }, false],
  ])('%s', (_name, stream, overrides, isColored) => {
    expect(paintFor(stream, { ...environment, ...overrides })('bad', 'x') !== 'x').toBe(isColored);
  });
});

test.each([
  ['plain', 5],
  ['Zoë', 3],
  ['日本', 4],
  ['👍🏽', 2],
  ['e\u0301', 1],
])('displayWidth of %s', (text, width) => {
  expect(displayWidth(text)).toBe(width);
});

test('sanitize escapes control and direction characters', () => {
  expect(sanitize('a\tb\nc\u001b[2Jd\u202ee\u0085')).toBe('a b c\\u001b[2Jd\\u202ee\\u0085');
});
