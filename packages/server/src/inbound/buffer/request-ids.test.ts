import { pino } from 'pino';
import { expect, test } from 'vitest';
import { createManualClock } from '@svc/engine/runtime/clock';
import { type Database, DatabaseUnavailableError } from '@svc/engine/store/database/db';
import { createRequestIds, IDS_MAX } from './request-ids.ts';

const HOUR_MS = 3_600_000;

/** Gives ids in ranges with a gap, as when other processes take some in between. */
function start() {
  let last = 0;
  const state = { isAway: false, statements: 0 };
  const query = async (_statement: unknown, [count]: readonly number[] = []) => {
    state.statements += 1;
    if (state.isAway || count === undefined) throw new DatabaseUnavailableError('away');
    const half = count / 2;
    const rows = [last + 1, last + half + 11].map((next) => ({ next, last: next + half - 1 }));
    last += count + 10;
    return { rows, rowCount: 2 };
  };
  const clock = createManualClock(new Date('2026-03-01T12:00:00.000Z'));
  const ids = createRequestIds({ db: { query } as unknown as Database, clock, log: pino({ level: 'silent' }) });
  return { ids, clock, state };
}

/** Lets the statements under way end. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

test('gives each id once, takes more ahead, and ends when none is left without the database', async () => {
  const { ids: starting, clock, state } = start();
  const ids = await starting;
  await settled();
  expect(state.statements).toBe(20);
  state.isAway = true;
  const taken: number[] = [];
  for (let id = ids.take(); id !== null; id = ids.take()) taken.push(id);
  expect(taken).toHaveLength(IDS_MAX);
  expect(new Set(taken).size).toBe(IDS_MAX);
  await settled();
  expect(state.statements).toBe(21);
  state.isAway = false;
  clock.advance(5_000);
  await settled();
  const next = ids.take();
  expect(next).toBeGreaterThan(IDS_MAX);
  ids.stop();
});

test('uses ids that are a day old only while it can take no others', async () => {
  const { ids: starting, clock, state } = start();
  const ids = await starting;
  await settled();
  clock.advance(25 * HOUR_MS);
  state.isAway = true;
  expect([ids.take(), ids.take()]).toEqual([1, 2]);
  await settled();
  state.isAway = false;
  clock.advance(5_000);
  await settled();
  expect(ids.take()).toBeGreaterThan(IDS_MAX);
  ids.stop();
});
