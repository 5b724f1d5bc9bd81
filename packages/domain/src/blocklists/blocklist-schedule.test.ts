import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  FAILURES_MAX,
  nextWorkAfterLoad,
  type LoadedBlocklist,
  nextCallAt,
  nextRoundAt,
  ROUND_INTERVAL_MS,
  WAIT_MAX_MS,
} from './blocklist-schedule.ts';

const at = new Date('2026-01-31T09:30:00Z');
const waitOf = (failureCount: number, askedMs: number | null = null) => {
  const next = nextCallAt({ failureCount, askedMs, at });
  return next === null ? null : next.getTime() - at.getTime();
};

test('rounds are a day apart', () => {
  expect(ROUND_INTERVAL_MS).toBe(86_400_000);
  expect(nextRoundAt(at)).toEqual(new Date('2026-02-01T09:30:00Z'));
});

test('retries after 2, 4, 8, ... seconds, nine times in 17 minutes', () => {
  const waits = Array.from({ length: FAILURES_MAX + 1 }, (_, index) => waitOf(index + 1));
  const seconds = [2, 4, 8, 16, 32, 64, 128, 256, 512];
  expect(waits).toEqual([...seconds.map((wait) => wait * 1_000), null, null]);
});

test('uses the requested wait when it is longer, up to an hour', () => {
  expect(waitOf(1, 30_000)).toBe(30_000);
  expect(waitOf(6, 30_000)).toBe(64_000);
  expect(waitOf(1, 0)).toBe(2_000);
  expect(waitOf(1, 7 * 86_400_000)).toBe(WAIT_MAX_MS);
  expect(waitOf(FAILURES_MAX, 1_000)).toBeNull();
});

test('every wait is between two seconds and an hour', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 1_000 }), fc.option(fc.nat()), (failureCount, askedMs) => {
      const wait = waitOf(failureCount, askedMs);
      expect(wait === null).toBe(failureCount >= FAILURES_MAX);
      expect(wait ?? 2_000).toBeGreaterThanOrEqual(2_000);
      expect(wait ?? 0).toBeLessThanOrEqual(WAIT_MAX_MS);
    }),
  );
});

const HOUR_MS = 3_600_000;
const hoursFromNow = (hours: number) => new Date(at.getTime() + hours * HOUR_MS);
const loaded = (changes: Partial<LoadedBlocklist>): LoadedBlocklist => ({
  status: 'SYNCED',
  isEnabled: true,
  hasActiveFetchJob: false,
  crmListId: '9001',
  lastAttemptedAt: hoursFromNow(-4),
  createdAt: hoursFromNow(-400),
  ...changes,
});

test.each([
  ['a running fetch', { status: 'FETCHING', hasActiveFetchJob: true }, 'fetch', 'full', 1],
  ['a running top-up', { status: 'SYNCING_NEW_CONTACTS', hasActiveFetchJob: true }, 'fetch', 'top-up', 1],
  [
    'a running fetch of a paused list',
    { status: 'SYNCING_NEW_CONTACTS', isEnabled: false, hasActiveFetchJob: true },
    'fetch',
    'full',
    1,
  ],
  ['a running push', { status: 'SYNCING' }, 'push', undefined, 1],
  ['the push of a top-up', { status: 'SYNCING_NEW_CONTACTS' }, 'push', undefined, 1],
  ['an idle list', {}, 'top-up', undefined, 20],
  ['a list whose round is overdue', { lastAttemptedAt: hoursFromNow(-100) }, 'top-up', undefined, 1],
  ['a new list', { status: 'CREATED', lastAttemptedAt: null, createdAt: hoursFromNow(-2) }, 'top-up', undefined, 22],
] as const)('after loading a world: %s continues in an hour at the earliest', (_name, changes, kind, mode, hours) => {
  const work = nextWorkAfterLoad(loaded(changes), at);
  expect(work).toMatchObject({ kind, dueAt: hoursFromNow(hours) });
  expect(work?.kind === 'fetch' ? work.mode : undefined).toBe(mode);
});

test.each([
  ['that is disabled', { isEnabled: false }],
  ['without a CRM source', { crmListId: null }],
  ['paused during a push', { status: 'SYNCING_NEW_CONTACTS', isEnabled: false }],
] as const)('after loading a world: a list %s has no work', (_name, changes) => {
  expect(nextWorkAfterLoad(loaded(changes), at)).toBeNull();
});
