import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Database } from './db.ts';
import { openPglite } from './pglite.ts';

let dir: string;
let db: Database;
const begunAt = new Date();
beforeAll(async () => {
  dir = await mkdtemp(path.join(os.tmpdir(), 'svc pglite '));
  db = await openPglite(dir);
});
afterAll(async () => {
  await db.close();
  await rm(dir, { recursive: true });
});

test('a new database was migrated now, however old this release is', async () => {
  const { rows } = await db.query<{ at: Date }>('select min(applied_at) as at from schema_migrations');
  expect(rows[0]?.at.getTime()).toBeGreaterThanOrEqual(begunAt.getTime());
});

test('a start of the embedded database runs no statement but those that clear the session', async () => {
  await db.close();
  db = await openPglite(dir);
  const { rows } = await db.query(`select virtualtransaction from pg_locks where locktype = 'virtualxid'`);
  // The transactions before it: PostgreSQL's own when it starts, and the two of the session.
  expect(rows).toEqual([{ virtualtransaction: '0/4' }]);
});
