import { expect, test } from 'vitest';
import { encodeCursor } from './cursor.ts';
import { parseLogQuery } from './log-query.ts';

const MONTH = { from: '2026-03-01', to: '2026-04-01' };
const createdAt = new Date('2026-03-09T10:00:00.000Z');

test('defaults to the first hundred rows', () => {
  const range = { from: new Date('2026-03-01'), to: new Date('2026-04-01') };
  expect(parseLogQuery('sync', MONTH)).toEqual({ range, after: undefined, pageSize: 100 });
});

test('accepts a cursor of these rows and a limit up to 500', () => {
  const cursor = encodeCursor({ rows: 'request', createdAt, id: 7 });
  const { after, pageSize } = parseLogQuery('request', { ...MONTH, cursor, limit: '500' });
  expect([after, pageSize]).toEqual([{ createdAt, id: 7 }, 500]);
});

test.each([
  ['from', { cursor: 'x', limit: 'x' }],
  ['cursor', { ...MONTH, cursor: encodeCursor({ rows: 'sync', createdAt, id: 7 }), limit: 'x' }],
  ['limit', { ...MONTH, limit: '501' }],
])('the error names %s, the first wrong parameter', (name, query) => {
  expect(() => parseLogQuery('delivery', query)).toThrow(new RegExp(`^${name} `));
});
