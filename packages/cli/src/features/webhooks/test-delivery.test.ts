import { createClient } from '@svc/sdk';
import { createMock } from '@svc/mock';
import { expect, test } from 'vitest';
import { exitCodeOfTest, testAndWait } from './test-delivery.ts';

const WEBHOOK = 'oswhk_demo01';

/** Creates a mock with a stopped clock, and a wait that advances a simulated clock. */
function setUp() {
  const mock = createMock({ now: '2026-01-15T12:00:00.000Z', runsJobs: false });
  const apiKey = mock.keys.osapi_demo_write;
  const client = createClient({ baseUrl: 'http://mock.example', apiKey, fetch: (request) => mock.fetch(request) });
  let nowMs = 0;
  const sleeps: number[] = [];
  const wait = {
    timeoutMs: 60_000,
    now: () => nowMs,
    async sleep(ms: number) {
      sleeps.push(ms);
      nowMs += ms;
      if (nowMs > 3000) await mock.settle();
    },
    onFailedAttempt: () => {},
  };
  return { mock, client, sleeps, wait };
}

test('polls with increasing delays', async () => {
  const { mock, client, sleeps, wait } = setUp();
  mock.faults.add({ operations: ['outbound'], effect: { kind: 'status', status: 500 } });
  const failures: number[] = [];
  const onFailedAttempt = ({ attemptCount }: { attemptCount: number }) => void failures.push(attemptCount);
  const { outcome, delivery } = await testAndWait(client, WEBHOOK, { ...wait, onFailedAttempt });
  expect([outcome, delivery?.status, delivery?.attemptCount]).toEqual(['timeout', 'PENDING', 1]);
  expect(failures).toEqual([1]);
  expect(sleeps.slice(0, 6)).toEqual([200, 400, 800, 1600, 3200, 5000]);
  expect(sleeps.reduce((sum, ms) => sum + ms, 0)).toBe(60_000);
  expect(mock.journal.all().length).toBeLessThan(20);
});

test('ends with the first poll after the delivery', async () => {
  const { mock, client, sleeps, wait } = setUp();
  const { outcome } = await testAndWait(client, WEBHOOK, wait);
  expect(outcome).toBe('delivered');
  expect(sleeps).toEqual([200, 400, 800, 1600, 3200]);
  expect(mock.outbox.all()).toHaveLength(1);
});

test.each([
  ['delivered', 0],
  ['not-delivered', 9],
  ['timeout', 11],
] as const)('%s exits with %i', (outcome, code) => {
  expect(exitCodeOfTest(outcome)).toBe(code);
});
