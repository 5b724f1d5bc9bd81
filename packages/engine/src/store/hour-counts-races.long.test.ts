/** Writers, counters and readers at the same time: in every snapshot, metrics equal the rows. PostgreSQL only. */
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { sized } from '../../../../scripts/vitest/size.ts';
import { postgresBackend } from '../../test/support/backends.ts';
import { bothCounts, insertLog, insertOwners, type NewLogRow } from '../../test/support/counted-logs.ts';
import { countClosedHours } from './count-hours.ts';
import { COUNTED_LOGS, HOUR_MS } from './hour-counts.ts';

const START = Date.parse('2026-03-01T00:00:00.000Z');
const HOURS = 8;
const WRITERS = 3;
const at = (ms: number) => new Date(START + ms);
const ALL = { ownerIds: [1, 2, -1], partId: undefined, range: { from: at(-HOUR_MS), to: at(HOURS * HOUR_MS) } };

const row: fc.Arbitrary<NewLogRow> = fc.record({
  log: fc.constantFrom(...COUNTED_LOGS),
  connectionId: fc.constantFrom(1, 2, null),
  partId: fc.constantFrom(1, 2, null),
  status: fc.constantFrom('success' as const, 'warning' as const, 'error' as const),
  httpStatus: fc.constantFrom(200, 500, null),
  at: fc.integer({ min: 0, max: HOURS * HOUR_MS }).map(at),
});
const write = fc.oneof(
  { weight: 4, arbitrary: row.map((value) => ({ kind: 'insert' as const, row: value })) },
  fc.record({ kind: fc.constant('delete' as const), log: row.map(({ log }) => log), hour: fc.nat(HOURS) }),
  fc.record({ kind: fc.constant('detach' as const), log: row.map(({ log }) => log), partId: fc.constantFrom(1, 2) }),
);
const transaction = fc.record({
  isolation: fc.constantFrom('read committed', 'read committed', 'repeatable read'),
  writes: fc.array(write, { minLength: 1, maxLength: 4 }),
  rollsBack: fc.constantFrom(false, false, false, true),
});

const { isAvailable, open } = postgresBackend;
test.skipIf(!isAvailable)(`metrics equal the rows in every snapshot`, { timeout: 180_000 }, async () => {
  const db = await open();
  onTestFinished(() => db.close());
  await insertOwners(db, at(0));
  const transactions = fc.sample(transaction, { numRuns: sized(3_000), seed: 16 });
  let isWriting = true;
  let committed = 0;
  const writer = async () => {
    for (;;) {
      const next = transactions.pop();
      if (next === undefined) return;
      const done = await db
        .transaction(async (tx) => {
          await tx.query(`set transaction isolation level ${next.isolation}`);
          for (const each of next.writes) {
            if (each.kind === 'insert') await insertLog(tx, each.row.log, [each.row]);
            else if (each.kind === 'delete')
              await tx.query(`delete from ${each.log} where date_trunc('hour', created_at) = $1`, [
                at(each.hour * HOUR_MS),
              ]);
            else await tx.query(`update ${each.log} set source_id = null where source_id = $1`, [each.partId]);
          }
          if (next.rollsBack) throw new Error('rolled back');
          return true;
        })
        // Two writers also meet on the same rows.
        .catch((error: Error) => {
          if (/rolled back|could not serialize|deadlock/.test(error.message)) return false;
          throw error;
        });
      if (done) committed += 1;
    }
  };
  let runs = 0;
  const counter = async () => {
    for (; isWriting; runs += 1) await countClosedHours(db, at(((runs % HOURS) + 1) * HOUR_MS + 600_000), () => true);
  };
  let reads = 0;
  let fromCounts = 0;
  const reader = async () => {
    for (; isWriting; reads += 1) {
      await db.transaction(async (tx) => {
        await tx.query('set transaction isolation level repeatable read');
        const { metrics, rows } = await bothCounts(tx, ALL);
        expect(metrics).toEqual(rows);
        const { rows: used } = await tx.query(
          `select from hour_counts h where not exists (
            select from changed_hours c where (c.log, c.owner_id, c.hour) = (h.log, h.owner_id, h.hour)) limit 1`,
        );
        fromCounts += used.length;
      });
    }
  };
  const writers = Promise.all(Array.from({ length: WRITERS }, writer)).finally(() => (isWriting = false));
  await Promise.all([writers, counter(), counter(), reader()]);
  expect(Math.min(committed, runs, reads, fromCounts)).toBeGreaterThan(5);
  await countClosedHours(db, at((HOURS + 2) * HOUR_MS));
  const { metrics, rows } = await bothCounts(db, ALL);
  expect(metrics).toEqual(rows);
});
