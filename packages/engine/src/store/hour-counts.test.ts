import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { backends } from '../../test/support/backends.ts';
import {
  bothCounts,
  type CountQuery,
  countUntilDone,
  insertLog,
  insertOwners,
} from '../../test/support/counted-logs.ts';
import { countClosedHours } from './count-hours.ts';
import type { Database } from './database/db.ts';
import { COUNTED_LOGS, countLogByHour, forgetHoursBefore, HOUR_MS } from './hour-counts.ts';

/** Two hours before a day that ends two hours before the last one. */
const START = Date.parse('2026-03-01T22:00:00.000Z');
const HOURS = 28;
const DAY_HOURS = 24;
const at = (ms: number) => new Date(START + ms);
const ALL: CountQuery = {
  ownerIds: [1, 2, -1],
  partId: undefined,
  range: { from: at(-HOUR_MS), to: at((HOURS + 3) * HOUR_MS) },
};

/** Mostly around the ends of the whole day. */
const hour = fc
  .tuple(fc.constantFrom(0, 0, DAY_HOURS), fc.integer({ min: 0, max: HOURS - DAY_HOURS }))
  .map(([days, hours]) => days + hours);
/** Instants that are often at the edges of hours. */
const instant = fc.oneof(
  fc.integer({ min: 0, max: HOURS * HOUR_MS }),
  fc.tuple(hour, fc.integer({ min: -1, max: 1 })).map(([hours, ms]) => hours * HOUR_MS + ms),
);
const log = fc.constantFrom(...COUNTED_LOGS);
const row = fc.record({
  connectionId: fc.constantFrom(1, 1, 2, null),
  partId: fc.constantFrom(1, 2, null),
  status: fc.constantFrom('success' as const, 'warning' as const, 'error' as const),
  httpStatus: fc.constantFrom(200, 299, 300, null),
  at: instant.map(at),
});
const span = fc.tuple(instant, instant).map(([a, b]) => ({ from: at(Math.min(a, b)), to: at(Math.max(a, b)) }));
const action = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constant('insert'), log, rows: fc.array(row, { minLength: 1, maxLength: 6 }) }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('count'),
      now: fc.integer({ min: HOURS / 2, max: HOURS + 1 }).map((hours) => hours * HOUR_MS),
      steps: fc.constantFrom(3, 6, 99, 99),
      killed: fc.option(fc.integer({ min: 0, max: 20 }), { freq: 3 }),
    }),
  },
  fc.record({ kind: fc.constant('detach'), log, partId: fc.constantFrom(1, 2) }),
  fc.record({
    kind: fc.constant('edit'),
    log,
    span,
    connectionId: fc.constantFrom(1, 2),
    ms: fc.constantFrom(0, HOUR_MS),
  }),
  fc.record({ kind: fc.constant('erase'), log, span }),
  fc.record({ kind: fc.constant('delete'), log, span }),
  fc.record({ kind: fc.constant('drop'), log, hour }),
  fc.record({ kind: fc.constant('truncate'), log }),
);
type Action = typeof action extends fc.Arbitrary<infer T> ? T : never;
const query = fc.record({
  ownerIds: fc.subarray([1, 2, -1]),
  partId: fc.constantFrom(undefined, undefined, 1, 2, 3),
  range: span,
});

describe.each(backends)('counts of closed hours on $name', ({ name, isAvailable, open }) => {
  describe.skipIf(!isAvailable)('equal the rows', () => {
    let db: Database;
    beforeAll(async () => {
      db = await open();
      await insertOwners(db, at(0));
    });
    afterAll(async () => {
      await db.close();
    });
    beforeEach(() => empty());
    const empty = () => db.query('truncate requests, syncs, deliveries');

    /** A database whose process is killed after so many statements of transactions. */
    const killedAfter = (statements: number): Database => {
      let left = statements;
      return {
        ...db,
        transaction: (work, options) =>
          db.transaction(async (tx) => {
            const dying: Database['query'] = (statement, values) => {
              left -= 1;
              if (left < 0) throw new Error('killed');
              return tx.query(statement, values);
            };
            return work({ ...tx, query: dying });
          }, options),
      };
    };
    const count = async (now: Date, steps = Number.POSITIVE_INFINITY, killed: number | null = null) => {
      let left = steps;
      const run = countClosedHours(killed === null ? db : killedAfter(killed), now, () => (left -= 1) >= 0);
      await run.catch((error: Error) => {
        if (error.message !== 'killed') throw error;
      });
    };
    const run = async (did: Action): Promise<void> => {
      const within = 'created_at >= $1 and created_at <= $2';
      switch (did.kind) {
        case 'insert':
          return insertLog(db, did.log, did.rows);
        case 'count':
          return count(at(did.now), did.steps, did.killed);
        case 'detach': {
          const set = did.log === 'requests' ? 'connection_id = null, source_id = null' : 'source_id = null';
          await db.query(`update ${did.log} set ${set} where source_id = $1`, [did.partId]);
          return;
        }
        case 'edit':
          await db.query(
            `update ${did.log} set connection_id = $3, created_at = created_at + $4 * interval '1 ms' where ${within}`,
            [did.span.from, did.span.to, did.connectionId, did.ms],
          );
          return;
        case 'erase': {
          const set = did.log === 'requests' ? 'body = null' : `to_email = 'erased'`;
          await db.query(`update ${did.log} set ${set} where ${within}`, [did.span.from, did.span.to]);
          return;
        }
        case 'delete':
          await db.query(`delete from ${did.log} where ${within}`, [did.span.from, did.span.to]);
          return;
        case 'drop':
          // The rows go as when a partition is dropped: triggers do not see it.
          return db.transaction(async (tx) => {
            const end = at(did.hour * HOUR_MS);
            await forgetHoursBefore(tx, did.log, end);
            await tx.query('set local session_replication_role = replica');
            await tx.query(`delete from ${did.log} where created_at < $1`, [end]);
          });
        case 'truncate':
          await db.query(`truncate ${did.log}`);
      }
    };
    const expectHoursToEqualRows = async (after: string) => {
      for (const name of COUNTED_LOGS) {
        const hours = await countLogByHour(db, name, ALL.ownerIds, { first: at(-HOUR_MS), last: at(HOURS * HOUR_MS) });
        const { rows } = await db.query<{ hour: Date; counted: number; error: number }>(
          `select date_trunc('hour', created_at, 'UTC') as hour, count(*) as counted,
              count(*) filter (where to_jsonb(rows) ->> 'status' = 'error') as error
            from ${name} rows group by 1 order by 1`,
        );
        const withRows = hours.filter(({ counted }) => counted > 0);
        expect({ after, hours: withRows.map(({ hour, counted, error }) => ({ hour, counted, error })) }).toEqual({
          after,
          hours: rows,
        });
        expect(hours).toHaveLength(HOURS + 2);
      }
    };
    const countedHours = async (name: string) =>
      (
        await db.query<{ hours: number }>(
          `select coalesce(extract(epoch from counted_until - counted_from) / 3600, 0)::integer as hours
            from hour_count_state where log = $1`,
          [name],
        )
      ).rows[0]?.hours;

    test('property: whatever happens to rows and counting, in any order', async () => {
      let closedHours = 0;
      await fc.assert(
        fc.asyncProperty(
          fc.array(row, { minLength: 2, maxLength: 8 }),
          fc.array(action, { minLength: 3, maxLength: 10 }),
          fc.array(query, { minLength: 3, maxLength: 3 }),
          async (first, actions, queries) => {
            await empty();
            for (const name of COUNTED_LOGS) await insertLog(db, name, first);
            await countUntilDone(db, at(HOURS * HOUR_MS));
            for (const name of COUNTED_LOGS) closedHours += (await countedHours(name)) ?? 0;
            for (const did of actions) {
              await run(did);
              const { metrics, rows } = await bothCounts(db, ALL);
              expect({ did, metrics }).toEqual({ did, metrics: rows });
              await expectHoursToEqualRows(did.kind);
            }
            for (const each of queries) {
              const { metrics, rows } = await bothCounts(db, each);
              expect(metrics).toEqual(rows);
            }
            // All of it counted, and nothing left to note.
            await countUntilDone(db, at((HOURS + 2) * HOUR_MS));
            expect(
              (await db.query('select from changed_hours where hour < $1', [at((HOURS + 1) * HOUR_MS)])).rows,
            ).toEqual([]);
            for (const each of [ALL, ...queries]) {
              const { metrics, rows } = await bothCounts(db, each);
              expect(metrics).toEqual(rows);
            }
          },
        ),
        // The embedded database plans more slowly.
        { numRuns: name === 'pglite' ? 4 : 8 },
      );
      expect(closedHours).toBeGreaterThan(10);
    });

    test('metrics of closed hours come from the counts, those of a changed hour from its rows', async () => {
      const each = (connectionId: number, hour: number) => ({
        ...{ connectionId, partId: 1, status: 'success' as const, httpStatus: 200 },
        at: at(hour * HOUR_MS + 1),
      });
      for (const name of COUNTED_LOGS) await insertLog(db, name, [each(1, 0), each(1, 1), each(2, 1)]);
      await countUntilDone(db, at(3 * HOUR_MS));
      await db.query('update hour_counts set counted = counted + 100');
      const counted = async () => (await bothCounts(db, ALL)).metrics.map((counts) => counts.counted);
      expect(await counted()).toEqual([303, 303, 303]);
      for (const name of COUNTED_LOGS) await insertLog(db, name, [each(1, 1)]);
      expect(await counted()).toEqual([204, 204, 204]);
      await countUntilDone(db, at(3 * HOUR_MS));
      expect(await counted()).toEqual([204, 204, 204]);
      expect((await db.query('select from changed_hours')).rows).toEqual([]);
    });

    test('metrics of whole days come from their sums, those of a day with a changed hour from its hours', async () => {
      const each = (connectionId: number, hours: number) => ({
        ...{ connectionId, partId: 1, status: 'success' as const, httpStatus: 200 },
        at: at(hours * HOUR_MS + 1),
      });
      const DAY = [2, 5, 25];
      for (const name of COUNTED_LOGS) {
        await insertLog(
          db,
          name,
          [1, ...DAY, 26].flatMap((hours) => [each(1, hours), each(2, hours)]),
        );
      }
      await countUntilDone(db, at((HOURS + 1) * HOUR_MS));
      const days = async () =>
        (await db.query('select log, owner_id, counted from day_counts where day = $1', [at(2 * HOUR_MS)])).rows;
      expect(await days()).toHaveLength(2 * COUNTED_LOGS.length);
      await db.query('update day_counts set counted = counted + 100');
      const counted = async () => (await bothCounts(db, ALL)).metrics.map((counts) => counts.counted);
      // Only one day is whole.
      expect(await counted()).toEqual([210, 210, 210]);
      for (const name of COUNTED_LOGS) await insertLog(db, name, [each(1, 5)]);
      expect(await counted()).toEqual([111, 111, 111]);
      await db.query('update day_counts set counted = counted - 100');
      await countUntilDone(db, at((HOURS + 1) * HOUR_MS));
      expect(await counted()).toEqual([11, 11, 11]);
      // A sum without hours is no row.
      await db.query('delete from syncs where connection_id = 2');
      await countUntilDone(db, at((HOURS + 1) * HOUR_MS));
      expect(await counted()).toEqual([11, 6, 11]);
      expect(await days()).toHaveLength(2 * COUNTED_LOGS.length - 1);
    });

    test('what changes nothing of a count is not counted again, and open hours are not noted', async () => {
      const each = { connectionId: 1, partId: 1, status: 'error' as const, httpStatus: null };
      for (const name of COUNTED_LOGS) await insertLog(db, name, [{ ...each, at: at(1) }]);
      await countUntilDone(db, at(2 * HOUR_MS));
      await db.query(`update requests set body = 'x', outcome = 'synced'`);
      await db.query(`update syncs set to_email = 'erased', error = null`);
      await db.query(`update deliveries set to_email = 'erased', error = null`);
      for (const name of COUNTED_LOGS) await insertLog(db, name, [{ ...each, at: at(2 * HOUR_MS) }]);
      await db.query('delete from syncs where created_at >= $1', [at(2 * HOUR_MS)]);
      expect((await db.query('select from changed_hours')).rows).toEqual([]);
      await db.query(`update syncs set status = 'success'`);
      await db.query('update deliveries set http_status = 200');
      expect((await db.query('select log from changed_hours order by log')).rows).toEqual([
        { log: 'deliveries' },
        { log: 'syncs' },
      ]);
      const { metrics, rows } = await bothCounts(db, ALL);
      expect(metrics).toEqual(rows);
    });

    test('an old installation catches up in steps', async () => {
      await db.query(
        `insert into requests (account_id, connection_id, path, created_at)
          select 1, 1, 'code', $1::timestamptz + i * interval '1 hour' from generate_series(0, 99) i`,
        [at(0)],
      );
      // Transactions of other databases delay the first step.
      let first: number | undefined;
      await expect
        .poll(async () => {
          await count(at(101 * HOUR_MS), 4);
          first = await countedHours('requests');
          return first;
        })
        .toBeGreaterThan(0);
      expect(first).toBeLessThan(100);
      await countUntilDone(db, at(101 * HOUR_MS));
      expect(await countedHours('requests')).toBe(101 - 1);
      const { metrics, rows } = await bothCounts(db, { ...ALL, range: { from: at(0), to: at(200 * HOUR_MS) } });
      expect(metrics).toEqual(rows);
    });

    test('a restored copy of another database counts on', async () => {
      await insertLog(db, 'syncs', [{ connectionId: 1, partId: 1, status: 'error', httpStatus: null, at: at(1) }]);
      await countUntilDone(db, at(2 * HOUR_MS));
      await db.query(`update hour_count_state set closing_xid = '999999999999'`);
      await countUntilDone(db, at(4 * HOUR_MS));
      expect(await countedHours('syncs')).toBe(3);
    });
  });
});
