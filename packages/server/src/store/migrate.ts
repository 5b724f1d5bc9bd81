import type { Database } from './db.ts';
import { migrations } from './migrations/index.ts';

/** Two processes that start at once must not both migrate; the number only has to be this product's own. */
const MIGRATION_LOCK = 0x53_56_43_01;

/**
 * Brings the schema up to date, in one transaction under an advisory lock, so several processes may call it at once.
 *
 * @returns the versions that this call applied
 * @throws Error when a newer release has migrated the database
 */
export async function migrate(db: Database, now: Date): Promise<number[]> {
  return db.transaction(async (tx) => {
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
  });
}

function assertKnown(newest: number): void {
  const known = migrations.at(-1)?.version ?? 0;
  if (newest > known) {
    throw new Error(
      `The database has schema version ${newest} and this svc-server knows only ${known}: start the release that migrated it, or a newer one.`,
    );
  }
}
