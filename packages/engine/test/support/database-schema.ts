/** What a database consists of, apart from its rows, in a form that can be compared. */
import { execFileSync } from 'node:child_process';
import { delimiter } from 'node:path';
import { inject } from 'vitest';
import { findPostgresBinaries } from '../../../../scripts/vitest/postgres-cluster.ts';
import type { Db } from '../../src/store/database/db.ts';

/**
 * Everything in the schema `public`, with the place of each column in its table. Without the constraints `not null`, which PostgreSQL 18 names after the
 * table as it was called when they were made: the columns say the same.
 */
const PARTS = `
  with relations as (
    select oid, oid::regclass::text as name, relkind, relpersistence, relpartbound from pg_class
    where relnamespace = 'public'::regnamespace and relkind in ('r', 'p', 'S')
  )
  select 'relation ' || name as part, concat_ws(' ', relkind, relpersistence, pg_get_partkeydef(oid), pg_get_expr(relpartbound, oid)) as definition
  from relations
  union all
  select format('column %s.%s', r.name, a.attname), concat_ws(' ', row_number() over (partition by r.oid order by a.attnum),
    format_type(a.atttypid, a.atttypmod), a.attcollation::regcollation, a.attnotnull, a.attidentity, a.attgenerated, pg_get_expr(d.adbin, d.adrelid))
  from relations r join pg_attribute a on a.attrelid = r.oid left join pg_attrdef d on d.adrelid = r.oid and d.adnum = a.attnum
  where r.relkind <> 'S' and a.attnum > 0 and not a.attisdropped
  union all
  select format('constraint %s.%s', r.name, c.conname), concat_ws(' ', pg_get_constraintdef(c.oid), c.convalidated)
  from relations r join pg_constraint c on c.conrelid = r.oid where c.contype <> 'n'
  union all
  select 'index ' || i.indexrelid::regclass, concat_ws(' ', pg_get_indexdef(i.indexrelid), i.indisvalid, (
    select inhparent::regclass from pg_inherits where inhrelid = i.indexrelid))
  from relations r join pg_index i on i.indrelid = r.oid
  union all
  select format('trigger %s.%s', r.name, t.tgname), pg_get_triggerdef(t.oid)
  from relations r join pg_trigger t on t.tgrelid = r.oid where not t.tgisinternal
  union all
  select 'function ' || oid::regprocedure, pg_get_functiondef(oid) from pg_proc where pronamespace = 'public'::regnamespace
  order by part`;

/** Reads the catalogue of any database, also of the embedded one. */
export async function readSchema(db: Db): Promise<Record<string, string>> {
  const { rows } = await db.query<{ part: string; definition: string }>(PARTS);
  return Object.fromEntries(rows.map(({ part, definition }) => [part, definition]));
}

/**
 * Returns what the machine's `pg_dump` writes about a PostgreSQL database of the tests, without its rows; null on a machine without
 * PostgreSQL, whose tests use a server elsewhere.
 */
export async function dumpSchema(db: Db): Promise<string | null> {
  const binaries = findPostgresBinaries();
  if (binaries === null) return null;
  const { rows } = await db.query<{ name: string }>('select current_database() as name');
  const url = new URL(inject('databaseUrl') ?? '');
  url.pathname = `/${rows[0]?.name}`;
  const args = ['--schema-only', '--no-owner', '--no-privileges', url.href];
  const env = { ...process.env, PATH: `${process.env['PATH']}${delimiter}${binaries}` };
  // Newer releases of pg_dump write a random word.
  return execFileSync('pg_dump', args, { encoding: 'utf8', env }).replace(/^\\(un)?restrict .*$/gm, '');
}
