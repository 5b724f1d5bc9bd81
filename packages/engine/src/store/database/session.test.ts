/** Announcements and notifications of a process, on a direct connection and through a connection pooler. */
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { createTestDatabase } from '../../../../../scripts/vitest/database.ts';
import { hasPgbouncer, type Pgbouncer, startPgbouncer } from '../../../test/support/pgbouncer.ts';
import { isAnnounced } from './session.ts';
import type { Database } from './db.ts';
import { openPostgres } from './postgres.ts';

const databaseUrl = inject('databaseUrl');
const LOCK = 4_711;

describe.skipIf(databaseUrl === null)('the session of a process', () => {
  const cleanUps: (() => Promise<unknown>)[] = [];
  let url: string;
  let other: Database;

  beforeAll(async () => {
    const database = await createTestDatabase(databaseUrl ?? '');
    cleanUps.push(() => database.drop());
    ({ url } = database);
    other = openPostgres(url, { maxConnections: 2 });
    cleanUps.push(() => other.close());
  });
  afterAll(async () => {
    for (const cleanUp of cleanUps.reverse()) await cleanUp();
  });

  /** Opens a database that shares the lock and collects what it hears. */
  async function open(at: string, directUrl?: string) {
    const heard: (string | null)[] = [];
    const warnings: string[] = [];
    const db = openPostgres(at, { name: 'session-test', directUrl, onPooler: () => warnings.push('pooler') });
    await db.announce(LOCK);
    await db.listen('test_channel', (payload) => heard.push(payload));
    return { db, heard, warnings };
  }
  const notify = (payload: string) => other.query('select pg_notify($1, $2)', ['test_channel', payload]);
  const isHeld = () => isAnnounced(other, LOCK);

  test('holds locks and hears notifications until it is closed, also after its connection broke', async () => {
    const { db, heard, warnings } = await open(url);
    await notify('one');
    await expect.poll(() => heard).toEqual(['one']);
    expect(await isHeld()).toBe(true);

    await other.query(`select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'session-test'`);
    // Something may have been missed.
    await expect.poll(() => heard).toEqual(['one', null]);
    expect(await isHeld()).toBe(true);
    await notify('two');
    await expect.poll(() => heard).toEqual(['one', null, 'two']);

    await db.close();
    expect(await isHeld()).toBe(false);
    expect(warnings).toEqual([]);
  });

  describe.skipIf(!hasPgbouncer)('behind pgbouncer in transaction mode', () => {
    let pgbouncer: Pgbouncer;
    beforeAll(async () => {
      pgbouncer = await startPgbouncer(url);
      cleanUps.push(() => pgbouncer.stop());
    });

    test('nothing is left behind in sessions that others use, and it says so once', async () => {
      const { db, warnings } = await open(pgbouncer.url);
      expect(warnings).toEqual(['pooler']);
      expect(await isHeld()).toBe(false);
      expect([await db.canAnnounce(), await other.canAnnounce()]).toEqual([false, true]);
      await db.close();
    });

    test('with a direct address, everything works', async () => {
      const { db, heard, warnings } = await open(pgbouncer.url, url);
      expect([await db.canAnnounce(), await isHeld()]).toEqual([true, true]);
      await notify('through');
      await expect.poll(() => heard).toEqual(['through']);
      expect(warnings).toEqual([]);
      await db.close();
      expect(await isHeld()).toBe(false);
    });

    test('named statements run in whichever session, also in transactions', async () => {
      const clients = [openPostgres(pgbouncer.url), openPostgres(pgbouncer.url)];
      const named = (value: number) =>
        [{ name: `named-${value % 3}`, text: `select $1::int + ${value % 3} as value` }, [value]] as const;
      const values = await Promise.all(
        Array.from({ length: 200 }, async (_, value) => {
          const db = clients[value % 2] ?? other;
          const run = value % 5 === 0 ? db.transaction((tx) => tx.query(...named(value))) : db.query(...named(value));
          return (await run).rows;
        }),
      );
      expect(values).toEqual(Array.from({ length: 200 }, (_, value) => [{ value: value + (value % 3) }]));
      for (const db of clients) await db.close();
    });
  });
});
