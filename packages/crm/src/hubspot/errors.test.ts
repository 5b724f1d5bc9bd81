import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readErrorBody, toFailure } from './errors.ts';

function failureOf(httpStatus: number, body: unknown, headers: Record<string, string> = {}) {
  return toFailure({
    part: 'the contact',
    httpStatus,
    headers: new Headers(headers),
    body: readErrorBody(body),
    nowMs: 0,
    redact: (text) => text.replaceAll('secret', '[…]'),
  });
}

describe('message', () => {
  test('shows names and codes of refused properties without values', () => {
    const details = [
      { isValid: false, message: 'Email address secret is invalid', error: 'INVALID_EMAIL', name: 'email' },
      {
        isValid: false,
        message: '7 already has that value.',
        error: 'CONFLICTING_UNIQUE_VALUE',
        name: 'svc_profile_url',
      },
    ];
    const { error } = failureOf(400, { message: `Property values were not valid: ${JSON.stringify(details)}` });
    expect(error.message).toBe(
      'HubSpot answered 400 to the contact: INVALID_EMAIL for email, CONFLICTING_UNIQUE_VALUE for svc_profile_url',
    );
  });

  test.each([
    [
      'of 2026-09',
      {
        message: 'The property values provided are invalid',
        errors: [
          { code: 'MISSING_REQUIRED_PROPERTY', message: 'A value…', context: { propertyName: ['city'] } },
          {
            code: 'MISSING_CONDITIONAL_REQUIRED_PROPERTY',
            message: 'phone is required because of a conditional property rule based on [jobtitle]',
            context: { propertyName: ['phone'] },
          },
          { code: 'OTHER', message: 'secret', context: { propertyName: ['name'] } },
        ],
      },
      'city, phone (because of jobtitle)',
    ],
    [
      'of numbered versions',
      {
        message: 'Error creating CONTACT. Some required properties were not set.',
        context: { properties: ['city', 'no name'] },
      },
      'city',
    ],
  ])('names the properties that the account requires, in the form %s', (_form, body, names) => {
    expect(failureOf(400, body).error).toMatchObject({
      code: 'required_property',
      message: `HubSpot answered 400 to the contact: the account requires ${names}, and no value is known. Send one, or change the rule in HubSpot`,
    });
  });

  test("otherwise shows HubSpot's message, truncated and without the values that were sent", () => {
    expect(failureOf(400, { message: 'No secret here' }).error.message).toBe(
      'HubSpot answered 400 to the contact: No […] here',
    );
    expect(failureOf(400, { message: 'x'.repeat(9_000) }).error.message).toHaveLength(500);
    expect(failureOf(502, undefined).error).toEqual({
      code: 'unavailable',
      message: 'HubSpot answered 502 to the contact',
      httpStatus: 502,
    });
  });
});

test.each([
  [401, 'disconnected'],
  [403, 'forbidden'],
  [404, 'refused'],
  [408, 'unavailable'],
  [409, 'conflict'],
  [423, 'unavailable'],
  [429, 'rate_limited'],
  [477, 'unavailable'],
  [500, 'unavailable'],
  [307, 'unexpected_answer'],
])('%i is %s', (status, code) => {
  expect(failureOf(status, {}).error.code).toBe(code);
});

test.each([
  [408, true],
  [409, undefined],
  [423, undefined],
  [429, undefined],
  [477, true],
  [500, true],
  [503, true],
])('%i says that HubSpot as a whole does not work: %s', (status, isUnavailable) => {
  expect(failureOf(status, {}).consequence.isUnavailable).toBe(isUnavailable);
  expect(failureOf(status, {}, { 'Retry-After': '30' }).consequence.isUnavailable).toBe(isUnavailable);
});

test('a 429 without a policy waits for the interval in its headers', () => {
  expect(failureOf(429, {}, { 'X-HubSpot-RateLimit-Interval-Milliseconds': '2500' }).consequence.retry).toEqual({
    afterMs: 2_500,
  });
  expect(failureOf(429, {}, { 'X-HubSpot-RateLimit-Interval-Milliseconds': 'x' }).consequence.retry).toEqual({
    afterMs: 10_000,
  });
});

test('a 429 without a policy is the daily limit when no calls are left for the day', () => {
  const { error, consequence } = failureOf(429, {}, { 'X-HubSpot-RateLimit-Daily-Remaining': '0' });
  expect(error.code).toBe('daily_limit_reached');
  expect(consequence).toEqual({ retry: { afterMs: 3_600_000 }, disconnected: false, cooldownUntilMs: 3_600_000 });
});

test('accepts any error body', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 300, max: 599 }),
      fc.jsonValue(),
      fc.record({
        message: fc.jsonValue(),
        category: fc.jsonValue(),
        correlationId: fc.jsonValue(),
        policyName: fc.jsonValue(),
      }),
      (status, any, near) => {
        for (const body of [
          any,
          near,
          { ...near, message: `Property values were not valid: ${JSON.stringify([any])}` },
        ]) {
          const { error, consequence } = failureOf(status, body);
          expect(error.message.length).toBeLessThanOrEqual(500);
          expect(error.httpStatus).toBe(status);
          expect(consequence.disconnected).toBe(status === 401);
        }
      },
    ),
  );
});
