import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { backends } from '../../test/support/backends.ts';
import { createManualClock } from '../runtime/clock.ts';
import type { Database } from './database/db.ts';
import { startMaintenance } from './maintenance.ts';

const log = pino({ level: 'silent' });
let db: Database;
beforeAll(async () => {
  const [pglite] = backends;
  if (pglite?.name !== 'pglite') throw new Error('the embedded backend comes first');
  db = await pglite.open();
});
afterAll(async () => {
  await db.close();
});

const jobsBytes = async () =>
  (await db.query<{ bytes: number }>(`select pg_table_size('jobs') as bytes`)).rows[0]?.bytes ?? 0;
const addAndFinishJobs = async () => {
  await db.query(`insert into jobs (kind, ref, fairness_key, due_at, created_at)
    select 'work', i::text, 'k', '2026-01-01', '2026-01-01' from generate_series(1, 5000) i`);
  await db.query('delete from jobs');
};

test('keeps the embedded queue from growing with finished jobs', async () => {
  const clock = createManualClock(new Date('2026-03-01T12:00:00.000Z'));
  const maintenance = startMaintenance({ db, clock, log });
  await addAndFinishJobs();
  const grown = await jobsBytes();
  clock.advance(60_000);
  await maintenance.stop();
  expect(await jobsBytes()).toBeLessThan(grown / 2);
});

test('lets the embedded database forget log that it has applied', async () => {
  const clock = createManualClock(new Date('2026-03-01T12:00:00.000Z'));
  const maintenance = startMaintenance({ db, clock, log });
  const keptBytes = async () =>
    (
      await db.query<{ bytes: number }>(
        'select (pg_current_wal_lsn() - redo_lsn)::float as bytes from pg_control_checkpoint()',
      )
    ).rows[0]?.bytes ?? 0;
  await addAndFinishJobs();
  const grown = await keptBytes();
  clock.advance(60_000);
  await maintenance.stop();
  expect(grown).toBeGreaterThan(1_000_000);
  expect(await keptBytes()).toBeLessThan(grown / 2);
});

test('does not vacuum PostgreSQL, which has autovacuum', async () => {
  const clock = createManualClock(new Date('2026-03-01T12:00:00.000Z'));
  const statements: string[] = [];
  const query: Database['query'] = (statement, values) => {
    statements.push(typeof statement === 'string' ? statement : statement.text);
    return db.query(statement, values);
  };
  const maintenance = startMaintenance({ db: { ...db, backend: 'postgres', query }, clock, log });
  clock.advance(60_000);
  await maintenance.stop();
  expect(statements.slice(0, 4)).toEqual([
    expect.stringContaining('delete from rate_windows'),
    expect.stringContaining('delete from oauth_consents'),
    expect.stringContaining('delete from crm_records'),
    expect.stringContaining('delete from inbound_refusals'),
  ]);
  expect(statements.filter((text) => text.includes('vacuum'))).toEqual([]);
});
