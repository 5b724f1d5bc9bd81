/** What `svc-server migrate --plan` prints. */
import type { Database } from '../database/db.ts';
import { isFinish } from './migration.ts';
import { assertUpgraded, listOlderProcesses, readSchemaState } from './migrate.ts';

/**
 * Returns the lines of the plan. Changes nothing.
 *
 * @throws SchemaError when the schema is too old to be upgraded by this release
 */
export async function describePlan(db: Database): Promise<string[]> {
  const { newest, known, missing, doneSteps } = await readSchemaState(db);
  assertUpgraded(newest);
  if (newest > known) return [`The database has schema version ${newest} and this svc-server knows only ${known}.`];
  if (missing.length === 0) return [`Nothing to do: the database has schema version ${known}, and no step waits.`];
  const isAtOnce = db.backend === 'pglite' || newest === 0;
  const lines = [`The database has schema version ${newest}; this svc-server knows ${known}.`];
  const starts = missing.filter((migration) => !isFinish(migration));
  if (starts.length > 0) {
    lines.push(
      '',
      'At the start of a server or by svc-server migrate, while servers of the release before go on;',
      'each locks its tables for a moment, and gives way after half a second when they are in use:',
      ...starts.map(({ version, name }) => `  ${version} ${name}`),
    );
  }
  const finishes = missing.filter(isFinish);
  if (finishes.length === 0) return lines;
  lines.push(
    '',
    isAtOnce
      ? 'In the same transaction, because nobody else uses the database:'
      : 'By svc-server migrate --finish, once no server of an earlier release runs:',
  );
  for (const { version, name, steps } of finishes) {
    lines.push(`  ${version} ${name}`);
    for (const step of steps) {
      const isDone = doneSteps.has(`${version} ${step.name}`);
      const size = isDone ? 'done' : await describeSize(db, step.table);
      lines.push(`    ${step.name}: ${step.does} (${size})`);
    }
  }
  if (isAtOnce) return lines;
  const oldestAllowed = Math.max(...finishes.map(({ version }) => version));
  for (const { address, connections } of await listOlderProcesses(db, oldestAllowed)) {
    lines.push('', `Servers of an earlier release are connected from ${address ?? 'this machine'} (${connections}).`);
  }
  return lines;
}

/** The planner's estimate of the rows, and the size on disk with indexes. */
async function describeSize(db: Database, table: string): Promise<string> {
  const { rows } = await db.query<{ rows: number; size: string }>(
    `select coalesce(sum(greatest(c.reltuples, 0)), 0)::bigint as rows,
        coalesce(pg_size_pretty(sum(pg_total_relation_size(c.oid))), '0 bytes') as size
      from pg_class c where c.oid = to_regclass($1)
        or c.oid in (select inhrelid from pg_inherits where inhparent = to_regclass($1))`,
    [table],
  );
  const [row] = rows;
  return row ? `about ${row.rows.toLocaleString('en')} rows, ${row.size}` : 'no table yet';
}
