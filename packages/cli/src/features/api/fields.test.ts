import { describe, expect, test } from 'vitest';
import { appendToQuery, buildBody, parseRawField, parseTypedField } from './fields.ts';

const typed = (text: string) => parseTypedField(text, async (path) => `in ${path}`);

test.each([
  ['a=1', 1],
  ['a=-7', -7],
  ['a=true', true],
  ['a=false', false],
  ['a=null', null],
  ['a=', ''],
  ['a=1.5', '1.5'],
  ['a=True', 'True'],
  ['a=b=c', 'b=c'],
  ['a=12345678901234567890', '12345678901234567890'],
  ['a=@file', 'in file'],
  ['a=@-', 'in -'],
])('-F %s', async (text, value) => {
  expect(await typed(text)).toEqual({ key: 'a', value });
});

test('-F a[] is an empty list, -f is always text', async () => {
  expect(await typed('a[]')).toEqual({ key: 'a', value: [] });
  expect(parseRawField('a=true')).toEqual({ key: 'a', value: 'true' });
  expect(parseRawField('a=@file')).toEqual({ key: 'a', value: '@file' });
});

test.each(['a', '=a', ''])('%j is not a field', async (text) => {
  expect(() => parseRawField(text)).toThrow(expect.objectContaining({ exitCode: 2 }));
  await expect(typed(text)).rejects.toMatchObject({ exitCode: 2 });
});

describe('buildBody', () => {
  const body = (...texts: string[]) => JSON.stringify(buildBody(texts.map(parseRawField)));

  test('names, lists and objects', () => {
    expect(body('a=1', 'b[]=x', 'b[]=y', 'c[d]=z', 'c[e][]=1')).toBe('{"a":"1","b":["x","y"],"c":{"d":"z","e":["1"]}}');
    expect(body()).toBe('{}');
    expect(JSON.stringify(buildBody([{ key: 'a', value: [] }]))).toBe('{"a":[]}');
  });

  test('names such as __proto__ are ordinary keys', () => {
    expect(body('__proto__[isAdmin]=yes', 'constructor=x')).toBe('{"__proto__":{"isAdmin":"yes"},"constructor":"x"}');
    expect(Object.hasOwn(Object.prototype, 'isAdmin')).toBe(false);
  });

  test.each([
    [['a=1', 'a=2']],
    [['a=1', 'a[b]=2']],
    [['a[b]=2', 'a=1']],
    [['a[]=1', 'a[b]=2']],
    [['a[][b]=1']],
    [['a]=1']],
    [['a[b=1']],
    [['[]=1']],
  ])('%j is refused', (texts) => {
    expect(() => body(...texts)).toThrow(expect.objectContaining({ exitCode: 2 }));
  });
});

test('a list in a query repeats the name', () => {
  const url = new URL('http://svc.example/x?a=0');
  appendToQuery(url, [
    { key: 'a', value: 1 },
    { key: 'b[]', value: 'x&y' },
    { key: 'b[]', value: true },
    { key: 'c', value: [] },
  ]);
  expect(url.search).toBe('?a=0&a=1&b=x%26y&b=true');
});
