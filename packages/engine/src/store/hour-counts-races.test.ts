/** Transactions that begin, write and commit while their hours are being closed and counted. PostgreSQL only. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { postgresBackend } from '../../test/support/backends.ts';
import { bothCounts, countUntilDone, insertLog, insertOwners } from '../../test/support/counted-logs.ts';
import { countClosedHours } from './count-hours.ts';
import type { Database, Db } from './database/db.ts';
import { HOUR_MS } from './hour-counts.ts';

const START = Date.parse('2026-03-01T00:00:00.000Z');
const at = (ms: number) => new Date(START + ms);
/** Runs work on other connections than that of the transaction around it. */
const outside = AsyncLocalStorage.snapshot();
const NOW = at(2 * HOUR_MS);
const ALL = { ownerIds: [1, 2, -1], partId: undefined, range: { from: at(0), to: at(3 * HOUR_MS) } };

const { isAvailable, open } = postgresBackend;
describe.skipIf(!isAvailable)(`races of counting on PostgreSQL`, () => {
  let db: Database;
  beforeAll(async () => {
    db = await open();
    await insertOwners(db, at(0));
  });
  afterAll(async () => {
    await db.close();
  });
  beforeEach(async () => {
    await db.query('truncate requests, syncs, deliveries');
    await write(db, 0);
  });

  const write = (on: Db, hour: number) =>
    insertLog(on, 'syncs', [
      { connectionId: 1, partId: 1, status: 'success', httpStatus: null, at: at(hour * HOUR_MS + 1) },
    ]);
  const closedUntil = async () =>
    (await db.query<{ until: Date | null }>(`select counted_until as until from hour_count_state where log = 'syncs'`))
      .rows[0]?.until ?? null;
  const expectEqual = async (successes: number) => {
    const { metrics, rows } = await bothCounts(db, ALL);
    expect(metrics).toEqual(rows);
    expect(metrics[1]?.success).toBe(successes);
  };

  test('an hour is not counted before the transactions have ended that write to it', async () => {
    await db.transaction(async (tx) => {
      await write(tx, 0);
      await outside(() => countClosedHours(db, NOW));
      expect(await outside(closedUntil)).toBeNull();
    });
    await countUntilDone(db, NOW);
    expect(await closedUntil()).toEqual(at(HOUR_MS));
    await expectEqual(2);
  });

  test('a transaction that began before an hour was closed and writes to it after it was counted', async () => {
    let began: () => void = () => {};
    let counted: () => void = () => {};
    const hasBegun = new Promise<void>((resolve) => (began = resolve));
    const isCounted = new Promise<void>((resolve) => (counted = resolve));
    // This transaction has read, so its snapshot is old, but it has written nothing that counting would wait for.
    const late = db.transaction(async (tx) => {
      await tx.query('set transaction isolation level repeatable read');
      await tx.query('select from hour_count_state');
      began();
      await isCounted;
      await write(tx, 0);
    });
    onTestFinished(() => counted());
    await hasBegun;
    await countUntilDone(db, NOW);
    expect(await closedUntil()).toEqual(at(HOUR_MS));
    counted();
    await late;
    await expectEqual(2);
    await countClosedHours(db, NOW);
    await expectEqual(2);
  });

  test.each(['delete from hour_counts', 'insert into hour_counts', 'update hour_count_state set counted'])(
    'a late row that is committed just before: %s',
    async (text) => {
      await countUntilDone(db, NOW);
      await write(db, 0);
      let writes = 0;
      const interrupted: Database = {
        ...db,
        transaction: (work, options) =>
          db.transaction(
            (tx) =>
              work({
                ...tx,
                query: async (statement, values) => {
                  if (writes < 2 && String(typeof statement === 'string' ? statement : statement.text).includes(text)) {
                    writes += 1;
                    await outside(() => write(db, 0));
                  }
                  return tx.query(statement, values);
                },
              }),
            options,
          ),
      };
      await countUntilDone(interrupted, at(3 * HOUR_MS));
      expect(writes).toBeGreaterThan(0);
      await expectEqual(2 + writes);
      await countClosedHours(db, at(3 * HOUR_MS));
      await expectEqual(2 + writes);
      expect((await db.query('select from changed_hours')).rows).toEqual([]);
    },
  );

  test('several processes that count at the same time', async () => {
    await write(db, 1);
    await Promise.all([1, 2, 3].map(() => countClosedHours(db, at(3 * HOUR_MS))));
    await countUntilDone(db, at(3 * HOUR_MS));
    expect(await closedUntil()).toEqual(at(2 * HOUR_MS));
    await expectEqual(2);
  });
});
