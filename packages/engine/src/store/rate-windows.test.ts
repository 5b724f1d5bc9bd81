import { takeFromWindow as takeByRule, type WindowState } from '@svc/domain/requests/rate-limit';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { backends } from '../../test/support/backends.ts';
import type { Database } from './database/db.ts';
import { deleteOldWindows, takeFromWindow } from './rate-windows.ts';

const START = new Date('2026-03-01T12:00:00.000Z');
const at = (ms: number) => new Date(START.getTime() + ms);

describe.each(backends)('rate windows on $name', ({ isAvailable, open }) => {
  describe.skipIf(!isAvailable)('statement', () => {
    let db: Database;
    beforeAll(async () => {
      db = await open();
    });
    afterAll(async () => {
      await db.close();
    });

    test("property: it decides as the domain's rule does for all times, also with different clocks", async () => {
      let bucket = 0;
      await fc.assert(
        fc.asyncProperty(
          fc.integer({ min: 1, max: 4 }),
          fc.array(fc.integer({ min: -2_500, max: 2_500 }), { maxLength: 25 }),
          async (limit, steps) => {
            bucket += 1;
            let state: WindowState | null = null;
            let nowMs = 0;
            for (const step of steps) {
              nowMs += step;
              const window = { limit, windowMs: 1_000, now: at(nowMs) };
              const expected = takeByRule(state, window);
              state = expected.state;
              const actual = await takeFromWindow(db, `bucket-${bucket}`, window);
              expect(actual).toEqual({
                allowed: expected.allowed,
                startedAt: expected.state.startedAt,
                count: expected.state.count,
              });
            }
          },
        ),
        { numRuns: 40, seed: 7 },
      );
    });

    test('of concurrent requests exactly the limit passes', async () => {
      const window = { limit: 5, windowMs: 1_000, now: START };
      const taken = await Promise.all(Array.from({ length: 20 }, () => takeFromWindow(db, 'same-moment', window)));
      expect(taken.filter((one) => one.allowed)).toHaveLength(5);
    });

    test('deletes windows that ended long ago and keeps current ones', async () => {
      await db.query('delete from rate_windows');
      await takeFromWindow(db, 'old', { limit: 1, windowMs: 1_000, now: START });
      await takeFromWindow(db, 'new', { limit: 1, windowMs: 1_000, now: at(10_000) });
      await deleteOldWindows(db, at(5_000));
      expect((await db.query('select bucket from rate_windows')).rows).toEqual([{ bucket: 'new' }]);
    });
  });
});
