import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { createPayloadReader } from './payload-value.ts';

const body = {
  lead: { score: 7, isHot: false, name: '  Kim ', blank: ' ', nothing: null, list: [{ a: 1 }] },
  fields: [
    { name: 'Other', value: '1' },
    { name: 'Region', value: 'DACH' },
  ],
  huge: 'x'.repeat(5_000),
  endless: JSON.parse('1e999'),
};

test.each([
  ['lead.score', 7],
  ['lead.isHot', false],
  ['lead.name', 'Kim'],
  ['fields[name=Region].value', 'DACH'],
  ['fields[*].value', '1'],
  ['lead.blank', null],
  ['lead.nothing', null],
  ['lead.list', null],
  ['lead', null],
  ['endless', null],
  ['lead.constructor', null],
  ['elsewhere', null],
])('%s: %j', (path, value) => {
  const read = createPayloadReader(body);
  expect(read(path)).toBe(value);
  expect(read(path)).toBe(value);
});

test('a body that is a list begins at its top', () => {
  const read = createPayloadReader([{ a: 1 }, { a: 2 }]);
  expect(['[0].a', '[-1].a', '[*].a', 'a'].map(read)).toEqual([1, 2, 1, null]);
});

test('a long text is cut', () => {
  expect(createPayloadReader(body)('huge')).toHaveLength(2_000);
});

test('law: any body and any path give one bounded value or none', () => {
  const paths = fc.constantFrom('a', 'a.b', '[0]', '[*].a', 'a[*][*].b', '["__proto__"].a', 'a[b=1].a');
  const json = fc
    .jsonValue({ maxDepth: 5 })
    .chain((value) => fc.constantFrom(value, { a: value }, [value, { b: 1, a: value }]));
  fc.assert(
    fc.property(json, paths, (value, path) => {
      const read = createPayloadReader(value)(path);
      expect(['string', 'number', 'boolean']).toContain(typeof (read ?? ''));
      expect(String(read).length).toBeLessThanOrEqual(2_000);
    }),
  );
});
