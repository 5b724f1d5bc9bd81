import { expect, test } from 'vitest';
import { formatBrokenRequestAnswer, findHeaderError } from './broken-request.ts';

test.each([
  ['HPE_HEADER_OVERFLOW', 431, 'Request Header Fields Too Large', 'The request headers are too large'],
  ['ERR_HTTP_REQUEST_TIMEOUT', 408, 'Request Timeout', 'The request took too long to arrive'],
  ['HPE_INVALID_METHOD', 400, 'Bad Request', 'This is not a readable HTTP request'],
  [undefined, 400, 'Bad Request', 'This is not a readable HTTP request'],
])('%s is a %i', (code, statusCode, error, message) => {
  const [head, body = ''] = formatBrokenRequestAnswer({ code }, { 'X-Example': 'a', Link: '<b>' }).split('\r\n\r\n');
  expect(head?.split('\r\n')).toEqual([
    `HTTP/1.1 ${statusCode} ${error}`,
    'Connection: close',
    'X-Example: a',
    'Link: <b>',
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${body.length}`,
  ]);
  expect(JSON.parse(body)).toEqual({ statusCode, message, error });
});

test('an answer to HEAD has no body', () => {
  const answerTo = (text: string) => formatBrokenRequestAnswer({ rawPacket: new TextEncoder().encode(text) }, {});
  const getAnswer = answerTo('GET /é HTTP/1.1\r\n');
  expect(answerTo('HEAD /é HTTP/1.1\r\n')).toBe(getAnswer.slice(0, getAnswer.indexOf('{')));
  expect(answerTo('HEADS / HTTP/1.1\r\n')).toBe(getAnswer);
  expect(answerTo('HEAD')).toBe(getAnswer);
});

test.each<[string, string, string[], string | null]>([
  ['one Host', '1.1', ['Host', 'a', 'Accept', 'host'], null],
  ['no Host', '1.1', ['Accept', 'Host'], 'The request has no Host header'],
  ['no Host in HTTP/1.0', '1.0', [], null],
  ['two Hosts', '1.1', ['Host', 'a', 'hOST', 'a'], 'The request has more than one Host header: send one'],
  ['two Hosts in HTTP/1.0', '1.0', ['Host', 'a', 'Host', 'b'], 'The request has more than one Host header: send one'],
  ['several of another header', '1.1', ['Host', 'a', 'Accept', 'x', 'Accept', 'y'], null],
])('a request with %s', (_name, httpVersion, rawHeaders, message) => {
  const refusal = findHeaderError({ httpVersion, rawHeaders });
  expect(refusal?.toBody() ?? null).toEqual(
    message === null ? null : { statusCode: 400, message, error: 'Bad Request' },
  );
});
