/** An installation with the schema 22 becomes one with logs by month while it works, however often that is interrupted. */
import { expect, onTestFinished, test } from 'vitest';
import { type Backend, backends } from '../../../test/support/backends.ts';
import { LOG, insertLogRows } from '../../../test/support/log-rows.ts';
import { openStoredSchema, STORED_SCHEMAS } from '../../../test/support/stored-databases.ts';
import type { Database, Db } from '../database/db.ts';
import { listPartitions, makeMonths } from '../log-months.ts';
import { LOG_TABLES } from '../schema/index.ts';
import { finishMigrating, migrate, readSchemaState } from './migrate.ts';
import { describePlan } from './plan.ts';

const NOW = new Date('2026-03-15T12:00:00.000Z');
const ROWS = 1_000;

/** Makes what the release with schema 22 has after a month of work. */
async function makeOld(backend: Backend): Promise<Database> {
  const db = await openStoredSchema(backend, STORED_SCHEMAS[22]);
  await insertLogRows(db, { rows: ROWS, connections: 3, now: NOW });
  await db.script(`
    update syncs set inbound_event_id = id;
    -- Another user than the one that migrates.
    alter table requests owner to pg_monitor;
    create table noticed (count integer);
    create function notice() returns trigger language plpgsql as
      $$ begin insert into noticed select count(*) from added; return null; end $$;
    create trigger noticed after insert on requests referencing new table as added for each statement execute function notice()`);
  return db;
}

const addSync = (db: Db, eventId: number) =>
  db.query(
    `insert into syncs (account_id, connection_id, inbound_event_id, status, event_type, to_email, platform, created_at)
      values ($1, $2, $3, 'success', 'email_reply', 'a@example.org', 'smartlead', $4)`,
    [LOG.accountId, LOG.busyConnectionId, eventId, NOW],
  );
const addRequest = (db: Db) =>
  db.query(
    `insert into requests (id, account_id, path, created_at)
      values (nextval(pg_get_serial_sequence('requests', 'id')), $1, 'x', $2)`,
    [LOG.accountId, NOW],
  );

/** A hash of all rows of the logs, without those that the test adds. */
async function hashRows(db: Db): Promise<unknown> {
  const hashes = LOG_TABLES.map(
    (table) =>
      // Without the columns of later migrations.
      `(select md5(string_agg((to_jsonb(t) - array['repeated_event_ids', 'backfill_run_id'])::text, ' ' order by id)) from ${table} t where created_at <> '${NOW.toISOString()}') as ${table}`,
  );
  return (await db.query(`select ${hashes.join(', ')}`)).rows;
}

/** The database of a process that is killed before its statement with this number. */
function killedAt(db: Database, statement: number): Database {
  let left = statement;
  const dying = (handle: Db): Db => ({
    query: (...args) => {
      if (left-- <= 0) throw new Error('killed');
      return handle.query(...args);
    },
    script: (...args) => {
      if (left-- <= 0) throw new Error('killed');
      return handle.script(...args);
    },
  });
  return { ...db, ...dying(db), transaction: (work, options) => db.transaction((tx) => work(dying(tx)), options) };
}

for (const backend of backends) {
  const { name, isAvailable } = backend;
  test.skipIf(!isAvailable || name === 'pglite')(
    `${name}: interrupted anywhere, nothing is lost and it goes on`,
    async () => {
      const db = await makeOld(backend);
      onTestFinished(() => db.close());
      const before = await hashRows(db);
      expect(await migrate(db, NOW)).not.toContain(30);
      expect((await describePlan(db)).join('\n')).toMatch(/30 logs-by-month\n[^]*partition requests: .* rows, .*B\)/);
      // Its connections have the name that those of schema 22 have.
      await expect(finishMigrating(db, () => NOW)).rejects.toThrow(/earlier release are connected.*--force/);
      // Left by a killed run that built an index.
      await db.script('create unique index requests_by_id on requests (id, created_at)');
      await db.script(`update pg_index set indisvalid = false where indexrelid = 'requests_by_id'::regclass`);

      let kills = 0;
      let eventId = ROWS;
      for (let isDone = false; !isDone; ) {
        isDone = await finishMigrating(killedAt(db, 4 + kills), () => NOW, { isForced: true }).then(
          () => true,
          (error: Error) => {
            expect(error.message).toBe('killed');
            return false;
          },
        );
        kills += 1;
        eventId += 1;
        await addRequest(db);
        await addSync(db, eventId);
        await expect(addSync(db, eventId)).rejects.toThrow('duplicate key');
        await expect(addSync(db, 1 + (kills % ROWS))).rejects.toThrow('duplicate key');
      }
      expect(kills).toBeGreaterThan(10);
      expect(await hashRows(db)).toEqual(before);
      expect((await readSchemaState(db)).missing).toEqual([]);
      expect((await db.query('select from noticed')).rowCount).toBe(kills);
      const { rows: owners } = await db.query(
        `select distinct relname as name from pg_class where relowner = 'pg_monitor'::regrole and relkind in ('p', 'S', 'r')
          order by 1`,
      );
      expect(owners).toEqual([{ name: 'requests' }, { name: 'requests_earlier' }, { name: 'requests_id_seq' }]);
      const { rows } = await db.query<{ isGapless: boolean; invalid: number }>(
        `select (select count(*) = max(id) and count(distinct id) = count(*) from requests) as "isGapless",
        (select count(*) from pg_index where not indisvalid) as invalid`,
      );
      expect(rows).toEqual([{ isGapless: true, invalid: 0 }]);
      expect(await finishMigrating(db, () => NOW, { isForced: true })).toEqual([]);
      for (const table of LOG_TABLES) {
        await makeMonths(db, table, NOW);
        expect(await listPartitions(db, table)).toHaveLength(5);
      }
      expect(await hashRows(db)).toEqual(before);
    },
    180_000,
  );

  test.skipIf(!isAvailable || name === 'pglite')(
    `${name}: writers never wait for a step, also while a long report makes the step wait`,
    async () => {
      const db = await makeOld(backend);
      onTestFinished(() => db.close());
      await migrate(db, NOW);
      const countRequests = async () => (await db.query('select from requests')).rowCount;
      const before = await countRequests();
      const begun = new Set<string>();
      let isDone = false;
      let endReport = () => {};
      const report = db.transaction(async (tx) => {
        await tx.script(`lock table ${LOG_TABLES.join(', ')} in access share mode`);
        await new Promise<void>((resolve) => {
          endReport = resolve;
        });
      });
      const finished = finishMigrating(db, () => NOW, {
        isForced: true,
        onStep: (_migration, step) => begun.add(step.name),
        patience: { lockWaitMs: 100, pauseMs: 20 },
      }).finally(() => {
        isDone = true;
      });
      const taken: number[] = [];
      const takeIds = async () => {
        while (!isDone) {
          // The statement may find that another sequence has replaced the one it named.
          const ids = await db
            .query<{ id: number }>(`select nextval(pg_get_serial_sequence('requests', 'id')) as id`)
            .catch(() => null);
          taken.push(...(ids?.rows.map(({ id }) => id) ?? []));
        }
      };
      const taking = takeIds();
      let written = 0;
      for (let meanwhile = 0; !isDone; written += 1) {
        await db.transaction(async (tx) => {
          // Far longer than a step may wait: without end it waits for the report, which waits for these rows.
          await tx.script(`set local lock_timeout = '10s'`);
          await addRequest(tx);
          await addSync(tx, ROWS + 1 + written);
        });
        if (begun.has('foreign key') && (meanwhile += 1) === 50) endReport();
      }
      await Promise.all([finished, report, taking]);
      expect(written).toBeGreaterThan(50);
      expect(await countRequests()).toBe(before + written);
      expect(new Set(taken).size).toBe(taken.length);
      expect((await db.query('select from requests where id = any($1)', [taken])).rowCount).toBe(0);
      expect(await listPartitions(db, 'requests')).toHaveLength(1);
    },
  );

  test.skipIf(!isAvailable || name === 'postgres')(
    `${name}: a start does everything at once`,
    async () => {
      const db = await makeOld(backend);
      onTestFinished(() => db.close());
      const before = await hashRows(db);
      expect((await describePlan(db)).join('\n')).toContain(
        'In the same transaction, because nobody else uses the database:',
      );
      await expect(migrate(killedAt(db, 100), NOW)).rejects.toThrow('killed');
      expect(await migrate(db, NOW)).toContain(30);
      expect(await hashRows(db)).toEqual(before);
      await addRequest(db);
      await expect(addSync(db, 1)).rejects.toThrow('first_syncs');
      expect((await describePlan(db)).join('\n')).toContain('Nothing to do');
    },
    180_000,
  );
}
