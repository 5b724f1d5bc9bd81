import { describe, expect, test } from 'vitest';
import { createBatcher } from './batcher.ts';
import { DatabaseUnavailableError } from './db.ts';

/** Batches of numbers whose runs end when the test says so; the result of 7 is a failure of its batch. */
function heldBatches(itemsMax?: number) {
  const batches: (readonly number[])[] = [];
  const ends: (() => void)[] = [];
  const add = createBatcher<number, number>({
    async run(items) {
      batches.push(items);
      await new Promise<void>((resolve) => ends.push(resolve));
      if (items.includes(7)) throw new Error('7 cannot be stored');
      return items.map((item) => item * 10);
    },
    ...(itemsMax === undefined ? {} : { itemsMax }),
  });
  const endNext = async () => {
    await expect.poll(() => ends.length).toBeGreaterThan(0);
    ends.shift()?.();
  };
  return { add, batches, endNext };
}

describe('a batcher', () => {
  test('handles items of one turn together, and those that arrive meanwhile next', async () => {
    const { add, batches, endNext } = heldBatches();
    const first = Promise.all([1, 2, 3].map(add));
    await expect.poll(() => batches).toEqual([[1, 2, 3]]);
    const second = Promise.all([add(4), new Promise(setImmediate).then(() => add(5))]);
    await new Promise(setImmediate);
    expect(batches).toHaveLength(1);
    await endNext();
    expect(await first).toEqual([10, 20, 30]);
    await endNext();
    expect(await second).toEqual([40, 50]);
    expect(batches).toEqual([
      [1, 2, 3],
      [4, 5],
    ]);
  });

  test('fails a bad item alone, and keeps the order', async () => {
    const { add, batches, endNext } = heldBatches();
    const all = Promise.allSettled([6, 7, 8].map(add));
    for (let run = 0; run < 4; run += 1) await endNext();
    expect(await all).toMatchObject([{ value: 60 }, { reason: new Error('7 cannot be stored') }, { value: 80 }]);
    expect(batches).toEqual([[6, 7, 8], [6], [7], [8]]);
  });

  test('takes at most so many items at a time', async () => {
    const { add, batches, endNext } = heldBatches(2);
    const all = Promise.all([1, 2, 3].map(add));
    await endNext();
    await endNext();
    expect(await all).toEqual([10, 20, 30]);
    expect(batches).toEqual([[1, 2], [3]]);
  });

  test('does not try items alone while the database is not available, and goes on afterwards', async () => {
    let runs = 0;
    const add = createBatcher<number, number>({
      async run(items) {
        runs += 1;
        if (runs === 1) throw new DatabaseUnavailableError('gone');
        return [...items];
      },
    });
    const failed = await Promise.allSettled([add(1), add(2)]);
    expect(failed.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(runs).toBe(1);
    expect(await add(3)).toBe(3);
  });
});
