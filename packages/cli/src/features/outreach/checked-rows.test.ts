import { expect, test } from 'vitest';
import { CHECK_FIELDS, type CheckedRow, createCheckedRowEncoder } from './checked-rows.ts';
import { OUTREACH_FIELDS } from './fields.ts';
import type { RowFormat } from '../../format/row-encoder.ts';

const form = { delimiter: ',', lineEnd: '\n', hasByteOrderMark: false } as const;
const fields = ['doNotContact.value', 'doNotContact.reasons'];
const answer = { doNotContact: { value: true, reasons: ['bounced', 'unsubscribed'] } };
const row = (cells: string[]): CheckedRow => ({ cells, result: 'blocked', error: null, answer });

function encode(format: RowFormat, header: string[], rows: CheckedRow[], more: object = {}): string {
  const encoder = createCheckedRowEncoder({ format, form, header, fields, rowsBefore: 0, ...more });
  return encoder.begin() + encoder.encode(rows) + encoder.end();
}

test('CHECK_FIELDS are fields of the answer', () => {
  expect(CHECK_FIELDS.filter((field) => !(OUTREACH_FIELDS as readonly string[]).includes(field))).toEqual([]);
});

test('CSV: unchanged cells, quoted if needed, then the added columns', () => {
  expect(encode('csv', ['name', 'name'], [row(['=1+1', 'a "b", c\nd'])])).toBe(
    'name,name,outreach.result,outreach.error,outreach.doNotContact.value,outreach.doNotContact.reasons\n' +
      '=1+1,"a ""b"", c\nd",blocked,,true,"bounced, unsubscribed"\n',
  );
});

test('CSV: keeps delimiter, line ends and byte order mark', () => {
  const alike = { delimiter: ';', lineEnd: '\r\n', hasByteOrderMark: true };
  expect(encode('csv', ['a', 'b'], [row(['1;2', '3,4'])], { form: alike, fields: ['doNotContact.reasons'] })).toBe(
    '\uFEFFa;b;outreach.result;outreach.error;outreach.doNotContact.reasons\r\n' +
      '"1;2";3,4;blocked;;bounced, unsubscribed\r\n',
  );
});

test('CSV: added cells cannot be formulas', () => {
  const hostile = {
    ...row(['=A1']),
    error: '=cmd()',
    answer: { doNotContact: { value: false, reasons: ['@SUM', 'x'] } },
  };
  expect(encode('csv', ['a'], [hostile])).toContain('\n=A1,blocked,\'=cmd(),false,"\'@SUM, x"\n');
});

test('columns of an earlier check are replaced', () => {
  const header = ['outreach.result', 'name', 'outreach.doNotContact.value', 'outreach.mine', 'outreach'];
  const cells = ['contactable', 'Kim', 'false', 'kept', 'kept too'];
  expect(encode('csv', header, [row(cells)], { fields: ['doNotContact.value'] })).toBe(
    'name,outreach.mine,outreach,outreach.result,outreach.error,outreach.doNotContact.value\n' +
      'Kim,kept,kept too,blocked,,true\n',
  );
  expect(JSON.parse(encode('ndjson', header, [row(cells)]))).toEqual({
    name: 'Kim',
    'outreach.mine': 'kept',
    outreach_2: 'kept too',
    outreach: { result: 'blocked', error: null, ...answer },
  });
});

test('JSON: column names are made unique', () => {
  const header = ['Email', 'Email', '', 'Email_2', '__proto__'];
  const text = encode('json', header, [row(['1', '2', '3', '4', '5']), row(['a', 'b', 'c', 'd', 'e'])]);
  expect(text.split('\n')).toHaveLength(5);
  const [first] = JSON.parse(text);
  expect(Object.entries(first).slice(0, -1)).toEqual([
    ['Email', '1'],
    ['Email_2', '2'],
    ['column_3', '3'],
    ['Email_2_2', '4'],
    ['__proto__', '5'],
  ]);
});

test('without an answer: fields are empty', () => {
  const none: CheckedRow = { cells: ['x'], result: 'no_identity', error: null, answer: null };
  expect(encode('csv', ['a'], [none])).toContain('\nx,no_identity,,,\n');
  expect(JSON.parse(encode('ndjson', ['a'], [none]))).toEqual({
    a: 'x',
    outreach: { result: 'no_identity', error: null, doNotContact: null },
  });
});

test('JSON that is resumed', () => {
  const encoder = createCheckedRowEncoder({ format: 'json', form, header: ['a'], fields, rowsBefore: 1 });
  expect(encoder.encode([row(['x'])])).toMatch(/^,\n\{/);
});
