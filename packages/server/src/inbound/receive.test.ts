import { describe, expect, test } from 'vitest';
import { pino } from 'pino';
import { createSecretBox, generateEncryptionKey } from '@svc/engine/secrets/secret-box';
import { createManualClock } from '@svc/engine/runtime/clock';
import { type Database, DatabaseUnavailableError } from '@svc/engine/store/database/db';
import { TooManyHeldPostsError } from './held-bodies.ts';
import { createReceiptStore } from './receive.ts';

const NOW = new Date('2026-03-01T12:00:00.000Z');

/** A database that answers each batch of paths by `answer` and records the batches. */
function fakeDatabase(answer: (paths: string[]) => void | Promise<void>): { db: Database; batches: string[][] } {
  const batches: string[][] = [];
  const query = async (_statement: unknown, values: readonly unknown[] = []) => {
    const paths = values[0] as string[];
    batches.push(paths);
    await answer(paths);
    return { rows: paths.map((path, index) => ({ id: Number(path), position: index + 1 })), rowCount: paths.length };
  };
  const db = { query } as unknown as Database;
  return { db, batches };
}

function receiver(db: Database, clock = createManualClock(NOW)) {
  const store = createReceiptStore({
    ...{ db, clock, onStored: () => {} },
    ...{ secrets: createSecretBox([generateEncryptionKey()]), log: pino({ level: 'silent' }) },
  });
  return (path: string, bytes = 2) => store.receive({ path, headers: {}, body: Buffer.alloc(bytes, ' ') });
}

describe('the receipt store', () => {
  test('stores concurrent posts in one statement, each with its own id', async () => {
    const { db, batches } = fakeDatabase(() => {});
    const receive = receiver(db);
    expect(await Promise.all(['7', '5', '9'].map((path) => receive(path)))).toEqual([7, 5, 9]);
    expect(batches).toEqual([['7', '5', '9']]);
  });

  test('sends the embedded database one statement at a time, so that jobs wait for one only', async () => {
    const answers: (() => void)[] = [];
    const { db, batches } = fakeDatabase(() => new Promise((answer) => answers.push(answer)));
    const receive = receiver({ ...db, backend: 'pglite' });
    const first = receive('1');
    await new Promise(setImmediate);
    const others = ['2', '3'].map((path) => receive(path));
    await new Promise(setImmediate);
    expect(batches).toEqual([['1']]);
    answers[0]?.();
    await first;
    await expect.poll(() => answers.length).toBe(2);
    answers[1]?.();
    expect(await Promise.all(others)).toEqual([2, 3]);
    expect(batches).toEqual([['1'], ['2', '3']]);
  });

  test('sends PostgreSQL two statements at a time, and more when these wait', async () => {
    const answers: (() => void)[] = [];
    const { db, batches } = fakeDatabase(() => new Promise((answer) => answers.push(answer)));
    const clock = createManualClock(NOW);
    const receive = receiver({ ...db, backend: 'postgres' }, clock);
    const posts: Promise<number | null>[] = [];
    const post = async (...paths: readonly string[]) => {
      posts.push(...paths.map((path) => receive(path)));
      await new Promise(setImmediate);
    };
    await post('1');
    await post('2');
    await post('3', '4');
    await post('5');
    expect(batches).toEqual([['1'], ['2']]);
    answers[1]?.();
    await expect.poll(() => batches).toEqual([['1'], ['2'], ['3', '4', '5']]);
    await post('6');
    // The first one may wait for a lock that the others do not need.
    clock.advance(100);
    await expect.poll(() => batches.slice(3)).toEqual([['6']]);
    await post('7');
    await expect.poll(() => batches.slice(4)).toEqual([['7']]);
    for (const answer of answers) answer();
    expect(await Promise.all(posts)).toEqual([1, 2, 3, 4, 5, 6, 7]);
  });

  test('stores the other rows when the database refuses one', async () => {
    const { db } = fakeDatabase((paths) => {
      if (paths.includes('2')) throw new Error('bad row');
    });
    const receive = receiver(db);
    const results = await Promise.allSettled(['1', '2', '3'].map((path) => receive(path)));
    expect(results.map((result) => result.status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  });

  test('fails a whole batch at once when the database is unavailable', async () => {
    const { db, batches } = fakeDatabase(() => {
      throw new DatabaseUnavailableError('away');
    });
    const receive = receiver(db);
    const results = await Promise.allSettled(['1', '2', '3'].map((path) => receive(path)));
    expect(results.map((result) => result.status)).toEqual(['rejected', 'rejected', 'rejected']);
    expect(batches).toHaveLength(1);
  });

  test('limits a batch to 200 posts and 2 MiB beyond its first', async () => {
    const { db, batches } = fakeDatabase(() => {});
    const receive = receiver(db);
    await Promise.all(Array.from({ length: 450 }, (_, index) => receive(String(index))));
    expect(batches.map((batch) => batch.length)).toEqual([200, 200, 50]);
    batches.length = 0;
    await Promise.all(['1', '2', '3'].map((path) => receive(path, 1_500_000)));
    expect(batches).toEqual([['1'], ['2'], ['3']]);
  });

  test('refuses a post beyond 64 MiB of waiting bodies, and accepts it when there is room', async () => {
    const { db } = fakeDatabase(() => {});
    const receive = receiver(db);
    const waiting = Array.from({ length: 32 }, (_, index) => receive(String(index), 2 * 1024 * 1024));
    await expect(receive('99', 1)).rejects.toThrow(TooManyHeldPostsError);
    await Promise.all(waiting);
    expect(await receive('99', 1)).toBe(99);
  });
});
