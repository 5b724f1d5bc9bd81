import { describe, expect, test } from 'vitest';
import { answerHeaders, isApiPath } from './answer-headers.ts';

const docsUrl = 'https://docs.example.com/v1/';

describe('answerHeaders', () => {
  test.each(['https://api.example.com', 'https://api.example.com/'])('below /api/v1 of %s', (apiUrl) => {
    expect(answerHeaders('/api/v1/me', { apiUrl, docsUrl })).toEqual({
      'X-Content-Type-Options': 'nosniff',
      Link:
        '<https://api.example.com/api/v1/openapi.json>; rel="service-desc"; type="application/json", ' +
        '<https://docs.example.com/v1/>; rel="service-doc"; type="text/html"',
      'Cache-Control': 'no-store',
    });
  });

  test('elsewhere', () => {
    const headers = answerHeaders('/health/live', { apiUrl: 'https://api.example.com', docsUrl });
    expect(headers).toEqual({ 'X-Content-Type-Options': 'nosniff' });
  });
});

test.each([
  ['/api/v1', true],
  ['/api/v1/', true],
  ['/api/v1/nothing', true],
  ['/API/v1/me', true],
  ['/api/v10/me', false],
  ['/api/v', false],
  ['/webhooks/api/v1', false],
  ['', false],
])('%s is below the prefix of the API: %s', (path, expected) => {
  expect(isApiPath(path)).toBe(expected);
});
