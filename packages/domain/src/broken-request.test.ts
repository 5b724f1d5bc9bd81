import { expect, test } from 'vitest';
import { missingHost, refusalOfBrokenRequest } from './broken-request.ts';

test.each([
  ['HPE_HEADER_OVERFLOW', 431, 'Request Header Fields Too Large', 'The request headers are too large'],
  ['ERR_HTTP_REQUEST_TIMEOUT', 408, 'Request Timeout', 'The request took too long to arrive'],
  ['HPE_INVALID_METHOD', 400, 'Bad Request', 'This is not a readable HTTP request'],
  [undefined, 400, 'Bad Request', 'This is not a readable HTTP request'],
])('%s is a %i', (code, statusCode, error, message) => {
  expect(refusalOfBrokenRequest(code)).toEqual({ statusCode, message, error });
});

test('a request without Host', () => {
  expect(missingHost().toBody()).toEqual({
    statusCode: 400,
    message: 'The request has no Host header',
    error: 'Bad Request',
  });
});
