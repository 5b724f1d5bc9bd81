import { expect, test } from 'vitest';
import {
  CRM_RETRY_MS,
  type CrmFailures,
  disconnects,
  isTransientStatus,
  nextCrmRetry,
  planCrmRetry,
} from './crm-write.ts';

const NOW = new Date('2026-03-31T12:00:00.000Z');
const after = (ms: number) => new Date(NOW.getTime() + ms);

test.each([
  [null, false],
  [400, false],
  [401, false],
  [428, false],
  [429, true],
  [430, false],
  [499, false],
  [500, true],
  [503, true],
])('status %s is transient: %s', (httpStatus, passes) => {
  expect(isTransientStatus(httpStatus)).toBe(passes);
});

test.each([
  [null, false],
  [400, false],
  [401, true],
  [403, false],
])('status %s disconnects: %s', (httpStatus, ends) => {
  expect(disconnects(httpStatus)).toBe(ends);
});

test('retries after 1, 2, 4, 8 and 16 seconds and records the sixth failure', () => {
  const waitsMs: number[] = [];
  let failures: CrmFailures | null = null;
  for (let at = NOW; ; ) {
    const next = nextCrmRetry(failures, at);
    if (next === null) break;
    waitsMs.push(next.dueAt.getTime() - at.getTime());
    expect(next.failures).toEqual({ count: waitsMs.length, firstFailedAt: NOW });
    ({ failures, dueAt: at } = next);
  }
  expect(waitsMs).toEqual([1_000, 2_000, 4_000, 8_000, 16_000]);
});

test('retries exactly a minute after the first failure, but not a millisecond later', () => {
  const failures = { count: 1, firstFailedAt: NOW };
  const latest = CRM_RETRY_MS - 2_000;
  expect(nextCrmRetry(failures, after(latest))).toEqual({
    failures: { ...failures, count: 2 },
    dueAt: after(CRM_RETRY_MS),
    isInTime: true,
  });
  expect(nextCrmRetry(failures, after(latest + 1))).toBeNull();
});

test('uses the wait that the CRM asked for when it is longer', () => {
  const failures = { count: 1, firstFailedAt: NOW };
  expect(planCrmRetry(null, NOW, after(500))).toEqual({ failures, dueAt: after(1_000), isInTime: true });
  expect(planCrmRetry(null, NOW, after(30_000))).toEqual({ failures, dueAt: after(30_000), isInTime: true });
  expect(planCrmRetry(null, NOW, after(CRM_RETRY_MS + 1))).toEqual({
    failures,
    dueAt: after(CRM_RETRY_MS + 1),
    isInTime: false,
  });
});

test('the backoff is at most 1,024 seconds', () => {
  const { dueAt } = planCrmRetry({ count: 500, firstFailedAt: NOW }, NOW);
  expect(dueAt).toEqual(after(1_024_000));
});
