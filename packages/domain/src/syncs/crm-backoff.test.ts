import { expect, test } from 'vitest';
import {
  CRM_RETRY_MS,
  type CrmFailures,
  type CrmRetryStep,
  disconnects,
  isTransientStatus,
  CRM_GIVE_UP_MS,
  nextCrmCallAt,
  nextCrmRetry,
  nextCrmWait,
  planCrmRetry,
} from './crm-backoff.ts';

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

/** Fails at every attempt and returns what each attempt decided, in seconds since the first failure. */
function failAlways() {
  const steps: { atSeconds: number; isRecordedNow: boolean }[] = [];
  let failures: CrmFailures | null = null;
  let isRecorded = false;
  for (let at: Date | null = NOW; at !== null; ) {
    const step: CrmRetryStep = nextCrmRetry(failures, at, { isRecorded });
    steps.push({ atSeconds: (at.getTime() - NOW.getTime()) / 1_000, isRecordedNow: step.isRecordedNow });
    isRecorded ||= step.isRecordedNow;
    ({ failures, dueAt: at } = step);
  }
  return steps;
}

test('retries after 1, 2, 4, 8 and 16 seconds and records the sixth failure', () => {
  expect(failAlways().slice(0, 7)).toEqual([
    { atSeconds: 0, isRecordedNow: false },
    { atSeconds: 1, isRecordedNow: false },
    { atSeconds: 3, isRecordedNow: false },
    { atSeconds: 7, isRecordedNow: false },
    { atSeconds: 15, isRecordedNow: false },
    { atSeconds: 31, isRecordedNow: true },
    { atSeconds: 63, isRecordedNow: false },
  ]);
});

test('a recorded failure is retried with growing gaps and given up after exactly 24 hours, with the only other record', () => {
  const steps = failAlways();
  const gaps = steps.map(({ atSeconds }, index) => atSeconds - (steps[index - 1]?.atSeconds ?? 0)).slice(1);
  expect(gaps.slice(5, 12)).toEqual([32, 64, 128, 256, 512, 900, 900]);
  expect(Math.max(...gaps)).toBe(900);
  expect(steps.filter(({ isRecordedNow }) => isRecordedNow).map(({ atSeconds }) => atSeconds)).toEqual([31, 86_400]);
  expect(steps.at(-1)).toEqual({ atSeconds: 86_400, isRecordedNow: true });
});

test('retries exactly a minute after the first failure, but not a millisecond later', () => {
  const failures = { count: 1, firstFailedAt: NOW };
  const latest = CRM_RETRY_MS - 2_000;
  const isRecorded = false;
  expect(nextCrmRetry(failures, after(latest), { isRecorded })).toEqual({
    failures: { ...failures, count: 2 },
    dueAt: after(CRM_RETRY_MS),
    isRecordedNow: false,
  });
  expect(nextCrmRetry(failures, after(latest + 1), { isRecorded }).isRecordedNow).toBe(true);
});

test('a wait that the CRM asked for delays the retry', () => {
  const notBefore = after(40_000);
  expect(nextCrmRetry(null, NOW, { isRecorded: false, notBefore }).dueAt).toEqual(notBefore);
});

test('a write that waits without calls is recorded after a minute and given up after 24 hours', () => {
  const failures = { count: 0, firstFailedAt: NOW };
  expect(nextCrmWait(null, NOW, false)).toEqual({ failures, isRecordedNow: false, dueAt: after(CRM_RETRY_MS) });
  expect(nextCrmWait(failures, after(CRM_RETRY_MS - 1), false)).toMatchObject({ isRecordedNow: false });
  const givenUpAt = after(CRM_GIVE_UP_MS);
  expect(nextCrmWait(failures, after(CRM_RETRY_MS), false)).toEqual({
    failures,
    isRecordedNow: true,
    dueAt: givenUpAt,
  });
  expect(nextCrmWait(failures, after(CRM_GIVE_UP_MS - 1), true)).toMatchObject({
    isRecordedNow: false,
    dueAt: givenUpAt,
  });
  expect(nextCrmWait(failures, givenUpAt, true)).toEqual({ failures, isRecordedNow: true, dueAt: null });
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

test('the backoff is at most a quarter of an hour', () => {
  expect(nextCrmCallAt(10, NOW)).toEqual(after(512_000));
  expect(nextCrmCallAt(11, NOW)).toEqual(after(900_000));
  expect(nextCrmCallAt(500, NOW)).toEqual(after(900_000));
});
