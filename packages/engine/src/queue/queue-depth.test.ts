import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { backends } from '../../test/support/backends.ts';
import { claim } from './claims.ts';
import { enqueue } from './queue.ts';
import type { Database } from '../store/database/db.ts';
import { DEPTH, NO_SORT, readQueueDepth } from './queue-depth.ts';

const NOW = new Date('2026-03-01T12:00:00.000Z');
const secondsAgo = (seconds: number) => new Date(NOW.getTime() - seconds * 1_000);

describe.each(backends)('the depth of the queue on $name', ({ isAvailable, open }) => {
  describe.skipIf(!isAvailable)('is read', () => {
    let db: Database;
    beforeAll(async () => {
      db = await open();
    });
    afterAll(async () => {
      await db.close();
    });
    beforeEach(async () => {
      await db.query('delete from jobs');
    });

    const add = (kind: string, ...ages: readonly number[]) =>
      enqueue(
        db,
        ...ages.map((age, index) => ({
          kind,
          ref: `${kind}-${index}-${age}`,
          fairnessKey: `key-${index}`,
          dueAt: secondsAgo(age),
          createdAt: NOW,
        })),
      );
    const read = async (kinds: readonly string[], countMax = 100) =>
      Object.fromEntries(
        (await readQueueDepth(db, { kinds, now: NOW, countMax })).map(({ kind, ...depth }) => [kind, depth]),
      );

    test('counts all jobs, takes the lag of the oldest due one, and includes kinds without jobs', async () => {
      await add('a', 30, 120, 0, -60);
      await add('b', -1);
      await add('other', 500);
      expect(await read(['a', 'b', 'c'])).toEqual({
        a: { jobs: 4, oldestDueAt: secondsAgo(120) },
        b: { jobs: 1, oldestDueAt: null },
        c: { jobs: 0, oldestDueAt: null },
      });
    });

    test('counts a running job, without lag until its lease ends', async () => {
      await add('a', 30);
      await claim(db, { now: NOW, kinds: ['a'], limit: 9, leaseUntil: secondsAgo(-15) });
      expect(await read(['a'])).toEqual({ a: { jobs: 1, oldestDueAt: null } });
      const later = await readQueueDepth(db, { kinds: ['a'], now: secondsAgo(-20), countMax: 9 });
      expect(later).toMatchObject([{ oldestDueAt: secondsAgo(-15) }]);
    });

    test('reads a large queue by its indexes, with and without fresh planner statistics', async () => {
      await db.query(
        `insert into jobs (kind, ref, fairness_key, due_at, created_at)
          select 'a', i, i % 7, $1, $1 from generate_series(1, 30000) as i`,
        [NOW],
      );
      const values = [['a', 'b'], NOW, 10_000];
      for (const isSeen of [false, true]) {
        if (isSeen) await db.query('analyze jobs');
        const plan = await db.transaction(async (tx) => {
          await tx.query(NO_SORT);
          const { rows } = await tx.query<{ 'QUERY PLAN': string }>(`explain ${DEPTH.text}`, values);
          return rows.map((row) => row['QUERY PLAN']).join('\n');
        });
        expect(plan).not.toMatch(/Seq Scan on jobs|Sort/);
        expect(plan).toMatch(/Index (Only )?Scan using jobs_kind_ref_key/);
        expect(plan).toMatch(/Index (Only )?Scan using jobs_by_due/);
      }
    });

    test('caps the number, and not the lag', async () => {
      await add('a', ...Array.from({ length: 7 }, (_, index) => 100 + index));
      await add('b', 5, 6);
      expect(await read(['a', 'b'], 5)).toEqual({
        a: { jobs: 5, oldestDueAt: secondsAgo(106) },
        b: { jobs: 2, oldestDueAt: secondsAgo(6) },
      });
    });
  });
});
