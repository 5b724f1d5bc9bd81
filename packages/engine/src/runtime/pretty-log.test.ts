import { expect, test } from 'vitest';
import { formatLogLine } from './pretty-log.ts';

const AT = Date.UTC(2026, 0, 15, 12, 4, 31, 123);
const format = (fields: object, colors = false) =>
  formatLogLine(JSON.stringify({ level: 30, time: AT, pid: 7, ...fields }), { colors });

test('time, level, message and fields are in one line', () => {
  expect(
    format({ level: 40, connectionId: 3, crm: 'HUBSPOT', reason: 'no access', msg: 'the CRM refuses its token' }),
  ).toBe('12:04:31.123Z WARN  the CRM refuses its token  connectionId=3 crm=HUBSPOT reason="no access"\n');
  expect(format({ msg: 'started' })).toBe('12:04:31.123Z INFO  started\n');
  expect(format({ level: 35, kinds: ['a', 'b'], nested: { on: true } })).toBe(
    '12:04:31.123Z 35      kinds=["a","b"] nested={"on":true}\n',
  );
});

test('the stack of an error stands below its line', () => {
  const err = {
    type: 'TypeError',
    message: 'not a function',
    stack: 'TypeError: not a function\n    at run (job.ts:1:2)',
  };
  expect(format({ level: 50, err, msg: 'a job failed' })).toBe(
    [
      '12:04:31.123Z ERROR a job failed  err={"type":"TypeError","message":"not a function"}',
      '    TypeError: not a function',
      '    at run (job.ts:1:2)\n',
    ].join('\n'),
  );
});

test('what was sent cannot act on the terminal or forge a line', () => {
  const text = format({ msg: 'a\u001b[2J\nb\u009d\u202e', path: '\u001b]0;x\u0007\n\u009b' });
  expect(text).toMatch(/^[^\p{Cc}\p{Bidi_Control}]+\n$/u);
  expect(text).toContain('a\\u001b[2J b');
});

test('colours show the level', () => {
  expect(format({ level: 40, msg: 'careful' }, true)).toContain('\u001b[33mWARN ');
  expect(format({ level: 30, msg: 'fine' }, true)).toContain('\u001b[32mINFO ');
});
