import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { toAnswer, toJson } from './answers.ts';

const options = { method: 'GET', headers: { a: '1', b: '1' }, successStatus: 202 };

test("a reply without status and headers gets the operation's success status and the call's headers", () => {
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

  test('equals JSON.stringify, also for pages, also the second time', () => {
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
  ])('equals JSON.stringify for %j', (value) => {
    expect(toJson(value)).toBe(JSON.stringify(value));
  });
});
