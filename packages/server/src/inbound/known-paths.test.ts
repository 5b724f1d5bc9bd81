import { expect, test } from 'vitest';
import { createManualClock } from '../runtime/clock.ts';
import type { Database } from '../store/database/db.ts';
import { createKnownPaths } from './known-paths.ts';

/** A database with sources of these paths; `asked` records what was looked up. */
function open(...paths: string[]) {
  const sources = new Set(paths);
  const asked: string[][] = [];
  const before = { answer: async () => {} };
  const query = async (_statement: unknown, [wanted]: [string[]]) => {
    asked.push(wanted);
    await before.answer();
    return { rows: wanted.filter((path) => sources.has(path)).map((path) => ({ path })) };
  };
  const clock = createManualClock(new Date('2026-03-01T12:00:00.000Z'));
  return { known: createKnownPaths({ db: { query } as unknown as Database, clock }), clock, sources, asked, before };
}

test('looks a known path up once until it is evicted', async () => {
  const { known, clock, sources, asked } = open('a');
  expect(await known.has('a')).toBe(true);
  clock.advance(86_400_000);
  expect(await known.has('a')).toBe(true);
  expect(asked).toEqual([['a']]);
  sources.delete('a');
  known.forget('a');
  expect(await known.has('a')).toBe(false);
});

test('looks an unknown path up again after five seconds, so that a new source works', async () => {
  const { known, clock, sources, asked } = open();
  expect(await known.has('a')).toBe(false);
  sources.add('a');
  clock.advance(4_999);
  expect(await known.has('a')).toBe(false);
  expect(asked).toEqual([['a']]);
  clock.advance(1);
  expect(await known.has('a')).toBe(true);
});

test('looks concurrent paths up in one statement, and never runs two at once', async () => {
  const { known, asked, before } = open('b');
  const database = Promise.withResolvers<void>();
  before.answer = () => database.promise;
  const first = Promise.all(['a', 'b', 'a'].map((path) => known.has(path)));
  await expect.poll(() => asked).toEqual([['a', 'b']]);
  const second = Promise.all(['c', 'd'].map((path) => known.has(path)));
  database.resolve();
  expect([await first, await second]).toEqual([
    [false, true, false],
    [false, false],
  ]);
  expect(asked).toEqual([
    ['a', 'b'],
    ['c', 'd'],
  ]);
});

test('does not cache a failed look-up', async () => {
  const { known, before } = open('a');
  before.answer = () => Promise.reject(new Error('away'));
  await expect(known.has('a')).rejects.toThrow('away');
  before.answer = async () => {};
  expect(await known.has('a')).toBe(true);
});

test('guessed paths neither fill the memory nor evict known ones', async () => {
  const { known, asked } = open('a');
  await known.has('a');
  await Promise.all(Array.from({ length: 10_001 }, (_, n) => known.has(`guess-${n}`)));
  asked.length = 0;
  await known.has('a');
  await known.has('guess-1');
  expect(asked).toEqual([]);
  await known.has('guess-0');
  expect(asked).toEqual([['guess-0']]);
});
