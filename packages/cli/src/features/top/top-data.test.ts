import { describe, expect, test } from 'vitest';
import { toAge, toShortTime } from './ages.ts';
import { NOW_MS, sampleSync } from './sample.fixture.ts';
import { countFailures, findUnsynced, hourStarts, mergeSyncs, SYNCS_KEPT } from './top-data.ts';
import { drawTrend } from './trend.ts';

const request = (id: number, connectionId: number | null = 11) => {
  return { id, connectionId, sourceId: 21, path: '/', createdAt: new Date(NOW_MS - (1000 - id) * 1000).toISOString() };
};

describe('findUnsynced', () => {
  test('counts the requests after the newest one with a sync, of each connection', () => {
    const requests = [request(9), request(8), request(7, 12), request(6), request(5)];
    const syncs = [sampleSync(1, { payloadId: 6 })];
    expect(findUnsynced({ requests, syncs })).toEqual([
      { connectionId: 11, count: 2, oldestAt: request(8).createdAt },
      { connectionId: 12, count: 1, oldestAt: request(7).createdAt },
    ]);
  });

  test('leaves out requests that are older than the log reaches', () => {
    const syncs = Array.from({ length: SYNCS_KEPT }, (_, index) => sampleSync(900 - index));
    expect(findUnsynced({ requests: [request(950), request(100)], syncs })).toMatchObject([{ count: 1 }]);
  });

  test('knows nothing before both are read', () => {
    expect(findUnsynced({ requests: [request(9)], syncs: null })).toEqual([]);
  });
});

test('mergeSyncs has each sync once, newest first, and no more than are kept', () => {
  const old = Array.from({ length: SYNCS_KEPT }, (_, index) => sampleSync(600 - index));
  const merged = mergeSyncs(old, [sampleSync(601), sampleSync(600)]);
  expect(merged.slice(0, 3).map(({ id }) => id)).toEqual([601, 600, 599]);
  expect(merged).toHaveLength(SYNCS_KEPT);
});

test('countFailures counts since a time, and names the newest failure', () => {
  const syncs = [
    sampleSync(900),
    sampleSync(899, { status: 'error' }),
    sampleSync(898, { status: 'error' }),
    sampleSync(1, { status: 'error' }),
    sampleSync(897, { sourceId: 22 }),
  ];
  const shares = countFailures(syncs, NOW_MS - 200_000, ({ sourceId }) => sourceId);
  expect([...shares]).toEqual([[21, { failed: 2, all: 3, newestFailure: syncs[1] }]]);
});

test('hourStarts are the last 24 hours of the clock, oldest first', () => {
  const starts = hourStarts(NOW_MS + 1);
  expect(starts).toHaveLength(24);
  expect([starts[0], starts.at(-1)]).toEqual([NOW_MS - 23 * 3_600_000, NOW_MS]);
});

test.each([
  [0, '0s'],
  [59_400, '59s'],
  [60_000, '1m'],
  [7_199_000, '1h'],
  [3 * 86_400_000, '3d'],
  [-5000, '0s'],
])('an age of %i ms is %s', (ageMs, text) => {
  expect(toAge(new Date(NOW_MS - ageMs).toISOString(), NOW_MS)).toBe(text);
});

test('a time of today has no day, another one no seconds', () => {
  expect(toShortTime('2026-01-15T10:30:00.000Z', NOW_MS)).toBe('10:30:00Z');
  expect(toShortTime('2026-01-14T23:07:13.000Z', NOW_MS)).toBe('01-14 23:07Z');
  expect(toShortTime('nonsense', NOW_MS)).toBe('nonsense');
});

test('a trend is drawn in proportion to its largest count', () => {
  expect(drawTrend([0, 1, 4, 8, null])).toBe(' ▁▄█ ');
  expect(drawTrend([0, 0])).toBe('  ');
});
