/** Jobs that throw the same error again and again: they are set aside, and others do not wait behind them. */
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { performAdmin } from '@svc/operations/perform';
import { THROWS_MAX } from '@svc/engine/queue/failed-jobs';
import { backends } from '@svc/engine/test/backends';
import { startTestServer, type TestServer } from '../support/harness.ts';

const reply = JSON.parse(
  await readFile(new URL('../../../../fixtures/payloads/smartlead/email-reply.json', import.meta.url), 'utf8'),
);

describe.each(backends)('jobs that throw on $name', (backend) => {
  describe.skipIf(!backend.isAvailable)('again and again', () => {
    let server: TestServer;
    beforeAll(async () => {
      server = await startTestServer(backend);
    });
    afterAll(async () => {
      await server.close();
    });
    beforeEach(async () => {
      await server.db.script('delete from set_aside_jobs; delete from jobs; delete from crm_outages');
      server.crm.reset();
    });

    let posted = 0;
    /** Posts a reply of a lead and returns the id of its event. */
    async function receive(lead: string): Promise<number> {
      posted += 1;
      const body = { ...reply, stats_id: `set-aside-${posted}`, sl_lead_email: lead };
      expect((await server.post('/webhooks/demo-smartlead', body)).status).toBe(200);
      await server.running.runner.runDue();
      const { rows } = await server.db.query<{ id: number }>('select max(id) as id from inbound_events');
      return rows[0]?.id ?? 0;
    }
    /** Makes the stored event one that no release can read. */
    const spoil = (id: number) =>
      server.db.query(`update inbound_events set normalized = normalized - 'contact' where id = $1`, [id]);
    const repair = (id: number) =>
      server.db.query(
        `update inbound_events set normalized = normalized || jsonb_build_object('contact', '${JSON.stringify({
          ...{ email: null, profileUrl: null, firstName: null, lastName: null },
          ...{ companyName: null, companyDomain: null, jobTitle: null, phone: null },
        })}'::jsonb || jsonb_build_object('email', to_email)) where id = $1`,
        [id],
      );
    async function runFor(minutes: number): Promise<void> {
      for (let minute = 0; minute < minutes; minute += 1) {
        await server.running.runner.runDue();
        server.clock.advance(60_000);
      }
    }
    const syncsOf = async (eventId: number) =>
      (
        await server.db.query<{ status: string; error: { code: string; message: string } | null; retries: boolean }>(
          `select status, error, retry_of_sync_id is not null as retries from syncs where inbound_event_id = $1 order by id`,
          [eventId],
        )
      ).rows;
    const waitingJobs = async () =>
      (await server.db.query(`select from jobs where kind in ('write-crm', 'probe-crm')`)).rowCount;
    const admin = (name: 'jobs/list' | 'jobs/retry' | 'doctor/check') =>
      performAdmin(server.running.ctx, name, {}, 'tester') as Promise<Record<string, unknown>>;
    const failedChecks = async () => {
      const { checks } = await admin('doctor/check');
      return (checks as { name: string }[]).filter(({ name }) => name === 'jobs set aside');
    };

    test('an event becomes an error sync, newer events of its contact are written, and it can be retried', async () => {
      server.crm.failNext(1, 503);
      const spoilt = await receive('lead@example.org');
      await spoil(spoilt);
      const newer = await receive('lead@example.org');
      const other = await receive('other@example.org');
      await runFor(40);

      expect(await syncsOf(spoilt)).toEqual([
        {
          status: 'error',
          error: expect.objectContaining({ code: 'internal_error', message: expect.stringContaining('operator') }),
          retries: false,
        },
      ]);
      for (const id of [newer, other]) expect(await syncsOf(id)).toMatchObject([{ status: 'success' }]);
      expect(await waitingJobs()).toBe(0);
      expect(await admin('jobs/list')).toMatchObject({
        jobs: [
          // The mail of the source's reply relay.
          { kind: 'relay-reply', error: expect.stringContaining('contact') },
          { kind: 'write-crm', ref: String(spoilt), error: expect.stringContaining('contact') },
        ],
      });
      expect(await failedChecks()).toMatchObject([
        { status: 'FAIL', message: expect.stringContaining('1 job relay-reply') },
        {
          status: 'FAIL',
          message: expect.stringContaining('1 job write-crm'),
          fix: expect.stringContaining('svc-server jobs retry'),
        },
      ]);
      expect(await (await fetch(`${server.url}/metrics`)).text()).toContain('svc_set_aside_jobs{kind="write-crm"} 1\n');

      await repair(spoilt);
      expect(await admin('jobs/retry')).toEqual({ retried: 2 });
      await runFor(1);
      expect((await syncsOf(spoilt)).at(-1)).toEqual({ status: 'success', error: null, retries: true });
      expect(await failedChecks()).toEqual([]);
      expect(await admin('jobs/retry')).toEqual({ retried: 0 });
    });

    test('an event that throws does not prolong an outage of its CRM', async () => {
      server.crm.failNext(1_000, 503);
      const spoilt = await receive('one@example.org');
      const waiting = await receive('two@example.org');
      await runFor(3);
      expect((await server.db.query('select from crm_outages where is_confirmed')).rowCount).toBe(1);
      await spoil(spoilt);
      server.crm.reset();
      await runFor(60);
      expect((await syncsOf(waiting)).at(-1)).toMatchObject({ status: 'success' });
      expect((await syncsOf(spoilt)).at(-1)).toMatchObject({ status: 'error', error: { code: 'internal_error' } });
      expect(await waitingJobs()).toBe(0);
    });

    test('a passing failure of the database is never counted', async () => {
      const { clock, db, running } = server;
      server.crm.failNext(1, 503);
      const id = await receive('late@example.org');
      // Another session's lock: the statement that reads the event is cancelled.
      await db.script(`create function refuse() returns trigger language plpgsql as $$
        begin raise exception 'deadlock detected' using errcode = '40P01'; end $$;
        create trigger refuse before insert on syncs for each row execute function refuse()`);
      for (let nth = 0; nth < THROWS_MAX + 3; nth += 1) {
        clock.advance(3_600_000 / 2);
        await running.runner.runDue();
      }
      await db.script('drop trigger refuse on syncs; drop function refuse()');
      expect(await admin('jobs/list')).toEqual({ jobs: [] });
      await runFor(120);
      expect(await syncsOf(id)).toMatchObject([{ status: 'success' }]);
    });

    test('a receipt that cannot be processed keeps its payload, and is processed by the retry', async () => {
      const { clock, db, running } = server;
      await db.script(`create function refuse() returns trigger language plpgsql as $$
        begin raise exception 'no such thing' using errcode = 'P0001'; end $$;
        create trigger refuse before insert on inbound_events for each row execute function refuse()`);
      const body = { ...reply, stats_id: 'set-aside-receipt', sl_lead_email: 'receipt@example.org' };
      const answer = await server.post('/webhooks/demo-smartlead', body);
      for (let nth = 0; nth < THROWS_MAX; nth += 1) {
        await running.runner.runDue();
        clock.advance(600_000);
      }
      await db.script('drop trigger refuse on inbound_events; drop function refuse()');
      const receipt = async () =>
        (
          await db.query(
            'select outcome, outcome_reason as reason, body is not null as "hasBody" from requests where id = $1',
            [answer.json.requestId],
          )
        ).rows;
      expect(await receipt()).toEqual([
        { outcome: 'unparsed', reason: expect.stringContaining('An error of this service'), hasBody: true },
      ]);
      expect(await admin('jobs/retry')).toEqual({ retried: 1 });
      await runFor(1);
      expect(await receipt()).toMatchObject([{ outcome: 'synced' }]);
    });
  });
});
