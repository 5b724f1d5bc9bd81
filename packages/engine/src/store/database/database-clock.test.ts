import { pino } from 'pino';
import { expect, test } from 'vitest';
import { createManualClock, type ManualClock } from '../../runtime/clock.ts';
import { watchClock } from './database-clock.ts';
import type { Db } from './db.ts';

const START = new Date('2026-03-01T12:00:00.000Z');

/** A database whose clock runs with the given one. */
function databaseOf(clock: ManualClock): { db: Db; asked: () => number } {
  let asked = 0;
  const query: Db['query'] = async <Row extends object>() => {
    asked += 1;
    const rows: object[] = [{ at: clock.now() }];
    return { rows: rows as Row[], rowCount: 1 };
  };
  return { db: { query, script: async () => {} }, asked: () => asked };
}

/** The clock of a process whose time of day is set, and whose other clock nobody sets. */
function settable(base: ManualClock) {
  let aheadMs = 0;
  return {
    clock: { ...base, now: () => new Date(base.now().getTime() + aheadMs) },
    set(ms: number) {
      aheadMs = ms;
    },
  };
}

async function watch(aheadMs = 0) {
  const base = createManualClock(START);
  const { db, asked } = databaseOf(base);
  const { clock, set } = settable(base);
  set(aheadMs);
  const lines: string[] = [];
  const log = pino({ level: 'info' }, { write: (line: string) => lines.push(JSON.parse(line).msg) });
  const watching = await watchClock({ db, clock, log });
  const changes: boolean[] = [];
  watching.onChange((isRight) => changes.push(isRight));
  return { base, set, asked, lines, changes, watching };
}

test.each([
  [3_600_000, '3600 s ahead of'],
  [-6_000, '6 s behind'],
])('a server whose clock is wrong by %i ms does not start, and says what to do', async (aheadMs, how) => {
  await expect(watch(aheadMs)).rejects.toThrow(
    `The clock of this machine is ${how} that of the database. Jobs would come due too late or too early. Synchronize the clocks`,
  );
});

test('a difference of some seconds is tolerated', async () => {
  for (const aheadMs of [4_900, -4_900]) expect((await watch(aheadMs)).watching.isRight()).toBe(true);
});

test('a clock that is set while the server runs is noticed within a second, and again when it is right', async () => {
  const { base, set, changes, lines, watching } = await watch();
  set(3_600_000);
  base.advance(1_000);
  await expect.poll(() => changes).toEqual([false]);
  expect(watching.isRight()).toBe(false);
  expect(lines).toEqual([expect.stringContaining('is 3600 s ahead of')]);
  set(0);
  await expect
    .poll(() => {
      base.advance(1_000);
      return changes;
    })
    .toEqual([false, true]);
  expect(lines).toHaveLength(2);
});

test('a clock that drifts is noticed too, and the database is asked every ten seconds', async () => {
  const { base, set, asked, changes } = await watch();
  for (let second = 1; second <= 9; second += 1) {
    base.advance(1_000);
    await new Promise(setImmediate);
  }
  expect(asked()).toBe(1);
  let aheadMs = 0;
  await expect
    .poll(() => {
      aheadMs += 90;
      set(aheadMs);
      base.advance(1_000);
      return changes;
    })
    .toEqual([false]);
  expect(aheadMs).toBeLessThan(7_000);
});
