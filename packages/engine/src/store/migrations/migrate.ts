/**
 * Brings the schema up to date, in two phases (docs/upgrading.md). Start migrations run before a process serves: each in
 * a transaction of its own, so that an interrupted start keeps those that are done. Finish migrations run in steps, once
 * no older process is left. Where nobody else can be connected, everything runs at once in one transaction: in a new
 * database, which is made from `store/schema` without migrations, and in the embedded one.
 */
import type { Database, Db } from '../database/db.ts';
import { createTables, functionsAndTriggers, LOG_TABLES } from '../schema/index.ts';
import { FOLDED_SCHEMA, migrations, SCHEMA_OF_RELEASE_BEFORE, UPGRADED_SCHEMAS } from './index.ts';
import { installFunctions } from './install-functions.ts';
import { type FinishMigration, type FinishStep, isFinish, type Migration, type StartMigration } from './migration.ts';
import { type LockPatience, withShortLocks } from './short-locks.ts';
import { toPartitioned } from './to-partitioned.ts';

/** Prevents two starting processes from migrating at once; any number unique to this product works. */
const MIGRATION_LOCK = 0x53_56_43_01;
/** Held from the first to the last finish step. Starting processes do not wait for it. `db.ts` has the locks of running servers. */
const FINISH_LOCK = 0x53_56_43_06;

const startMigrations = migrations.filter((migration) => !isFinish(migration)) as readonly StartMigration[];
const finishMigrations = migrations.filter(isFinish);

/**
 * Runs what a start needs; several processes may call it at once.
 *
 * @returns the versions that this call applied
 * @throws SchemaError when a newer release has made changes that this one does not work with, or the schema is too old for it
 */
export async function migrate(db: Database, now: Date, patience?: LockPatience): Promise<number[]> {
  const state = await readSchemaState(db);
  assertWorksWith(state);
  if (db.backend === 'pglite' || state.newest === 0) {
    const applied = state.missing.length === 0 ? [] : await migrateAtOnce(db, now);
    if (applied !== null) return applied;
  }
  const applied: number[] = [];
  for (const migration of startMigrations) {
    if (!state.missing.includes(migration)) continue;
    for (const part of migration.sql.keys()) {
      const isApplied = await withShortLocks(
        db,
        async (tx, beBrief) => {
          const { done, doneSteps } = await lockSchema(tx);
          if (done.has(migration.version) || doneSteps.has(`${migration.version} ${partName(part)}`)) return false;
          await beBrief();
          await tx.script(migration.sql[part] ?? '');
          await recordStep(tx, migration, partName(part), now);
          const isLast = part === migration.sql.length - 1;
          if (isLast) await record(tx, migration, now);
          return isLast;
        },
        patience,
      );
      if (isApplied) applied.push(migration.version);
    }
  }
  return applied;
}

const partName = (part: number) => `part ${part + 1}`;

/** Runs everything in one transaction, or creates the schema; null when another process has created it just now. */
async function migrateAtOnce(db: Database, now: Date): Promise<number[] | null> {
  return db.transaction(
    async (tx) => {
      const { done, doneSteps } = await lockSchema(tx);
      if (db.backend === 'postgres' && done.size > 0) return null;
      const pending = [...startMigrations, ...finishMigrations].filter(({ version }) => !done.has(version));
      if (done.size === 0) await createSchema(tx);
      for (const migration of pending) {
        if (done.size > 0) await runAtOnce(tx, migration, doneSteps);
        await record(tx, migration, now);
      }
      return pending.map(({ version }) => version);
    },
    { isLong: true },
  );
}

async function createSchema(tx: Db): Promise<void> {
  await tx.script(createTables());
  for (const table of LOG_TABLES) await toPartitioned(tx, table);
  await tx.script(functionsAndTriggers.join(''));
}

async function runAtOnce(tx: Db, migration: Migration, doneSteps: ReadonlySet<string>): Promise<void> {
  if (!isFinish(migration)) return tx.script(migration.sql.join(';'));
  for (const step of pendingSteps(migration, doneSteps)) {
    await step.run({ isOnline: false, db: tx, together: (work) => work(tx) });
  }
}

export interface FinishOptions {
  /** Runs although processes of an earlier release seem to be connected. Default false. */
  isForced?: boolean;
  /** Called before each step. */
  onStep?: (migration: FinishMigration, step: FinishStep) => void;
  patience?: LockPatience | undefined;
}

/**
 * Runs the finish migrations that wait, each in steps. A step that was interrupted runs again at the next call; those that
 * are done do not.
 *
 * @returns the versions that this call applied
 * @throws SchemaError when start migrations are missing, older processes are connected, or another call is under way
 */
export async function finishMigrating(
  db: Database,
  now: () => Date,
  { isForced = false, onStep, patience }: FinishOptions = {},
): Promise<number[]> {
  await assertSchemaCurrent(db);
  const { newest, known } = await readSchemaState(db);
  if (newest > known) throw new SchemaError(`${describeNewer(newest)}: finish with the release that migrated it.`);
  const applied = await db.exclusively(FINISH_LOCK, async (assertHeld) => {
    const versions: number[] = [];
    for (const migration of finishMigrations) {
      const { done, doneSteps } = await readDone(db);
      if (done.has(migration.version)) continue;
      for (const step of pendingSteps(migration, doneSteps)) {
        assertHeld();
        if (!isForced) await assertNoOlderProcess(db, migration.version);
        onStep?.(migration, step);
        await step.run({
          isOnline: true,
          db: { query: (...args) => db.query(...args), script: (sql) => db.script(sql, { isLong: true }) },
          together: (work) =>
            withShortLocks(
              db,
              async (tx, beBrief) => {
                await beBrief();
                await work(tx);
              },
              patience,
            ),
        });
        await recordStep(db, migration, step.name, now());
      }
      await record(db, migration, now());
      versions.push(migration.version);
    }
    return versions;
  });
  if (applied === null) {
    throw new SchemaError('Another svc-server migrate --finish runs on this database: wait until it ends.');
  }
  return applied;
}

function pendingSteps(migration: FinishMigration, doneSteps: ReadonlySet<string>): readonly FinishStep[] {
  return migration.steps.filter(({ name }) => !doneSteps.has(`${migration.version} ${name}`));
}

/** What an earlier release calls all its connections. */
const NAME_WITHOUT_SCHEMA = 'svc-server';
/** The newest schema of the releases that called themselves so. */
const SCHEMA_WITHOUT_NAME = 22;

/** Returns the `application_name` by which other processes see which schema this one knows. */
export function connectionName(): string {
  return `${NAME_WITHOUT_SCHEMA} (schema ${knownSchema()})`;
}

export interface OlderProcess {
  /** The newest schema version that it knows. */
  schema: number;
  /** Address of its connections; null when they come through a socket file. */
  address: string | null;
  connections: number;
}

/** Returns the connected processes that know no schema from this version on, of all machines. */
export async function listOlderProcesses(db: Db, version: number): Promise<OlderProcess[]> {
  const { rows } = await db.query<OlderProcess>(
    `select schema, address, count(*) as connections
      from pg_stat_activity
        cross join lateral (select host(client_addr) as address,
          coalesce(substring(application_name from '[(]schema (\\d+)[)]$')::integer, $2) as schema) as named
      where datname = current_database() and schema < $1
        and (application_name = '${NAME_WITHOUT_SCHEMA}' or application_name like '${NAME_WITHOUT_SCHEMA} (schema %')
      group by schema, address order by schema, address`,
    [version, SCHEMA_WITHOUT_NAME],
  );
  return rows;
}

async function assertNoOlderProcess(db: Database, version: number): Promise<void> {
  const older = await listOlderProcesses(db, version);
  if (older.length === 0) return;
  const places = older.map(({ address, connections }) => `${address ?? 'this machine'} (${connections} connections)`);
  throw new SchemaError(
    `Processes of an earlier release are connected from ${places.join(', ')}: stop them first. If they are gone and a pooler keeps their connections, repeat with --force.`,
  );
}

/** The schema does not match this release; the message says what to do. */
export class SchemaError extends Error {
  override readonly name = 'SchemaError';
}

export interface SchemaState {
  /** Version of the newest applied migration; 0 without any. */
  newest: number;
  /** Version of the newest migration of this release. */
  known: number;
  /** Migrations of this release that are not applied. */
  missing: readonly Migration[];
  /** The steps of finish migrations that are done, as `<version> <step>`. */
  doneSteps: ReadonlySet<string>;
  /** The newest schema that a program must at least know to work with this one; null before a release that stores it. */
  oldestProgram: number | null;
}

/** Reads the state without changing anything. */
export async function readSchemaState(db: Db): Promise<SchemaState> {
  const known = knownSchema();
  const { rows: tables } = await db.query<{ exists: boolean }>(
    `select to_regclass('schema_migrations') is not null as exists`,
  );
  if (!tables[0]?.exists) return { newest: 0, known, missing: migrations, doneSteps: new Set(), oldestProgram: null };
  const { done, ...others } = await readDone(db);
  const missing = migrations.filter(({ version }) => !done.has(version));
  return { newest: Math.max(0, ...done), known, missing, ...others };
}

/** @throws SchemaError when a start migration of this release is missing, or a newer release has changed too much */
export async function assertSchemaCurrent(db: Db): Promise<void> {
  const state = await readSchemaState(db);
  const { missing } = state;
  assertWorksWith(state);
  const needed = missing.filter((migration) => !isFinish(migration));
  if (needed.length === 0) return;
  const names = needed.map(({ version, name }) => `${version} ${name}`).join(', ');
  throw new SchemaError(`The database lacks migrations of this release (${names}): run svc-server migrate first.`);
}

/** Returns the version of the newest migration of this release. */
export function knownSchema(): number {
  return Math.max(...migrations.map(({ version }) => version));
}

/** Whether a newer release has migrated the database, but so far only as this one tolerates. */
export function isTolerated({ newest, oldestProgram }: Pick<SchemaState, 'newest' | 'oldestProgram'>): boolean {
  const known = knownSchema();
  return newest > known && oldestProgram !== null && oldestProgram <= known;
}

/** Returns whether this release upgrades a database whose newest migration this is; 0 stands for a new database. */
export function isUpgraded(newest: number): boolean {
  return newest === 0 || newest >= FOLDED_SCHEMA || UPGRADED_SCHEMAS.includes(newest);
}

/** @throws SchemaError when the schema is too old to be upgraded by this release */
export function assertUpgraded(newest: number): void {
  if (!isUpgraded(newest)) {
    throw new SchemaError(
      `The database has schema version ${newest}, and this svc-server upgrades only ${UPGRADED_SCHEMAS.join(', ')}, ${FOLDED_SCHEMA} and newer ones: bring it to ${FOLDED_SCHEMA} first, with svc-server migrate of commit ${FOLDED_AFTER} (docs/upgrading.md).`,
    );
  }
}

function assertWorksWith(state: Pick<SchemaState, 'newest' | 'oldestProgram'>): void {
  assertUpgraded(state.newest);
  if (state.newest <= knownSchema() || isTolerated(state)) return;
  throw new SchemaError(`${describeNewer(state.newest)}: start the release that migrated it, or a newer one.`);
}

/** A commit that upgrades every database up to `FOLDED_SCHEMA`. */
const FOLDED_AFTER = 'da7e4172';

function describeNewer(newest: number): string {
  return `The database has schema version ${newest} and this svc-server knows only ${knownSchema()}`;
}

interface Done extends Pick<SchemaState, 'doneSteps' | 'oldestProgram'> {
  done: ReadonlySet<number>;
}

/** Waits for other migrating processes, and returns what they have done. */
async function lockSchema(tx: Db): Promise<Done> {
  await tx.query('select pg_advisory_xact_lock($1)', [MIGRATION_LOCK]);
  await tx.script(`create table if not exists schema_migrations (
      version integer primary key, name text not null, applied_at timestamptz(3) not null);
    create table if not exists migration_steps (
      version integer not null, step text not null, done_at timestamptz(3) not null, primary key (version, step))`);
  const state = await readDone(tx);
  assertWorksWith({ newest: Math.max(0, ...state.done), oldestProgram: state.oldestProgram });
  return state;
}

async function readDone(db: Db): Promise<Done> {
  const { rows } = await db.query<{ version: number; name: string }>('select version, name from schema_migrations');
  const done = new Set(rows.map(({ version }) => version));
  const { name, version } = installFunctions;
  // A newer release may have installed its own text instead, which must stay.
  if (rows.some((row) => row.name === name && row.version > version)) done.add(version);
  const { rows: tables } = await db.query<{ steps: boolean; programs: boolean }>(
    `select to_regclass('migration_steps') is not null as steps, to_regclass('schema_programs') is not null as programs`,
  );
  const { rows: steps } = tables[0]?.steps
    ? await db.query<{ step: string }>(`select version || ' ' || step as step from migration_steps`)
    : { rows: [] };
  const { rows: programs } = tables[0]?.programs
    ? await db.query<{ oldest: number }>('select oldest from schema_programs')
    : { rows: [] };
  return {
    done,
    doneSteps: new Set(steps.map(({ step }) => step)),
    oldestProgram: programs[0]?.oldest ?? null,
  };
}

async function recordStep(db: Db, { version }: Migration, step: string, now: Date): Promise<void> {
  await db.query('insert into migration_steps (version, step, done_at) values ($1, $2, $3) on conflict do nothing', [
    ...[version, step, now],
  ]);
}

async function record(db: Db, migration: Migration, now: Date): Promise<void> {
  const { version, name } = migration;
  await db.query('insert into schema_migrations (version, name, applied_at) values ($1, $2, $3)', [version, name, now]);
  const { rows } = await db.query<{ exists: boolean }>(`select to_regclass('schema_programs') is not null as exists`);
  // Schema 22.
  if (!rows[0]?.exists) return;
  // Releases that know no more than the folded migrations look for each of them, and would run them again.
  const oldestBefore = version <= FOLDED_SCHEMA ? FOLDED_SCHEMA + 1 : SCHEMA_OF_RELEASE_BEFORE;
  await db.query(
    `insert into schema_programs values (true, $1)
      on conflict (id) do update set oldest = greatest(schema_programs.oldest, excluded.oldest)`,
    [isFinish(migration) ? version : oldestBefore],
  );
}
