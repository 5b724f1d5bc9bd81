import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readProblem, toFailure } from './errors.ts';

function failureOf(httpStatus: number, body: unknown, headers: Record<string, string> = {}) {
  return toFailure({
    part: 'the contact',
    httpStatus,
    headers: new Headers(headers),
    problem: readProblem(body),
    nowMs: 0,
    redact: (text) => text.replaceAll('secret', '[…]'),
  });
}
const refusal = (errorCode: string, message = 'm', fields: string[] = []) => [{ errorCode, message, fields }];

test.each([
  [401, refusal('INVALID_SESSION_ID'), 'disconnected', 'never', undefined],
  [
    403,
    refusal('REQUEST_LIMIT_EXCEEDED', 'TotalRequests Limit exceeded.'),
    'daily_limit_reached',
    3_600_000,
    undefined,
  ],
  [403, refusal('REQUEST_LIMIT_EXCEEDED', 'ConcurrentRequests (…) Limit exceeded.'), 'rate_limited', 5_000, undefined],
  [403, refusal('API_DISABLED_FOR_ORG'), 'forbidden', 'never', undefined],
  [403, refusal('INSUFFICIENT_ACCESS'), 'forbidden', 'never', undefined],
  [400, refusal('UNABLE_TO_LOCK_ROW'), 'locked', 2_000, undefined],
  [400, refusal('REQUIRED_FIELD_MISSING'), 'refused', 'never', undefined],
  [400, refusal('QUERY_TIMEOUT'), 'unavailable', null, undefined],
  [400, refusal('INVALID_QUERY_LOCATOR'), 'unavailable', null, undefined],
  [404, refusal('ENTITY_IS_DELETED'), 'refused', 'never', undefined],
  [300, ['/services/data/v66.0/sobjects/Contact/003'], 'ambiguous', 'never', undefined],
  [503, refusal('SERVER_UNAVAILABLE'), 'unavailable', null, true],
  [500, refusal('UNKNOWN_EXCEPTION'), 'unavailable', null, true],
  [502, undefined, 'unavailable', null, true],
  [404, undefined, 'unavailable', null, true],
  [401, undefined, 'disconnected', 'never', undefined],
  [307, undefined, 'unexpected_answer', 'never', undefined],
])('%i %j is %s', (status, body, code, wait, isUnavailable) => {
  const { error, consequence } = failureOf(status, body);
  expect(error.code).toBe(code);
  expect(consequence.retry).toEqual(wait === 'never' ? 'never' : { afterMs: wait });
  expect(consequence.disconnected).toBe(status === 401);
  expect(consequence.isUnavailable).toBe(isUnavailable);
});

test('a wait that Salesforce names is kept', () => {
  const { consequence } = failureOf(503, refusal('SERVER_UNAVAILABLE'), { 'Retry-After': '30' });
  expect(consequence).toEqual({ retry: { afterMs: 30_000 }, disconnected: false, isUnavailable: true });
});

describe('message', () => {
  test('names the code and the fields, with the redacted text', () => {
    const { error } = failureOf(400, refusal('FIELD_CUSTOM_VALIDATION_EXCEPTION', 'No secret here', ['Title']));
    expect(error).toEqual({
      code: 'refused',
      message: 'Salesforce answered 400 to the contact: FIELD_CUSTOM_VALIDATION_EXCEPTION for Title: No […] here',
      httpStatus: 400,
      category: 'FIELD_CUSTOM_VALIDATION_EXCEPTION',
    });
  });

  test.each(['STRING_TOO_LONG', 'INVALID_EMAIL_ADDRESS', 'DUPLICATE_VALUE'])('%s is shown without its text', (code) => {
    expect(failureOf(400, refusal(code, 'Name: data value too large: Kim', ['LastName'])).error.message).toBe(
      `Salesforce answered 400 to the contact: ${code} for LastName`,
    );
  });
});

test('reads the result of one record, and what a duplicate rule found', () => {
  const result = { success: false, errors: [{ statusCode: 'INVALID_FIELD', message: 'x', fields: ['A'] }] };
  expect(readProblem(result)).toEqual({ code: 'INVALID_FIELD', message: 'x', fields: ['A'], duplicates: null });
  const matchRecords = [{ record: { attributes: { type: 'Lead' }, Id: '00Q1' } }, {}];
  const duplicateResult = { allowSave: true, matchResults: [{ matchRecords }] };
  expect(readProblem([{ errorCode: 'DUPLICATES_DETECTED', message: '', duplicateResult }])?.duplicates).toEqual({
    allowsSave: true,
    matches: [{ id: '00Q1', type: 'Lead' }],
  });
});

test('accepts any answer', () => {
  const near = fc.array(
    fc.record({
      errorCode: fc.jsonValue(),
      message: fc.jsonValue(),
      fields: fc.jsonValue(),
      duplicateResult: fc.jsonValue(),
    }),
  );
  fc.assert(
    fc.property(fc.integer({ min: 300, max: 599 }), fc.oneof(fc.jsonValue(), near), (status, body) => {
      const { error, consequence } = failureOf(status, body);
      expect(error.message.length).toBeLessThanOrEqual(500);
      expect(error.httpStatus).toBe(status);
      if (consequence.disconnected) expect(status).toBe(401);
    }),
  );
});
