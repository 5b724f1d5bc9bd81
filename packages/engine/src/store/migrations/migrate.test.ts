import { AsyncLocalStorage } from 'node:async_hooks';
import { expect, onTestFinished, test } from 'vitest';
import { anyBackend, backends, postgresBackend } from '../../../test/support/backends.ts';
import { openStoredSchema, STORED_SCHEMAS } from '../../../test/support/stored-databases.ts';
import { claimBatches, extendLeases } from '../../queue/claims.ts';
import { type ClaimedJob, enqueue, finish } from '../../queue/queue.ts';
import { SERVER_LOCK, UNTRUSTED_PROXY_LOCK, WORKER_LOCK } from '../database/db.ts';
import { FOLDED_SCHEMA, migrations, SCHEMA_OF_RELEASE_BEFORE } from './index.ts';
import { installFunctions } from './install-functions.ts';
import { assertSchemaCurrent, finishMigrating, migrate } from './migrate.ts';
import { isFinish, type StartMigration } from './migration.ts';
import { describePlan } from './plan.ts';
import { LocksTakenError } from './short-locks.ts';

const START = new Date('2026-03-01T12:00:00.000Z');
const at = (ms: number) => new Date(START.getTime() + ms);

const startVersions = migrations.filter((migration) => !isFinish(migration)).map(({ version }) => version);
const known = Math.max(...migrations.map(({ version }) => version));

for (const backend of backends) {
  const { name, isAvailable } = backend;
  test.skipIf(!isAvailable)(
    `${name}: jobs that are claimed, due or planned survive an upgrade`,
    async () => {
      const db = await openStoredSchema(backend, STORED_SCHEMAS[22]);
      onTestFinished(() => db.close());
      const add = (ref: string, key: string, dueMs = 0) =>
        enqueue(db, { kind: 'write', ref, fairnessKey: key, dueAt: at(dueMs), createdAt: START });
      const take = async (ms: number, limit = 8) => {
        const claimed = await claimBatches(db, {
          now: at(ms),
          kinds: ['write'],
          batchSizes: { write: 2 },
          serialKinds: [['write']],
          limit,
          leaseUntil: at(ms + 1_000),
        });
        return claimed.flat();
      };
      const refs = (jobs: readonly { ref: string }[]) => jobs.map(({ ref }) => ref).toSorted();
      await add('held', 'connection:1');
      await add('lost', 'connection:2');
      // A server of an earlier release claims in this way.
      const { rows: before } = await db.query<ClaimedJob>(
        `select id, kind, ref, fence from jobs_claim($1, '{write}', '{2}', '{write}', 8, $2, '')`,
        [at(0), at(1_000)],
      );
      expect(refs(before)).toEqual(['held', 'lost']);
      await add('held-next', 'connection:1');
      await add('lost-next', 'connection:2');
      await add('due', 'connection:3');
      await add('planned', 'connection:4', 5_000);
      const [held, lost] = ['held', 'lost'].flatMap((ref) => before.filter((job) => job.ref === ref));
      if (held === undefined || lost === undefined) throw new Error('No job was claimed.');
      await extendLeases(db, [held], at(3_000));

      expect(await migrate(db, START)).toEqual(expect.arrayContaining(startVersions.filter((version) => version > 22)));

      // The lease of `lost` has ended, so its place comes first; `held` keeps its connection.
      const after = await take(2_000);
      expect(refs(after)).toEqual(['due', 'lost', 'lost-next']);
      await expect(finish(db, lost)).rejects.toThrow('lease');
      await finish(db, held);
      for (const job of after) await finish(db, job);
      expect(refs(await take(2_500))).toEqual(['held-next']);
      expect(refs(await take(5_000))).toEqual(['held-next', 'planned']);
    },
    180_000,
  );
}

for (const { name, isAvailable, openBlank } of backends) {
  test.skipIf(!isAvailable)(
    `${name}: a release starts on a newer schema until that is finished`,
    async () => {
      const db = await openBlank();
      onTestFinished(() => db.close());
      await migrate(db, START);
      if (db.backend === 'postgres') await finishMigrating(db, () => START);
      const oldest = async () =>
        (await db.query<{ oldest: number }>('select oldest from schema_programs')).rows.map((row) => row.oldest);
      // A release that knows only the migrations that were folded would look for each of them.
      const finished = migrations.filter(isFinish).map(({ version }) => version);
      expect(await oldest()).toEqual([Math.max(FOLDED_SCHEMA + 1, SCHEMA_OF_RELEASE_BEFORE, ...finished)]);

      // As the release after this one does at its start.
      await db.query('insert into schema_migrations values ($1, $2, $3)', [known + 1, 'of the next release', START]);
      await db.query('update schema_programs set oldest = $1', [known]);
      expect(await migrate(db, START)).toEqual([]);
      await assertSchemaCurrent(db);
      await expect(finishMigrating(db, () => START)).rejects.toThrow('finish with the release that migrated it');

      // As its finish does.
      await db.query('update schema_programs set oldest = $1', [known + 1]);
      await expect(migrate(db, START)).rejects.toThrow(`knows only ${known}: start the release that migrated it`);
      await expect(assertSchemaCurrent(db)).rejects.toThrow('start the release');

      // Databases of releases that did not store it.
      await db.query('delete from schema_programs');
      await expect(migrate(db, START)).rejects.toThrow('start the release');
    },
    180_000,
  );
}

test('a release leaves the functions of a newer one as they are', async () => {
  const db = await anyBackend.openBlank();
  onTestFinished(() => db.close());
  await migrate(db, START);
  // As a database that the next release made, with its own functions.
  await db.query('update schema_migrations set version = $1 where name = $2', [known + 2, installFunctions.name]);
  await db.query('update schema_programs set oldest = $1', [known]);
  await db.script(
    `create or replace function forget_hours() returns trigger language plpgsql as 'begin return old; end'`,
  );
  expect(await migrate(db, START)).toEqual([]);
  await assertSchemaCurrent(db);
  const { rows } = await db.query(`select prosrc as text from pg_proc where proname = 'forget_hours'`);
  expect(rows).toEqual([{ text: 'begin return old; end' }]);

  // The functions of an earlier release are replaced.
  await db.query('update schema_migrations set version = 1 where name = $1', [installFunctions.name]);
  expect(await migrate(db, START)).toEqual([installFunctions.version]);
  const { rows: replaced } = await db.query(`select prosrc as text from pg_proc where proname = 'forget_hours'`);
  expect(replaced).not.toEqual(rows);
});

test('a schema that is neither recent nor that of a stored database is refused', async () => {
  const db = await anyBackend.openBlank();
  onTestFinished(() => db.close());
  await db.script(`
    create table schema_migrations (version integer primary key, name text, applied_at timestamptz(3));
    insert into schema_migrations select version, 'earlier', now() from generate_series(1, 21) version`);
  const message =
    /schema version 21, and .* upgrades only 5, 22, 36 and newer ones.* commit [0-9a-f]{8} .*upgrading.md/;
  await expect(migrate(db, START)).rejects.toThrow(message);
  await expect(assertSchemaCurrent(db)).rejects.toThrow(message);
  await expect(describePlan(db)).rejects.toThrow(message);
  expect((await db.query(`select from pg_class where relname = 'accounts'`)).rowCount).toBe(0);
});

test.skipIf(!postgresBackend.isAvailable)(
  'postgres: several starts at once apply each part of a migration once, and one that is interrupted keeps the parts that are done',
  async () => {
    const db = await openStoredSchema(postgresBackend, STORED_SCHEMAS[22]);
    onTestFinished(() => db.close());
    const { sql } = migrations.find(({ version }) => version === 36) as StartMigration;
    const partOfMails = sql.findIndex((part) => part.includes('alter table relay_mails'));
    const outside = AsyncLocalStorage.snapshot();
    await db.transaction(async (tx) => {
      await tx.query('select from relay_mails');
      await outside(async () => {
        const patience = { lockWaitMs: 20, pauseMs: 1, attemptsMax: 3 };
        const starts = await Promise.allSettled([migrate(db, START, patience), migrate(db, START, patience)]);
        for (const start of starts) expect(start).toMatchObject({ reason: expect.any(LocksTakenError) });
        // The migration gave up its wait, so other statements are not blocked by it.
        expect((await db.query('select count(*) from relay_mails')).rowCount).toBe(1);
        const { rows } = await db.query('select version, count(*) as done from migration_steps group by version');
        expect(rows).toEqual([{ version: 36, done: partOfMails }]);
      });
    });
    const applied = await Promise.all([migrate(db, START), migrate(db, START), migrate(db, START)]);
    const pending = startVersions.filter((version) => version > 22);
    expect(applied.flat().toSorted((a, b) => a - b)).toEqual(pending.toSorted((a, b) => a - b));
  },
);

test.skipIf(!postgresBackend.isAvailable)('postgres: finishing does not wait for running servers', async () => {
  const db = await postgresBackend.open();
  onTestFinished(() => db.close());
  for (const lock of [SERVER_LOCK, WORKER_LOCK, UNTRUSTED_PROXY_LOCK]) await db.announce(lock);
  expect(await finishMigrating(db, () => START)).toEqual([]);
});
