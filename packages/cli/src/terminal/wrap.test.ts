import { expect, test } from 'vitest';
import { wrapText } from './wrap.ts';

test('wraps at spaces and indents every line', () => {
  expect(wrapText('one two three four', 11, '  ')).toEqual(['  one two', '  three', '  four']);
});

test('keeps an address whole, and splits other long words', () => {
  expect(wrapText('see https://sync.example.com/a', 10)).toEqual(['see', 'https://sync.example.com/a']);
  expect(wrapText('{"message":"x"}', 6)).toEqual(['{"mess', 'age":"', 'x"}']);
});

test('keeps a command on one line', () => {
  expect(wrapText('Run `svc syncs retry 7 --wait`, then look.', 30)).toEqual([
    'Run',
    '`svc syncs retry 7 --wait`,',
    'then look.',
  ]);
  expect(wrapText('Run `svc syncs retry 7 --wait` now', 12)).toEqual(['Run', '`svc syncs retry 7 --wait`', 'now']);
  expect(wrapText('Rows are kept; to resume: svc syncs export --resume', 30)).toEqual([
    'Rows are kept; to resume:',
    'svc syncs export --resume',
  ]);
  expect(wrapText("don't ` stop", 7)).toEqual(["don't `", 'stop']);
});

test('counts wide characters, and does not wrap for files', () => {
  expect(wrapText('日本 語', 5)).toEqual(['日本', '語']);
  expect(wrapText('a b c', Number.POSITIVE_INFINITY)).toEqual(['a b c']);
});

test('escapes control characters', () => {
  expect(wrapText('a\u001b[31m', 80)).toEqual([String.raw`a\u001b[31m`]);
});
