import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createRowEncoder, type RowFormat } from './row-encoder.ts';

const encodeAll = (format: RowFormat, pages: readonly (readonly unknown[])[], fields: string[] | null = null) => {
  const encoder = createRowEncoder(format, fields, ['id', 'name']);
  return encoder.begin() + pages.map((rows) => encoder.encode(rows)).join('') + encoder.end();
};

describe('createRowEncoder', () => {
  const rows = [
    { id: 1, name: 'a', future: true },
    { id: 2, name: null },
  ];

  test('csv has fixed columns', () => {
    expect(encodeAll('csv', [rows])).toBe('id,name\n1,a\n2,\n');
    expect(encodeAll('csv', [rows], ['name'])).toBe('name\na\n\n');
    expect(encodeAll('csv', [])).toBe('id,name\n');
  });
  test('ndjson keeps unknown fields', () => {
    expect(encodeAll('ndjson', [rows])).toBe('{"id":1,"name":"a","future":true}\n{"id":2,"name":null}\n');
    expect(encodeAll('ndjson', [rows], ['id'])).toBe('{"id":1}\n{"id":2}\n');
    expect(encodeAll('ndjson', [])).toBe('');
  });
  test('json is an array, also without rows', () => {
    expect(encodeAll('json', [])).toBe('[]\n');
    expect(encodeAll('json', [[], rows, []], ['id'])).toBe('[\n{"id":1},\n{"id":2}\n]\n');
  });
  test('the output does not depend on pages', () => {
    fc.assert(
      fc.property(fc.array(fc.array(fc.record({ id: fc.nat(), name: fc.string() }), { maxLength: 3 })), (pages) => {
        for (const format of ['csv', 'ndjson', 'json'] as const) {
          expect(encodeAll(format, pages)).toBe(encodeAll(format, [pages.flat()]));
        }
        expect(JSON.parse(encodeAll('json', pages))).toEqual(pages.flat());
      }),
    );
  });
});
