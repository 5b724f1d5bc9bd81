import { expect, test } from 'vitest';
import { formatDuration, renderExportProgress } from './progress.ts';

const view = {
  rowsName: 'syncs',
  rows: 42_000,
  total: 130_000,
  share: 0.5,
  rowsPerSecond: 3100.4,
  leftMs: 79_500,
  wait: null,
};

test.each([
  ['all is known', view, '42,000 of 130,000 syncs, 32 %, 3,100/s, 1 min 20 s left'],
  ['no total: the share of the range', { ...view, total: null, leftMs: null }, '42,000 syncs, 50 %, 3,100/s'],
  [
    'neither is known',
    {
      ...view,
      total: null,
      share: null,
      leftMs: null,
      rowsPerSecond: null,
      wait: { label: 'rate limit: waiting', leftMs: 1 },
    },
    '42,000 syncs, rate limit: waiting 1 s',
  ],
  [
    'nothing in the range',
    { ...view, rows: 0, total: 0, rowsPerSecond: null, leftMs: 0 },
    '0 of 0 syncs, 50 %, 0 s left',
  ],
  [
    'waiting',
    { ...view, wait: { label: 'rate limit: waiting', leftMs: 41_200 } },
    '42,000 of 130,000 syncs, 32 %, rate limit: waiting 42 s, 3,100/s, 1 min 20 s left',
  ],
  ['more than were counted', { ...view, rows: 130_001, leftMs: null }, '130,001 of 130,000 syncs, 100 %, 3,100/s'],
])('%s', (_name, given, text) => {
  expect(renderExportProgress(given, 200).replace(/^[█░]+ /, '')).toBe(text);
  for (const columns of [79, 59]) expect(renderExportProgress(given, columns).length).toBeLessThanOrEqual(columns);
});

test.each([
  [79, '████░░░░░░░░░░ 42,000 of 130,000 syncs, 32 %, rate limit: 42 s, 1 min 20 s left'],
  [59, '███░░░░░░░░ 42,000 of 130,000 syncs, 32 %, rate limit: 42 s'],
  [40, '42,000 syncs, 32 %, rate limit: 42 s'],
])('%d columns: the rate goes first', (columns, text) => {
  const wait = { label: 'rate limit: waiting', leftMs: 41_200 };
  expect(renderExportProgress({ ...view, wait }, columns)).toBe(text);
});

test.each([
  [0, '0 s'],
  [59_001, '1 min'],
  [61_000, '1 min 1 s'],
  [3_600_000, '1 h'],
  [5_400_000, '1 h 30 min'],
])('%d ms: %s', (ms, text) => {
  expect(formatDuration(ms)).toBe(text);
});
