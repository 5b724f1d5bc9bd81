import type { Database, Db } from '../database/db.ts';
import { type Migration, migrations } from './index.ts';

/** Prevents two starting processes from migrating at once; any number unique to this product works. */
const MIGRATION_LOCK = 0x53_56_43_01;

/**
 * Migrates the schema in one transaction under an advisory lock, so several processes may call it at once.
 *
 * @returns the versions that this call applied
 * @throws SchemaError when a newer release has migrated the database
 */
export async function migrate(db: Database, now: Date): Promise<number[]> {
  const apply = async (tx: Db): Promise<number[]> => {
    await tx.query('select pg_advisory_xact_lock($1)', [MIGRATION_LOCK]);
    await tx.script(`create table if not exists schema_migrations (
      version integer primary key, name text not null, applied_at timestamptz(3) not null)`);
    const { rows } = await tx.query<{ version: number }>('select version from schema_migrations');
    const done = new Set(rows.map((row) => row.version));
    assertKnown(Math.max(0, ...done));
    const pending = migrations.filter((migration) => !done.has(migration.version));
    for (const migration of pending) {
      await tx.script(migration.sql);
      await tx.query('insert into schema_migrations (version, name, applied_at) values ($1, $2, $3)', [
        migration.version,
        migration.name,
        now,
      ]);
    }
    return pending.map((migration) => migration.version);
  };
  // Another process may be migrating, and a migration may rewrite a large table.
  return db.transaction(apply, { isLong: true });
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
}

/** Reads the state without changing anything. */
export async function readSchemaState(db: Db): Promise<SchemaState> {
  const { rows: tables } = await db.query<{ exists: boolean }>(
    `select to_regclass('schema_migrations') is not null as exists`,
  );
  const known = migrations.at(-1)?.version ?? 0;
  if (!tables[0]?.exists) return { newest: 0, known, missing: migrations };
  const { rows } = await db.query<{ version: number }>('select version from schema_migrations');
  const done = new Set(rows.map((row) => row.version));
  return { newest: Math.max(0, ...done), known, missing: migrations.filter(({ version }) => !done.has(version)) };
}

/** @throws SchemaError when a migration of this release is missing, or a newer release has migrated the database */
export async function assertSchemaCurrent(db: Db): Promise<void> {
  const { newest, missing } = await readSchemaState(db);
  assertKnown(newest);
  if (missing.length === 0) return;
  const names = missing.map(({ version, name }) => `${version} ${name}`).join(', ');
  throw new SchemaError(`The database lacks migrations of this release (${names}): run svc-server migrate first.`);
}

function assertKnown(newest: number): void {
  const known = migrations.at(-1)?.version ?? 0;
  if (newest > known) {
    throw new SchemaError(
      `The database has schema version ${newest} and this svc-server knows only ${known}: start the release that migrated it, or a newer one.`,
    );
  }
}
