import { Readable } from 'node:stream';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type ContactSource, readContactFile } from './contact-file.ts';

/** @param size size of the pieces that are read, in bytes */
function sourceOf(text: string | Buffer, size = 7): ContactSource {
  const bytes = Buffer.from(text);
  const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_unused, index) =>
    bytes.subarray(index * size, (index + 1) * size),
  );
  return { name: 'list.csv', isRepeatable: true, read: () => Readable.from(pieces), close() {} };
}

async function readAll(text: string | Buffer, size?: number) {
  const { form, header, records } = await readContactFile(sourceOf(text, size));
  const rows: (readonly string[])[] = [];
  for await (const cells of records) rows.push(cells);
  return { ...form, header, records: rows };
}

const plain = { delimiter: ',', lineEnd: '\n', hasByteOrderMark: false };

test.each([
  ['lines that end with LF', 'a,b\n1,2\n', { ...plain, header: ['a', 'b'], records: [['1', '2']] }],
  ['with CRLF', 'a,b\r\n1,2\r\n', { ...plain, lineEnd: '\r\n', header: ['a', 'b'], records: [['1', '2']] }],
  ['with CR', 'a,b\r1,2\r', { ...plain, header: ['a', 'b'], records: [['1', '2']] }],
  ['with both', 'a\r\n1\n2\r\n', { ...plain, lineEnd: '\r\n', header: ['a'], records: [['1'], ['2']] }],
  ['no end of the last line', 'a,b\n1,2', { ...plain, header: ['a', 'b'], records: [['1', '2']] }],
  [
    'a byte order mark',
    '\uFEFFé,b\n1,2\n',
    { ...plain, hasByteOrderMark: true, header: ['é', 'b'], records: [['1', '2']] },
  ],
  ['semicolons', 'a;b,c\n1;2,3\n', { ...plain, delimiter: ',', header: ['a;b', 'c'], records: [['1;2', '3']] }],
  [
    'more semicolons',
    'a;b;c,d\n1;2;3\n',
    { ...plain, delimiter: ';', header: ['a', 'b', 'c,d'], records: [['1', '2', '3']] },
  ],
  ['tabs', 'a\tb\n1\t2\n', { ...plain, delimiter: '\t', header: ['a', 'b'], records: [['1', '2']] }],
  [
    'delimiters, quotes and line breaks in quotes',
    '"a;;;",b\n"1\r\n""x""","2,3"\n',
    { ...plain, header: ['a;;;', 'b'], records: [['1\r\n"x"', '2,3']] },
  ],
  ['quotes that are text', 'a,b\n5" pipe,"2"x\n', { ...plain, header: ['a', 'b'], records: [['5" pipe', '"2"x']] }],
  ['white space', 'a,b\n 1 ,\t2\n', { ...plain, header: ['a', 'b'], records: [[' 1 ', '\t2']] }],
  ['the same name twice', 'a,a\n1,2\n', { ...plain, header: ['a', 'a'], records: [['1', '2']] }],
  ['empty lines', '\n\na,b\n\n1,2\n\n\n', { ...plain, header: ['a', 'b'], records: [['1', '2']] }],
  ['an empty cell in each record', 'a,b\n,\n', { ...plain, header: ['a', 'b'], records: [['', '']] }],
  ['too few cells', 'a,b,c\n1\n', { ...plain, header: ['a', 'b', 'c'], records: [['1', '', '']] }],
  ['empty cells too many', 'a,b\n1,2,,\n', { ...plain, header: ['a', 'b'], records: [['1', '2']] }],
  ['a header alone', 'a,b', { ...plain, header: ['a', 'b'], records: [] }],
])('%s', async (_name, text, expected) => {
  for (const size of [1, 2, 7, 1000]) expect(await readAll(text, size)).toEqual(expected);
});

test.each([
  ['nothing', '', 'list.csv is empty'],
  ['a byte order mark alone', '\uFEFF', 'list.csv is empty'],
  ['empty lines alone', '\r\n\r\n', 'list.csv is empty'],
  ['a quote that is not closed', 'a,b\n1,2\n"3,4\n5,6\n', /^list\.csv, line \d: a quote is opened and never closed$/],
  ['too many cells', 'a,b\n1,2\n1,2,3\n', 'list.csv, line 3: 3 cells, but the header has 2'],
  ['a record without an end', `a,b\n"${'x'.repeat(2e6)}\n`, /^list\.csv, line 2: a record is longer than a million/],
  ['a header without an end', `"${'x\n'.repeat(1e6)}`, 'The header of list.csv does not end'],
  ['Latin-1', Buffer.from('a,b\nJos\xe9,2\n', 'latin1'), 'list.csv is not UTF-8 text'],
  ['UTF-16', Buffer.from('\uFEFFa,b\n1,2\n', 'utf16le'), 'list.csv is not UTF-8 text'],
  ['a character that is cut off', Buffer.from('a,b\n1,é').subarray(0, -1), 'list.csv is not UTF-8 text'],
])('%s is refused', async (_name, text, message) => {
  await expect(readAll(text, 65_536)).rejects.toMatchObject({ exitCode: 2, message: expect.stringMatching(message) });
});

test('cells with any content are read correctly', async () => {
  const quote = (cell: string) => `"${cell.replaceAll('"', '""')}"`;
  const cell = fc.string({ unit: fc.constantFrom('a', 'é', '😀', '"', ',', ';', '\n', '\r', ' ', '\t') });
  const record = fc.array(cell, { minLength: 2, maxLength: 2 });
  await fc.assert(
    fc.asyncProperty(fc.array(record, { maxLength: 5 }), fc.integer({ min: 1, max: 9 }), async (records, size) => {
      const text = [['a', 'b'], ...records].map((cells) => cells.map(quote).join(',')).join('\n');
      expect((await readAll(text, size)).records).toEqual(records);
    }),
  );
});
