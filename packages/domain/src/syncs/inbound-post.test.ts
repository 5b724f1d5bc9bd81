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
  parseReceivedBody,
  pickInboundParameters,
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

test('keeps only the parameters of the URL that name the event, each once', () => {
  expect(pickInboundParameters('/webhooks/abc')).toEqual({});
  const target = `/webhooks/abc?token=x&Event=reply%20received&event=second&my-event-id=7&event_secret=x&e=1&event%00=1`;
  expect(pickInboundParameters(target)).toEqual({ '?event': 'reply received', '?my-event-id': '7' });
  expect(pickInboundParameters(`/webhooks/abc?event=${'x'.repeat(2_000)}`)['?event']).toHaveLength(1_000);
});

test('keeps parameters as text that a database can store', () => {
  expect(pickInboundParameters('/webhooks/abc?event=re%00ply')).toEqual({ '?event': 'reply' });
  const cut = pickInboundParameters(`/webhooks/abc?event=${'x'.repeat(999)}%F0%9F%98%80`)['?event'];
  expect(cut).toBe(`${'x'.repeat(999)}\ufffd`);
});

describe('bodies', () => {
  test('are accepted up to 2 MiB', () => {
    expect(INBOUND_BODY_BYTES_MAX).toBe(2_097_152);
  });
  test('accepts any JSON, with or without a byte order mark', () => {
    expect(parseReceivedBody('﻿{"a":1}', undefined)).toEqual({ a: 1 });
    for (const text of ['{}', '[]', '1', 'null', '"x"', '﻿[1]'])
      expect(() => parseInboundBody(text, undefined)).not.toThrow();
  });
  test.each<[string, string, unknown]>([
    [
      'plain fields',
      'event=opened&lead%5Bemail%5D=kim%2B1%40example.org',
      { event: 'opened', 'lead[email]': 'kim+1@example.org' },
    ],
    ['fields of one name', 'link=a&link=b&event=clicked', { link: ['a', 'b'], event: 'clicked' }],
    ['one field with an object', 'payload=%7B%22event%22%3A%22opened%22%7D', { event: 'opened' }],
    ['one field with a list', 'events=[{"event":"opened"}]', [{ event: 'opened' }]],
    ['a field with an object beside others', 'payload={"a":1}&v=2', { payload: { a: 1 }, v: '2' }],
    ['a field that only begins like an object', 'text={x', { text: '{x' }],
    ['a key of the prototype', '__proto__=1&a=2', JSON.parse('{"__proto__":"1","a":"2"}')],
    ['JSON under the type of a form', '{"a":1}', { a: 1 }],
  ])('a form with %s', (_name, text, expected) => {
    for (const type of ['application/x-www-form-urlencoded', 'Application/X-WWW-Form-Urlencoded; charset=utf-8'])
      expect(parseInboundBody(text, type)).toEqual(expected);
  });
  test.each(['text/plain', 'multipart/form-data', 'application/json', undefined])(
    'a form of type %s is a 400',
    (type) => {
      expect(() => parseInboundBody('event=opened', type)).toThrow('The body is not JSON');
    },
  );
  test('JSON that is cut is a 400, also under the type of a form', () => {
    expect(() => parseInboundBody('{"event":', 'application/x-www-form-urlencoded')).toThrow('The body is not JSON');
  });
  test.each([
    ['', 'The body is empty: send the event as JSON.'],
    ['{', 'The body is not JSON: '],
  ])('%j is a 400', (text, message) => {
    const refusal = (() => {
      try {
        parseInboundBody(text, undefined);
      } catch (error) {
        return error;
      }
      return null;
    })();
    expect(refusal).toBeInstanceOf(ApiError);
    expect(refusal).toMatchObject({ statusCode: 400, message: expect.stringContaining(message) });
  });
});
