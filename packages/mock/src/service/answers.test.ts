import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { toAnswer, toJson } from './answers.ts';

const options = { method: 'GET', headers: { a: '1', b: '1' }, successStatus: 202 };

test('a reply gets the status of success and the headers of the call, unless it says otherwise', () => {
  expect(toAnswer({ json: { a: 1 } }, options)).toEqual({
    status: 202,
    headers: { a: '1', b: '1', 'Content-Type': 'application/json; charset=utf-8' },
    body: '{"a":1}',
  });
  expect(toAnswer({ status: 204, headers: { b: '2' } }, options)).toEqual({
    status: 204,
    headers: { a: '1', b: '2' },
    body: '',
  });
  const text = { body: 'ö', contentType: 'text/plain' };
  expect(toAnswer({ text }, { ...options, method: 'HEAD' })).toMatchObject({
    headers: { 'Content-Type': 'text/plain', 'Content-Length': '2' },
    body: '',
  });
});

describe('toJson', () => {
  const resource = fc.object({ key: fc.constantFrom('id', 'data', 'hasMore', 'error'), maxDepth: 2 });

  test('is JSON.stringify, also of a page, also the second time', () => {
    fc.assert(
      fc.property(fc.array(resource), fc.boolean(), fc.option(fc.string()), (data, hasMore, nextCursor) => {
        const page = { data, hasMore, nextCursor };
        expect(toJson(page)).toBe(JSON.stringify(page));
        expect(toJson({ ...page })).toBe(JSON.stringify(page));
      }),
    );
  });

  test.each([
    [{ data: [1, 'a', null], hasMore: true }],
    [{ data: {}, hasMore: true }],
    [{ hasMore: true, data: [{ id: 1 }] }],
    [{ data: [{ id: 1 }] }],
    [[{ data: [], hasMore: false }]],
    [null],
    ['text'],
  ])('also of %j', (value) => {
    expect(toJson(value)).toBe(JSON.stringify(value));
  });
});
