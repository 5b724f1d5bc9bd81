import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { clearProgress, countDown, formatCount, noteInProgress, startProgress } from './progress.ts';

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubEnv('TERM', 'xterm');
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllEnvs();
});

const WAIT = { label: 'rate limit: waiting', waitMs: 41_200, isRateLimit: true };
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

test('a wait is counted down after the last text, every second, and then disappears', () => {
  const { stream, written } = createTerminal();
  const progress = startProgress(stream);
  progress.show('1 page');
  progress.show('2 pages');
  expect(noteInProgress({ ...WAIT, waitMs: 2500 })).toBe(true);
  expect(written.at(-1)).toBe(`${CLEAR}2 pages, rate limit: waiting 3 s`);
  vi.advanceTimersByTime(1000);
  expect(written.at(-1)).toBe(`${CLEAR}2 pages, rate limit: waiting 2 s`);
  vi.advanceTimersByTime(1000);
  expect(written.at(-1)).toBe(`${CLEAR}2 pages, rate limit: waiting 1 s`);
  vi.advanceTimersByTime(1000);
  expect(written.at(-1)).toBe(`${CLEAR}2 pages`);
  progress.end();
  expect(noteInProgress(WAIT)).toBe(false);
});

test('a wait before the first text', () => {
  const { stream, written } = createTerminal();
  const progress = startProgress(stream);
  expect(noteInProgress(WAIT)).toBe(true);
  expect(written).toEqual([`${CLEAR}rate limit: waiting 42 s`]);
  progress.end();
});

test('countDown without a progress line has its own, which disappears', () => {
  const { stream, written } = createTerminal();
  countDown(stream, { ...WAIT, waitMs: 2000 });
  vi.advanceTimersByTime(1000);
  expect(written).toEqual([`${CLEAR}rate limit: waiting 2 s`, `${CLEAR}rate limit: waiting 1 s`]);
  vi.advanceTimersByTime(1000);
  expect(written.at(-1)).toBe(CLEAR);
  expect(noteInProgress(WAIT)).toBe(false);
});

test('a text that fits itself leaves room for the wait', () => {
  const { stream, written } = createTerminal(40);
  const progress = startProgress(stream);
  progress.show((columns) => `${columns} columns`);
  noteInProgress({ ...WAIT, waitMs: 9000 });
  expect(written).toEqual([`${CLEAR}37 columns`, `${CLEAR}12 columns, rate limit: waiting 9 s`]);
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
  expect(written).toEqual([`${CLEAR}123456…`]);
  progress.end();
});

test('shows nothing on a terminal that cannot redraw', () => {
  vi.stubEnv('TERM', 'dumb');
  const { stream, written } = createTerminal();
  const progress = startProgress(stream);
  progress.show('1 page');
  progress.end();
  expect(written).toEqual([]);
});

test.each([
  ['a pipe', { write: () => expect.fail('written to') }],
  ['a terminal that also gets the rows', null],
])('shows nothing for %s', (_name, stream) => {
  const progress = startProgress(stream);
  progress.show('1 page');
  expect(noteInProgress(WAIT)).toBe(false);
  expect(clearProgress()).toBe(false);
  progress.end();
});

test('formatCount', () => {
  expect(formatCount(1234567)).toBe('1,234,567');
});
