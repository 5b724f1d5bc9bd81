import { expect, test } from 'vitest';
import { createShapeCheck } from './shape.ts';

interface Thing {
  id: number;
  name: string;
  ready: boolean;
  inner: object;
  rows: { id: number }[];
}
const findFault = createShapeCheck<Thing>({
  id: 'number',
  name: 'string',
  ready: 'boolean',
  inner: 'object',
  rows: 'objects',
});
const thing: Thing = { id: 1, name: '', ready: false, inner: {}, rows: [{ id: 1 }] };

test('accepts fields of the right kind and additional fields', () => {
  expect(findFault(thing)).toBeNull();
  expect(findFault({ ...thing, rows: [], ...{ added: 1 } })).toBeNull();
});

test.each([
  ['nothing', null],
  ['a list', []],
  ['text', 'x'],
  ['a number', 1],
])('%s is not an object', (_name, data) => {
  expect(findFault(data as never)).toBe('is not an object');
});

test.each([
  ['id', { ...thing, id: '1' }],
  ['name', { ...thing, name: null }],
  ['ready', { ...thing, ready: undefined }],
  ['inner', { ...thing, inner: null }],
  ['inner', { ...thing, inner: [] }],
  ['rows', { ...thing, rows: {} }],
  ['rows', { ...thing, rows: [null] }],
  ['rows', { ...thing, rows: [thing, 'x'] }],
  ['id', {}],
])('%s is missing or of another form', (name, data) => {
  expect(findFault(data as never)).toBe(`has no valid ${name}`);
});
