import { describe, expect, test } from 'vitest';
import { describeCallFailure, describeTimeout, findOutboundUrlProblem } from './outbound-call.ts';

const PRIVATE = 'The address is private, local or reserved';
const NOT_HTTP = 'The URL is not an http or https address';
const PORT = 'The port is one on which no HTTP service listens';

describe('findOutboundUrlProblem', () => {
  test.each([
    ['https://10.0.0.1/x', PRIVATE],
    ['http://[::1]:8080/', PRIVATE],
    ['https://0x7f.1/', PRIVATE],
    ['https://localhost/x', PRIVATE],
    ['https://printer/x', PRIVATE],
    ['https://db.internal./x', PRIVATE],
    ['ftp://hooks.example.com/', NOT_HTTP],
    ['hooks.example.com', NOT_HTTP],
    ['', NOT_HTTP],
    ['https://hooks.example.com:22/x', PORT],
    ['http://hooks.example.com:0/x', PORT],
    ['https://168.63.129.16/', PRIVATE],
    ['https://hooks.example.com/x', null],
    ['http://93.184.216.34:8080/x', null],
    ['https://[2606:4700::1111]/', null],
  ])('%s: %s', (url, refusal) => {
    expect(findOutboundUrlProblem(url)).toBe(refusal);
  });

  test('allows ranges of the operator, and then local names too', () => {
    const allowedCidrs = ['10.0.0.0/8'];
    expect(findOutboundUrlProblem('https://10.1.2.3/', { allowedCidrs })).toBeNull();
    expect(findOutboundUrlProblem('https://127.0.0.1/', { allowedCidrs })).toBe(PRIVATE);
    expect(findOutboundUrlProblem('https://printer/', { allowedCidrs })).toBeNull();
    expect(findOutboundUrlProblem('https://10.1.2.3:25/', { allowedCidrs })).toBe(PORT);
  });
});

describe('descriptions of failures', () => {
  const withCode = (message: string, code: unknown) => Object.assign(new Error(message), { code });

  test.each([
    [withCode('getaddrinfo ENOTFOUND x', 'ENOTFOUND'), 'ENOTFOUND: getaddrinfo ENOTFOUND x'],
    [new Error('aborted'), 'aborted'],
    [withCode('odd', 7), 'odd'],
    ['text', 'text'],
    [new Error('x'.repeat(400)), 'x'.repeat(300)],
    [withCode('x'.repeat(400), 'E'), `E: ${'x'.repeat(297)}`],
  ])('%o: %s', (error, text) => {
    expect(describeCallFailure(error)).toBe(text);
  });

  test('uses the first of several errors', () => {
    const error = new AggregateError([
      withCode('connect ECONNREFUSED ::1:9', 'ECONNREFUSED'),
      withCode('connect ENETUNREACH 127.0.0.1:9', 'ENETUNREACH'),
    ]);
    expect(describeCallFailure(error)).toBe('ECONNREFUSED: connect ECONNREFUSED ::1:9');
    expect(describeCallFailure(new AggregateError([], 'none'))).toBe('none');
  });

  test('a timeout', () => {
    expect([describeTimeout(10_000), describeTimeout(1_500)]).toEqual([
      'No answer within 10 seconds',
      'No answer within 1.5 seconds',
    ]);
  });
});
