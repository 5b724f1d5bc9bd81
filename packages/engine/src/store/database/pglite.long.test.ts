/** New data directories come from the prepared database, and are what they would be without it. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { PGlite } from '@electric-sql/pglite';
import { expect, onTestFinished, test } from 'vitest';
import { packTemplate } from '../../../scripts/pack-template.ts';
import { readSchema } from '../../../test/support/database-schema.ts';
import { migrate } from '../migrations/migrate.ts';
import { createPglite, wrapPglite } from './pglite.ts';

/** Everything that an installation could notice: settings (those of PL/pgSQL are known once it was used), databases, roles, tables and functions, and all rows. */
async function describe(opened: PGlite) {
  const db = wrapPglite(opened);
  const applied = await migrate(db, new Date());
  // Both were migrated when they were created.
  await db.script(`update schema_migrations set applied_at = 'epoch'; update migration_steps set done_at = 'epoch'`);
  const readRows = async (sql: string) => (await db.query(sql)).rows;
  const { rows: tables } = await db.query<{ name: string }>(
    `select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r' order by 1`,
  );
  const rows: Record<string, unknown> = {};
  for (const { name } of tables) rows[name] = await readRows(`select * from ${name}`);
  const content = {
    schema: await readSchema(db),
    settings: await readRows(
      `select name, setting from pg_settings where name <> 'data_directory' and name not like 'plpgsql.%' order by 1`,
    ),
    databases: await readRows('select datname, datcollate, datctype, encoding from pg_database order by 1'),
    roles: await readRows('select rolname, rolsuper from pg_roles order by 1'),
    rows,
  };
  await db.close();
  return { applied, content };
}

test('a folder from the prepared database equals one that was made step by step, as it is when the prepared one does not fit', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'svc-template-test-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const fileOf = (name: string) => pathToFileURL(path.join(folder, name));
  await mkdir(path.join(folder, 'other'));
  await writeFile(path.join(folder, 'other', 'PG_VERSION'), '12\n');
  await packTemplate(path.join(folder, 'other'), fileOf('other.tar.zst'));

  const stepwise = await describe(await createPglite(path.join(folder, 'stepwise'), fileOf('other.tar.zst')));
  expect(stepwise.applied.length).toBeGreaterThan(0);
  expect(Object.keys(stepwise.content.schema).length).toBeGreaterThan(500);

  await packTemplate(path.join(folder, 'stepwise'), fileOf('template.tar.zst'));
  const prepared = await describe(await createPglite(path.join(folder, 'prepared'), fileOf('template.tar.zst')));
  expect(prepared).toEqual({ applied: [], content: stepwise.content });
});
