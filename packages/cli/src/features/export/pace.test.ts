import { expect, test } from 'vitest';
import { createPace } from './pace.ts';

test('the rate is unknown before the first rows', () => {
  const pace = createPace(0);
  expect([pace.rate(5000), pace.timeLeft(100, 5000), pace.waitLeft(5000)]).toEqual([null, null, 0]);
  pace.add(500, 100);
  expect(pace.rate(100)).toBe(null);
});

test('without a limit: the time left follows the rate', () => {
  const pace = createPace(1000);
  pace.add(500, 1500);
  pace.add(1500, 3000);
  expect(pace.rate(3000)).toBe(1000);
  expect(pace.timeLeft(90_000, 3000)).toBe(90_000);
});

test('waits do not lower the rate, and overlapping waits count once', () => {
  const pace = createPace(0);
  pace.add(60_000, 10_000);
  pace.wait(50_000, 10_000);
  pace.wait(49_000, 11_000);
  expect(pace.waitLeft(30_000)).toBe(30_000);
  expect(pace.rate(30_000)).toBe(6000);
  expect(pace.waitLeft(70_000)).toBe(0);
  expect(pace.rate(70_000)).toBe(6000 * (10 / 20));
});

test('with a limit: the time left is counted in windows', () => {
  const pace = createPace(0);
  pace.add(60_000, 10_000);
  pace.wait(50_000, 10_000);
  // 300 pages at 12 a second: 120, 120 and 60.
  expect(pace.timeLeft(150_000, 10_000)).toBeCloseTo(50_000 + 60_000 + 60_000 + 5000, 3);
  expect(pace.timeLeft(0, 60_000)).toBe(0);
});

test('with the limit of look-ups, one per request', () => {
  const pace = createPace(0, { rowsPerRequest: 1, requestsPerWindow: 600 });
  pace.add(600, 10_000);
  pace.wait(50_000, 10_000);
  // 600, 600 and 300, at 60 a second.
  expect(pace.timeLeft(1500, 10_000)).toBeCloseTo(50_000 + 60_000 + 60_000 + 5000, 3);
});
