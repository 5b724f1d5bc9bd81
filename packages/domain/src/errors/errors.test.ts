import { describe, expect, test } from 'vitest';
import {
  ApiError,
  bodyTooLarge,
  errorHeaders,
  invalidApiKey,
  isApiErrorStatus,
  undecodableBody,
  unreadableBody,
} from './errors.ts';

describe('errors of a body', () => {
  test.each([
    [unreadableBody('unexpected end'), 400, 'Bad Request', 'The request body could not be read: unexpected end'],
    [bodyTooLarge(100), 413, 'Payload Too Large', 'The request body is too large, at most 100 bytes are taken'],
    [bodyTooLarge(undefined), 413, 'Payload Too Large', 'The request body is too large'],
    [
      undecodableBody('no such charset'),
      415,
      'Unsupported Media Type',
      'The request body cannot be read: no such charset',
    ],
  ])('%s', (refusal, statusCode, error, message) => {
    expect(refusal).toBeInstanceOf(ApiError);
    expect(refusal.toBody()).toEqual({ statusCode, message, error });
  });
});

test('a cause is kept for the log and not shown in the body', () => {
  const cause = new Error('the database says');
  const refusal = new ApiError(409, 'Try again', { cause });
  expect(refusal.cause).toBe(cause);
  expect(refusal.toBody()).toEqual({ statusCode: 409, message: 'Try again', error: 'Conflict' });
  expect('cause' in new ApiError(409, 'Try again')).toBe(false);
});

test.each([
  [invalidApiKey(), { 'WWW-Authenticate': 'Bearer realm="api"' }],
  [new ApiError(429, 'slow down', { retryAfterSeconds: 7 }), { 'Retry-After': '7' }],
  [new ApiError(503, 'later', { retryAfterSeconds: 5 }), { 'Retry-After': '5' }],
  [new ApiError(404, 'gone'), {}],
])('%s has the headers %o', (error, headers) => {
  expect(errorHeaders(error)).toEqual(headers);
});

test('isApiErrorStatus knows the error statuses of the API', () => {
  expect([401, 503].map(isApiErrorStatus)).toEqual([true, true]);
  expect([200, 418, 502].map(isApiErrorStatus)).toEqual([false, false, false]);
});
