import { describe, expect, test } from 'vitest';
import { CliError } from '../errors/cli-error.ts';
import { parseFields, pickFields, readField, topLevelFields } from './fields.ts';

const KNOWN = ['id', 'crm', 'config', 'config.a', 'error', 'error.*'];

describe('parseFields', () => {
  test('parses a comma-separated list without repeats', () => {
    expect(parseFields(' id, config.a ,id,', KNOWN)).toEqual(['id', 'config.a']);
  });

  test('accepts any field inside an open object', () => {
    expect(parseFields('error.deep.down', KNOWN)).toEqual(['error.deep.down']);
  });

  test.each([
    ...['nope', 'id,nope', 'config.b', 'id.x', 'errors.x', '', ','],
    ...['error.', 'error..x', 'error.x.', '.error', 'error.*', 'constructor', '__proto__'],
  ])('%j is refused, with a list of the fields', (text) => {
    expect(() => parseFields(text, KNOWN)).toThrow(CliError);
    expect(() => parseFields(text, KNOWN)).toThrow(
      expect.objectContaining({
        exitCode: 2,
        hint: expect.stringMatching(/(^|\? )Fields: id, crm, config, config\.a, error$/),
      }),
    );
  });
});

const value = {
  id: 1,
  config: { a: 2, b: 3 },
  list: [
    { x: 1, y: { z: 2 } },
    { x: 3, y: { z: 4 } },
  ],
  none: null,
};

test.each([
  ['id', 1],
  ['config', { a: 2, b: 3 }],
  ['config.a', 2],
  ['list.x', [1, 3]],
  ['list.y.z', [2, 4]],
  ['none', null],
  ['none.x', null],
  ['missing.x', null],
  ['config.constructor', null],
  ['config.toString.name', null],
  ['config.__proto__', null],
])('readField %s', (field, expected) => {
  expect(readField(value, field)).toEqual(expected);
});

test.each([
  [['id'], { id: 1 }],
  [['config.b', 'id'], { config: { b: 3 }, id: 1 }],
  [['config', 'config.a'], { config: { a: 2, b: 3 } }],
  [
    ['list.y.z', 'list.x'],
    {
      list: [
        { y: { z: 2 }, x: 1 },
        { y: { z: 4 }, x: 3 },
      ],
    },
  ],
  [['none.x', 'missing'], { none: null, missing: null }],
  [['config.constructor'], { config: { constructor: null } }],
])('pickFields %j keeps the nested form', (fields, expected) => {
  expect(pickFields(value, fields)).toEqual(expected);
  expect(Object.keys(expected)).toEqual(Object.keys(pickFields(value, fields) as object));
});

test('topLevelFields omits nested fields', () => {
  expect(topLevelFields(['a', 'a.b', 'c', 'c.*'])).toEqual(['a', 'c']);
});
