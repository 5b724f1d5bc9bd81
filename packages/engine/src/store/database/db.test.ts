import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { backends } from '../../../test/support/backends.ts';
import { type Database, DatabaseUnavailableError } from './db.ts';
import { migrate } from '../migrations/migrate.ts';
import { openPostgres } from './postgres.ts';
import { startSilentProxy } from '../../../test/support/silent-proxy.ts';
import { toStorableJson } from './storable-json.ts';

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

describe.each(backends)('the database handle on $name', ({ isAvailable, open }) => {
  describe.skipIf(!isAvailable)('behaviour', () => {
    let db: Database;
    beforeAll(async () => {
      db = await open();
    });
    afterAll(async () => {
      await db.close();
    });

    test('the root handle throws inside a transaction instead of waiting forever', async () => {
      const nested = db.transaction(async () => db.query('select 1'));
      await expect(nested).rejects.toThrow('from inside a transaction');
      const nestedTransaction = db.transaction(async () => db.transaction(async () => 1));
      await expect(nestedTransaction).rejects.toThrow('from inside a transaction');
      expect((await db.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
    });

    test('consecutive statements do not starve timers and sockets', async () => {
      let turns = 0;
      const count = () => {
        turns += 1;
        next = setImmediate(count);
      };
      let next = setImmediate(count);
      // Some turns within 300 ms on a free machine.
      const until = performance.now() + 10_000;
      while (turns <= 3 && performance.now() < until) await db.query('select 1');
      clearImmediate(next);
      expect(turns).toBeGreaterThan(3);
    });

    test('answers that were read are not kept in memory', async () => {
      const sizes: number[] = [];
      for (let round = 0; round < 2; round += 1) {
        // 40 MB in all.
        for (let nth = 0; nth < 400; nth += 1) await db.query(`select repeat('x', 100000)`);
        collectGarbage();
        sizes.push(process.memoryUsage().heapUsed);
      }
      const [first = 0, second = 0] = sizes;
      expect(second - first).toBeLessThan(10_000_000);
    });

    test('a transaction that throws is rolled back', async () => {
      const work = db.transaction(async (tx) => {
        await tx.query(`insert into service_meta values ('a', 'b')`);
        throw new Error('no');
      });
      await expect(work).rejects.toThrow('no');
      expect((await db.query('select * from service_meta')).rows).toEqual([]);
    });

    test.each([
      ['a table that does not exist', 'select $1::int as a from nowhere', [1], 'does not exist'],
      ['a failure while it runs', 'select 1 / $1::int as a', [0], 'division by zero'],
      ['a value of the wrong form', 'select $1::int as a', ['zz'], 'invalid input syntax'],
    ])('after %s the next statements get their own answers', async (_name, text, values, message) => {
      for (const statement of [text, { name: `failing ${message}`, text }]) {
        for (let round = 0; round < 2; round += 1) {
          await expect(db.query(statement, values)).rejects.toThrow(message);
          expect((await db.query('select $1::int as a', [round])).rows).toEqual([{ a: round }]);
        }
        await expect(db.transaction((tx) => tx.query(statement, values))).rejects.toThrow(message);
        const answers = await Promise.all([1, 2, 3].map((n) => db.query('select $1::int as a', [n])));
        expect(answers.map(({ rows }) => rows)).toEqual([[{ a: 1 }], [{ a: 2 }], [{ a: 3 }]]);
      }
    });

    test('a prepared statement still works after another has failed', async () => {
      const prepared = { name: 'goes-on-working', text: 'select $1::int as a' };
      expect((await db.query(prepared, [1])).rows).toEqual([{ a: 1 }]);
      for (const a of [2, 3]) {
        await expect(db.query('select 1 / 0')).rejects.toThrow('division by zero');
        expect((await db.query(prepared, [a])).rows).toEqual([{ a }]);
        expect((await db.transaction((tx) => tx.query(prepared, [a]))).rows).toEqual([{ a }]);
      }
    });

    test('ids and counts are numbers, instants are dates to the millisecond', async () => {
      const { rows } = await db.query(
        `select 9007199254740991::bigint as id, array[1, 2]::bigint[] as ids, count(*) as n,
          '2026-01-01T00:00:00.123456Z'::timestamptz(3) as at from generate_series(1, 3)`,
      );
      expect(rows).toEqual([{ id: 9007199254740991, ids: [1, 2], n: 3, at: new Date('2026-01-01T00:00:00.123Z') }]);
    });

    test('a statement goes on when a migration changes the type of its result', async () => {
      const statement = { name: 'stale-get', text: 'select value from stale' };
      const read = async () => (await db.query(statement)).rows;
      await db.script('create table stale (value integer); insert into stale values (1)');
      expect(await Promise.all([read(), read(), read()])).toHaveLength(3);

      await db.script('alter table stale alter column value type text');
      expect(await Promise.all([read(), read(), read()])).toEqual(Array(3).fill([{ value: '1' }]));
      expect(await db.transaction((tx) => tx.query(statement))).toMatchObject({ rows: [{ value: '1' }] });

      // In a transaction, which the error ends, it works when the transaction is made again.
      await db.script('alter table stale alter column value type integer using value::integer');
      const again = () => db.transaction((tx) => tx.query(statement));
      await expect(again()).rejects.toThrow(DatabaseUnavailableError);
      expect(await again()).toMatchObject({ rows: [{ value: 1 }] });
      await db.script('drop table stale');
    });

    test('migrating again changes nothing', async () => {
      expect(await migrate(db, new Date(0))).toEqual([]);
    });

    test('makes text storable that the database cannot hold, in keys and values', async () => {
      const json = toStorableJson({ 'a\u0000b': ['x\u0000y', '\ud800', { deep: '\udfff\u0000' }] });
      const { rows } = await db.query<{ json: unknown }>('select $1::jsonb as json', [json]);
      expect(rows[0]?.json).toEqual({ ab: ['xy', '\ufffd', { deep: '\ufffd' }] });
    });
  });
});

test('distinguishes an unreachable database from a wrong statement', async () => {
  const db = openPostgres('postgresql://postgres@127.0.0.1:9/none');
  await expect(db.query('select 1')).rejects.toThrow(DatabaseUnavailableError);
  await expect(db.transaction(async () => 1)).rejects.toThrow(DatabaseUnavailableError);
  await db.close();
});

const postgresUrl = inject('databaseUrl');
describe.skipIf(postgresUrl === null)('a PostgreSQL that stops answering', () => {
  test.each([
    ['a statement', (db: Database) => db.query('select 1')],
    ['a transaction', (db: Database) => db.transaction((tx) => tx.query('select 1'))],
  ])('%s times out, and works again once the database is back', async (_what, ask) => {
    const proxy = await startSilentProxy(postgresUrl ?? '');
    const db = openPostgres(proxy.url, { maxConnections: 1, statementTimeoutMs: 300 });
    try {
      await ask(db);
      proxy.silence();
      await expect(ask(db)).rejects.toThrow(DatabaseUnavailableError);
      proxy.resume();
      expect((await db.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
    } finally {
      await db.close();
      await proxy.close();
    }
  });
});
