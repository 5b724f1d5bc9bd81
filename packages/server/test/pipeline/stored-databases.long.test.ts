/**
 * Databases that earlier releases left when they were killed at work (`fixtures/stored-databases`): after an update every post is read,
 * every event is written, forwarded and mailed, and no job is set aside. Their schema is then that of a new database.
 */
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { writeGrant } from '@svc/engine/crm/grants';
import { finishMigrating, migrate } from '@svc/engine/store/migrations/migrate';
import type { Database } from '@svc/engine/store/database/db';
import { backends } from '@svc/engine/test/backends';
import { isWaitingSql } from '@svc/engine/store/receipts';
import { readSchema } from '@svc/engine/test/database-schema';
import { NOW, startTestServer, type TestServer } from '../support/harness.ts';
import { listStoredDatabases, openStoredDatabase, STORED_SECRETS } from '@svc/engine/test/stored-databases';

/** Longer than the waits of all retries. */
const HOURS = 40;

describe.each(backends.filter(({ isAvailable }) => isAvailable))('on $name', (backend) => {
  describe.each(listStoredDatabases())('the database of %s', (name) => {
    let db: Database;
    let server: TestServer;
    /** Kinds of jobs that waited in it. */
    let kinds: string[];
    /** As the update left it. */
    let schema: Record<string, string>;
    beforeAll(async () => {
      db = await openStoredDatabase(backend, name);
      schema = await readSchema(db);
      const { rows } = await db.query<{ kind: string; last: Date }>(
        `select kind, (select max(created_at) from requests) as last from jobs group by kind order by kind`,
      );
      kinds = rows.map(({ kind }) => kind);
      server = await startTestServer({ ...backend, open: async () => db }, { secrets: STORED_SECRETS });
      // What had ended before the update stays as it was.
      await db.query(
        `create table ended_before as select e.id from inbound_events e
          where exists (select from syncs where inbound_event_id = e.id)
            and not exists (select from jobs where kind = 'write-crm' and ref = e.id::text)`,
      );
      // The first releases could not write to Salesforce, so their worlds have no real grant for it.
      const grant = writeGrant({ type: 'private', accessToken: 'demo-salesforce-token' });
      await db.query(`update connections set crm_token = $1 where id = 2`, [
        STORED_SECRETS.encrypt(grant, { kind: 'CRM token', id: 2 }),
      ]);
      server.clock.advance((rows[0]?.last.getTime() ?? 0) - NOW.getTime());
    }, 600_000);
    afterAll(() => server.close());

    // On PostgreSQL, the last steps of the migration wait; `same-schema.test.ts` runs them and compares.
    test.skipIf(backend.name === 'postgres')('has the schema of a new database', async () => {
      const fresh = await backend.openBlank();
      onTestFinished(() => fresh.close());
      await migrate(fresh, NOW);
      expect(schema).toEqual(await readSchema(fresh));
    });

    test('is drained', async () => {
      expect(kinds).toEqual(expect.arrayContaining(['forward-event', 'process-receipt', 'write-crm']));
      for (let minute = 0; minute < HOURS * 60; minute += 10) {
        await server.running.runner.runDue();
        server.clock.advance(10 * 60_000);
      }
      expect((await db.query('select kind, ref, error from set_aside_jobs')).rows).toEqual([]);
      const { rows: left } = await db.query(
        `select kind, ref, last_error from jobs where kind not in ('top-up-blocklist')`,
      );
      expect(left).toEqual([]);
      const { rows: unread } = await db.query(`select id from requests where ${isWaitingSql('requests')}`);
      expect(unread).toEqual([]);
      const { rows: unwritten } = await db.query(
        `select c.crm, e.platform, e.event_type, s.status, s.error, count(*)
           from inbound_events e join connections c on c.id = e.connection_id
           left join lateral (select status, error from syncs where inbound_event_id = e.id order by id desc limit 1) s on true
          where e.id not in (select id from ended_before) and c.capability_sync and c.crm_token is not null and s.status is distinct from 'success'
          group by 1, 2, 3, 4, 5`,
      );
      expect(unwritten).toEqual([]);
      // The last steps of the migration wait until no server of an earlier release is left.
      await finishMigrating(db, () => server.clock.now(), { isForced: true });
      expect((await server.get('getAccountStatus', '/api/v1/account/status')).status).toBe(200);
    });
  });
});
