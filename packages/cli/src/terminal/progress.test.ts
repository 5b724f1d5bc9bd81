import { expect, test } from 'vitest';
import { clearProgress, formatCount, noteInProgress, startProgress } from './progress.ts';

const CLEAR = '\r\u001b[2K';

function createTerminal(columns = 80) {
  const written: string[] = [];
  let now = 0;
  return {
    written,
    stream: { isTTY: true, columns, write: (text: string) => written.push(text) > 0 },
    now: () => now,
    pass: (ms: number) => {
      now += ms;
    },
  };
}

test('redraws one line at a limited rate', () => {
  const { stream, written, now, pass } = createTerminal();
  const progress = startProgress(stream, now);
  progress.show('1 page');
  progress.show('2 pages');
  pass(100);
  progress.show('3 pages');
  progress.end();
  expect(written).toEqual([`${CLEAR}1 page`, `${CLEAR}3 pages`, CLEAR]);
});

test('a note appears at once after the last text', () => {
  const { stream, written, now } = createTerminal();
  const progress = startProgress(stream, now);
  progress.show('1 page');
  progress.show('2 pages');
  expect(noteInProgress('waiting 42 s')).toBe(true);
  expect(written.at(-1)).toBe(`${CLEAR}2 pages, waiting 42 s`);
  progress.end();
  expect(noteInProgress('waiting 42 s')).toBe(false);
});

test('a note before the first text', () => {
  const { stream, written } = createTerminal();
  const progress = startProgress(stream);
  expect(noteInProgress('waiting 42 s')).toBe(true);
  expect(written).toEqual([`${CLEAR}waiting 42 s`]);
  progress.end();
});

test('clearProgress removes the line until the next text', () => {
  const { stream, written, now } = createTerminal();
  const progress = startProgress(stream, now);
  expect(clearProgress()).toBe(false);
  progress.show('1 page');
  expect(clearProgress()).toBe(true);
  expect(clearProgress()).toBe(false);
  progress.show('2 pages');
  expect(written).toEqual([`${CLEAR}1 page`, CLEAR, `${CLEAR}2 pages`]);
  progress.end();
  expect(clearProgress()).toBe(false);
});

test('cuts a line that would wrap', () => {
  const { stream, written, now } = createTerminal(10);
  const progress = startProgress(stream, now);
  progress.show('1234567890');
  expect(written).toEqual([`${CLEAR}123456789`]);
  progress.end();
});

test.each([
  ['a pipe', { write: () => expect.fail('written to') }],
  ['a terminal that also gets the rows', null],
])('shows nothing for %s', (_name, stream) => {
  const progress = startProgress(stream);
  progress.show('1 page');
  expect(noteInProgress('waiting')).toBe(false);
  expect(clearProgress()).toBe(false);
  progress.end();
});

test('formatCount', () => {
  expect(formatCount(1234567)).toBe('1,234,567');
});
