import { describe, expect, test } from 'vitest';
import { ApiError, bodyTooLarge, undecodableBody, unreadableBody } from './errors.ts';

describe('refusals of a body', () => {
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

test('a cause is kept for the log, and stays out of the body', () => {
  const cause = new Error('the database says');
  const refusal = new ApiError(409, 'Try again', { cause });
  expect(refusal.cause).toBe(cause);
  expect(refusal.toBody()).toEqual({ statusCode: 409, message: 'Try again', error: 'Conflict' });
  expect('cause' in new ApiError(409, 'Try again')).toBe(false);
});
