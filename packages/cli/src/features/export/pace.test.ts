import { expect, test } from 'vitest';
import { createPace } from './pace.ts';

test('before anything has come, nothing is said', () => {
  const pace = createPace(0);
  expect([pace.rate(5000), pace.timeLeft(100, 5000), pace.waitLeft(5000)]).toEqual([null, null, 0]);
  pace.add(500, 100);
  expect(pace.rate(100)).toBe(null);
});

test('without a limit: at the rate so far', () => {
  const pace = createPace(1000);
  pace.add(500, 1500);
  pace.add(1500, 3000);
  expect(pace.rate(3000)).toBe(1000);
  expect(pace.timeLeft(90_000, 3000)).toBe(90_000);
});

test('waiting does not make it slower, and counts once for all who wait', () => {
  const pace = createPace(0);
  pace.add(60_000, 10_000);
  pace.wait(50_000, 10_000);
  pace.wait(49_000, 11_000);
  expect(pace.waitLeft(30_000)).toBe(30_000);
  expect(pace.rate(30_000)).toBe(6000);
  expect(pace.waitLeft(70_000)).toBe(0);
  expect(pace.rate(70_000)).toBe(6000 * (10 / 20));
});

test('with the limit: its windows, of which only the last costs its work alone', () => {
  const pace = createPace(0);
  pace.add(60_000, 10_000);
  pace.wait(50_000, 10_000);
  // 300 pages at 12 a second: 120, 120 and 60.
  expect(pace.timeLeft(150_000, 10_000)).toBeCloseTo(50_000 + 60_000 + 60_000 + 5000, 3);
  expect(pace.timeLeft(0, 60_000)).toBe(0);
});

test('another limit: look-ups, one a request', () => {
  const pace = createPace(0, { rowsPerRequest: 1, requestsPerWindow: 600 });
  pace.add(600, 10_000);
  pace.wait(50_000, 10_000);
  // 600, 600 and 300, at 60 a second.
  expect(pace.timeLeft(1500, 10_000)).toBeCloseTo(50_000 + 60_000 + 60_000 + 5000, 3);
});
