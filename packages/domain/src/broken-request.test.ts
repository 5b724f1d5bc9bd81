import { expect, test } from 'vitest';
import { answerToBrokenRequest, missingHost } from './broken-request.ts';

test.each([
  ['HPE_HEADER_OVERFLOW', 431, 'Request Header Fields Too Large', 'The request headers are too large'],
  ['ERR_HTTP_REQUEST_TIMEOUT', 408, 'Request Timeout', 'The request took too long to arrive'],
  ['HPE_INVALID_METHOD', 400, 'Bad Request', 'This is not a readable HTTP request'],
  [undefined, 400, 'Bad Request', 'This is not a readable HTTP request'],
])('%s is a %i', (code, statusCode, error, message) => {
  const [head, body = ''] = answerToBrokenRequest({ code }).split('\r\n\r\n');
  expect(head?.split('\r\n')).toEqual([
    `HTTP/1.1 ${statusCode} ${error}`,
    'Connection: close',
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${body.length}`,
  ]);
  expect(JSON.parse(body)).toEqual({ statusCode, message, error });
});

test('HEAD gets no body, whatever is wrong with the request', () => {
  const answerTo = (text: string) => answerToBrokenRequest({ rawPacket: new TextEncoder().encode(text) });
  const ofGet = answerTo('GET /é HTTP/1.1\r\n');
  expect(answerTo('HEAD /é HTTP/1.1\r\n')).toBe(ofGet.slice(0, ofGet.indexOf('{')));
  expect(answerTo('HEADS / HTTP/1.1\r\n')).toBe(ofGet);
  expect(answerTo('HEAD')).toBe(ofGet);
});

test('a request without Host', () => {
  expect(missingHost().toBody()).toEqual({
    statusCode: 400,
    message: 'The request has no Host header',
    error: 'Bad Request',
  });
});
