import { describe, expect, test } from 'vitest';
import { ApiError } from '../errors/errors.ts';
import {
  parseInboundBody,
  assertInboundCall,
  INBOUND_BODY_BYTES_MAX,
  inboundPathOf,
  isInboundPath,
  pickInboundHeaders,
  noSuchSource,
  parseReceivedJson,
} from './inbound-post.ts';

describe('paths', () => {
  test.each(['abc', 'a-b_C9', '4711/0815', 'x'.repeat(128)])('isInboundPath accepts %s', (path) => {
    expect(isInboundPath(path)).toBe(true);
  });
  test.each(['', 'a/b/c', '/a', 'a/', 'a b', 'ä', 'x'.repeat(129), 'a\n'])('isInboundPath refuses %j', (path) => {
    expect(isInboundPath(path)).toBe(false);
  });
  test.each([
    ['/webhooks/abc', 'abc'],
    ['/webhooks/1/2', '1/2'],
    ['/webhooks/%61bc', '%61bc'],
    ['/webhooks/abc/', 'abc/'],
    ['/webhooks//abc', '/abc'],
    ['/webhooks/', ''],
    ['/webhooks', ''],
    ['/webhooksx/abc', null],
    ['/Webhooks/abc', null],
    ['/api/v1/webhooks/abc', null],
  ])('inboundPathOf returns for %s: %j', (path, code) => {
    expect(inboundPathOf(path)).toBe(code);
  });

  test.each([
    ['POST', 'a b', /copy it again/],
    ['PUT', 'a b', /copy it again/],
    ['PUT', 'abc', /No such route/],
    ['post', '1/2', /No such route/],
  ])('404 for %s to %j', (method, path, message) => {
    expect(() => assertInboundCall(method, path)).toThrow(message);
  });
  test('POST to a well-formed path passes', () => {
    expect(assertInboundCall('POST', '1/2')).toBeUndefined();
  });

  test('404 with advice for an unknown code', () => {
    expect(noSuchSource()).toMatchObject({ statusCode: 404, message: expect.stringContaining('copy it again') });
  });
});

test('keeps only headers that adapters need, cut to a maximum length', () => {
  const kept = pickInboundHeaders({
    authorization: 'Bearer secret',
    cookie: 'secret',
    'content-type': 'application/json',
    'x-request-id': 'r'.repeat(2_000),
    'x-salesloft-event': 'email',
    'x-my-event-name': 'opened',
    'x-token': 'secret',
    'x-event-secret': 'secret',
    'x-smartlead-signature': 'sha256=0a',
    'my-content-type': 'secret',
    'content-type-token': 'secret',
    'user-agent': ['two', 'values'],
  });
  expect(kept).toEqual({
    'content-type': 'application/json',
    'x-request-id': 'r'.repeat(1_000),
    'x-salesloft-event': 'email',
    'x-my-event-name': 'opened',
    'x-smartlead-signature': 'sha256=0a',
  });
});

describe('bodies', () => {
  test('are accepted up to 2 MiB', () => {
    expect(INBOUND_BODY_BYTES_MAX).toBe(2_097_152);
  });
  test('accepts any JSON, with or without a byte order mark', () => {
    expect(parseReceivedJson('﻿{"a":1}')).toEqual({ a: 1 });
    for (const text of ['{}', '[]', '1', 'null', '"x"', '﻿[1]']) expect(() => parseInboundBody(text)).not.toThrow();
  });
  test.each([
    ['', 'The body is empty: send the event as JSON.'],
    ['{', 'The body is not JSON: '],
  ])('%j is a 400', (text, message) => {
    const refusal = (() => {
      try {
        parseInboundBody(text);
      } catch (error) {
        return error;
      }
      return null;
    })();
    expect(refusal).toBeInstanceOf(ApiError);
    expect(refusal).toMatchObject({ statusCode: 400, message: expect.stringContaining(message) });
  });
});
