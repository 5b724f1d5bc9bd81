/**
 * Events that earlier releases stored (`fixtures/stored-rows`) wait with their jobs, in every state that those releases left jobs in. After
 * an update they are written to each CRM, forwarded and mailed, and none is set aside.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Grant, writeGrant } from '@svc/engine/crm/grants';
import { anyBackend } from '@svc/engine/test/backends';
import { startTestServer, type TestServer } from '../support/harness.ts';
import { listStoredReleases, readStoredRows } from '@svc/engine/test/stored-rows';

const CRMS = [
  { crm: 'HUBSPOT', connectionId: 1, sourceId: 1 },
  { crm: 'SALESFORCE', connectionId: 2, sourceId: 5 },
  { crm: 'PIPEDRIVE', connectionId: 3, sourceId: 7 },
] as const;

/** States of `write-crm` jobs: new; tried a moment ago; with an error row, waiting for the next hour. */
const JOB_STATES = (nowMs: number) => [
  {},
  { tries: 2, firstFailureMs: nowMs - 10_000 },
  { tries: 8, firstFailureMs: nowMs - 3_600_000, isWaitTold: true },
];

describe.each(listStoredReleases())('events that %s stored', (release) => {
  describe.each(CRMS)('are written to $crm', ({ crm, connectionId, sourceId }) => {
    let server: TestServer;
    beforeAll(async () => {
      server = await startTestServer(anyBackend);
    });
    afterAll(async () => {
      await server.close();
    });

    test('with every kind of job that waited for them', async () => {
      const { db, clock, running } = server;
      const now = clock.now();
      const grant: Grant = { type: 'private', accessToken: `demo-${crm.toLowerCase()}-token` };
      const token = running.ctx.secrets.encrypt(writeGrant(grant), { kind: 'CRM token', id: connectionId });
      await db.query('delete from jobs');
      await db.query(
        `update connections set crm_token = $2, capability_sync = true, capability_destinations = true, crm_parked_until = null
          where id = $1`,
        [connectionId, token],
      );
      const rows = readStoredRows(release);
      const { rows: events } = await db.query<{ id: number }>(
        `with rows as (
            select (row_number() over ())::int as nth, row from jsonb_array_elements($1::jsonb) as row
          ), receipts as (
            insert into requests (id, account_id, connection_id, source_id, path, outcome, headers, body, created_at)
            select 900000 + nth, 1, $2, $3, 'stored', 'synced', '{}', '{}', $4 from rows
          )
          insert into inbound_events (request_id, source_id, connection_id, event_key, event_type, to_email, platform,
            normalized, created_at)
          select 900000 + nth, $3, $2, 'stored-' || nth, row #>> '{event,eventType}', row #>> '{event,toEmail}',
            row ->> 'platform', row -> 'event', $4
          from rows order by nth returning id`,
        [JSON.stringify(rows), connectionId, sourceId, now],
      );
      expect(events.length).toBe(rows.length);
      const states = JOB_STATES(now.getTime());
      for (const [index, { id }] of events.entries()) {
        await db.query(
          `insert into jobs (kind, ref, fairness_key, due_at, is_ready, state, created_at)
            values ('write-crm', $1, 'connection:' || $2::bigint, $3, true, $4, $3),
              ('forward-event', $1 || '/1', 'account:1/destination:1', $3, true, '{}', $3)`,
          [String(id), connectionId, now, states[index % states.length]],
        );
        await db.query(
          `with mail as (
              insert into relay_mails (account_id, connection_id, relay_id, event_id, status, received_at, due_at,
                next_attempt_at, created_at)
              values (1, $2, 1, $1, 'waiting', $3, $3, $3, $3) returning id
            )
            insert into jobs (kind, ref, fairness_key, due_at, is_ready, created_at)
            select 'relay-reply', id::text, 'account:1/relay:1', $3, true, $3 from mail`,
          [id, connectionId, now],
        );
      }
      for (let minute = 0; minute < 90; minute += 1) {
        await running.runner.runDue();
        clock.advance(60_000);
      }

      expect((await db.query('select kind, ref, error from set_aside_jobs')).rows).toEqual([]);
      const kinds = ['write-crm', 'forward-event', 'relay-reply'];
      expect((await db.query('select kind, ref, last_error from jobs where kind = any($1)', [kinds])).rows).toEqual([]);
      const { rows: unwritten } = await db.query(
        `select e.id, e.normalized, s.status, s.error from inbound_events e
            left join lateral (select status, error from syncs where inbound_event_id = e.id order by id desc limit 1) s on true
          where e.event_key like 'stored-%' and s.status is distinct from 'success'`,
      );
      expect(unwritten).toEqual([]);
      const { rows: mails } = await db.query(`select from relay_mails where ended_at is null`);
      expect(mails).toEqual([]);
    });
  });
});
