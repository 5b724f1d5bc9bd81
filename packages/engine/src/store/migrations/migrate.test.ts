import { AsyncLocalStorage } from 'node:async_hooks';
import { expect, onTestFinished, test } from 'vitest';
import { backends, postgresBackend } from '../../../test/support/backends.ts';
import { claimBatches, extendLeases } from '../../queue/claims.ts';
import { type ClaimedJob, enqueue, finish } from '../../queue/queue.ts';
import { type Database, SERVER_LOCK, UNTRUSTED_PROXY_LOCK, WORKER_LOCK } from '../database/db.ts';
import { migrations, SCHEMA_OF_RELEASE_BEFORE } from './index.ts';
import { assertSchemaCurrent, finishMigrating, migrate } from './migrate.ts';
import { isFinish } from './migration.ts';
import { LocksTakenError } from './short-locks.ts';

const START = new Date('2026-03-01T12:00:00.000Z');
const at = (ms: number) => new Date(START.getTime() + ms);

const newestOfStart = migrations.findLast((migration) => !isFinish(migration))?.version ?? 0;

/** Makes the schema of an earlier release. */
async function migrateTo(db: Database, last: number): Promise<void> {
  await db.script('create table schema_migrations (version integer primary key, name text, applied_at timestamptz(3))');
  for (const migration of migrations) {
    if (migration.version > last || isFinish(migration)) continue;
    const { version, name, sql } = migration;
    await db.script(sql);
    await db.query('insert into schema_migrations values ($1, $2, $3)', [version, name, START]);
  }
}

for (const { name, isAvailable, openBlank } of backends) {
  test.skipIf(!isAvailable)(`${name}: jobs that are claimed, due or planned survive an upgrade`, async () => {
    const db = await openBlank();
    onTestFinished(() => db.close());
    await migrateTo(db, 15);
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
    // As a server of an earlier release does.
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

    expect(await migrate(db, START)).toContain(newestOfStart);

    // The lease of `lost` has ended, so its place comes first; `held` keeps its connection.
    const after = await take(2_000);
    expect(refs(after)).toEqual(['due', 'lost', 'lost-next']);
    await expect(finish(db, lost)).rejects.toThrow('lease');
    await finish(db, held);
    for (const job of after) await finish(db, job);
    expect(refs(await take(2_500))).toEqual(['held-next']);
    expect(refs(await take(5_000))).toEqual(['held-next', 'planned']);
  });

  test.skipIf(!isAvailable)(`${name}: an owner gets half of the workers that idle owners leave`, async () => {
    const db = await openBlank();
    onTestFinished(() => db.close());
    await migrate(db, START);
    const { rows } = await db.query<{ source: string }>(
      `select prosrc as source from pg_proc where proname = 'jobs_claim' order by pronargs desc`,
    );
    // The other one is that of earlier releases.
    expect(rows).toHaveLength(2);
    expect(rows[0]?.source).toContain('wanted := greatest(1, (workers - greatest(idle_owners, 1) + 1) / 2);');
  });
}

for (const { name, isAvailable, openBlank } of backends) {
  test.skipIf(!isAvailable)(`${name}: a release starts on a newer schema until that is finished`, async () => {
    const db = await openBlank();
    onTestFinished(() => db.close());
    await migrate(db, START);
    if (db.backend === 'postgres') await finishMigrating(db, () => START);
    const oldest = async () =>
      (await db.query<{ oldest: number }>('select oldest from schema_programs')).rows.map((row) => row.oldest);
    const newestFinish = migrations.findLast(isFinish)?.version ?? 0;
    expect(await oldest()).toEqual([Math.max(newestFinish, SCHEMA_OF_RELEASE_BEFORE)]);

    // As the release after this one does at its start.
    const known = migrations.at(-1)?.version ?? 0;
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
  });
}

test.skipIf(!postgresBackend.isAvailable)(
  'postgres: several starts at once apply each migration once, and one that is interrupted keeps those that are done',
  async () => {
    const db = await postgresBackend.openBlank();
    onTestFinished(() => db.close());
    await migrateTo(db, 15);
    const outside = AsyncLocalStorage.snapshot();
    await db.transaction(async (tx) => {
      // What 22 changes.
      await tx.query('select from category_signals');
      await outside(async () => {
        const patience = { lockWaitMs: 20, pauseMs: 1, attemptsMax: 3 };
        const starts = await Promise.allSettled([migrate(db, START, patience), migrate(db, START, patience)]);
        for (const start of starts) expect(start).toMatchObject({ reason: expect.any(LocksTakenError) });
        // The migration gave up its wait, so other statements are not blocked by it.
        expect((await db.query('select from category_signals')).rowCount).toBe(0);
        const { rows } = await db.query<{ version: number }>('select max(version) as version from schema_migrations');
        expect(rows).toEqual([{ version: 21 }]);
      });
    });
    const applied = await Promise.all([migrate(db, START), migrate(db, START), migrate(db, START)]);
    const pending = migrations.filter((migration) => migration.version > 21 && !isFinish(migration));
    expect(applied.flat().toSorted((a, b) => a - b)).toEqual(pending.map(({ version }) => version));
  },
);

test.skipIf(!postgresBackend.isAvailable)('postgres: finishing does not wait for running servers', async () => {
  const db = await postgresBackend.open();
  onTestFinished(() => db.close());
  for (const lock of [SERVER_LOCK, WORKER_LOCK, UNTRUSTED_PROXY_LOCK]) await db.announce(lock);
  expect(await finishMigrating(db, () => START)).toEqual([]);
});
