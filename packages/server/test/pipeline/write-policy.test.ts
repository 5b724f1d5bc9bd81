/** What the write policy of a source keeps from the CRM, and what becomes of it. */
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type AdminInput, performAdmin } from '@svc/operations/perform';
import { anyBackend } from '@svc/engine/test/backends';
import { startTestServer, type TestServer } from '../support/harness.ts';
import { postReply, settleWithin } from '../support/replies.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
type Policy = AdminInput<'sources/set-policy'>['policy'];

const open = JSON.parse(
  await readFile(new URL('../../../../fixtures/payloads/smartlead/email-open.json', import.meta.url), 'utf8'),
);

describe('write policies', () => {
  let server: TestServer;
  let sourceId = 0;
  beforeAll(async () => {
    server = await startTestServer(anyBackend);
    const { rows } = await server.db.query<{ id: number }>(`select id from sources where path = 'demo-smartlead'`);
    sourceId = rows[0]?.id ?? 0;
  });
  afterAll(async () => {
    await server.close();
  });
  beforeEach(async () => {
    await server.db.query('delete from jobs');
    await server.db.query('delete from category_signals');
    await setPolicy({});
    server.crm.reset();
    // Requests of other tests are not reprocessed.
    server.clock.advance(DAY_MS);
  });

  const perform = (name: 'sources/set-policy' | 'requests/reprocess' | 'requests/runs', input: object) =>
    performAdmin(server.running.ctx, name, input, 'a test');
  const setPolicy = (policy: Policy) => perform('sources/set-policy', { id: sourceId, policy });
  const postOpen = async (name: string, more: object = {}) => {
    const to = `${name}@example.org`;
    const body = { ...open, stats_id: `open of ${name}`, to_email: to, sl_lead_email: to, ...more };
    expect((await server.post('/webhooks/demo-smartlead', body)).status).toBe(200);
    await server.running.runner.runDue();
  };
  const reply = async (name: string) => {
    await postReply(server, name);
    await server.running.runner.runDue();
  };
  /** Waits as long, and returns what is due meanwhile. */
  const wait = (ms: number) => settleWithin(server, ms);
  const syncsOf = async (name: string) => {
    const { rows } = await server.db.query<{ id: number; row: string; retryOf: number | null }>(
      `select id, event_type || ' ' || status || coalesce(' ' || (error->>'code'), '') as row,
          retry_of_sync_id as "retryOf" from syncs where to_email = $1 order by id`,
      [`${name}@example.org`],
    );
    return rows;
  };
  const rowsOf = async (name: string) => (await syncsOf(name)).map(({ row }) => row);
  const reprocess = async () => {
    await perform('requests/reprocess', { sourceId, since: '20h' });
    await wait(60_000);
    const { rows } = await server.db.query<{ counts: { triedNow: number } }>(
      'select counts from receipt_runs order by id desc limit 1',
    );
    return rows[0]?.counts.triedNow;
  };

  test('an event of which nothing is written costs no call, has no sync, and ends', async () => {
    await setPolicy({ events: [{ when: { types: ['EMAIL_OPEN'] }, write: [] }] });
    await postOpen('left-out');
    expect(server.crm.requests()).toEqual([]);
    expect(await rowsOf('left-out')).toEqual([]);
    const { rows } = await server.db.query('select from jobs');
    expect(rows).toEqual([]);
    await reply('left-out');
    expect(await rowsOf('left-out')).toEqual(['EMAIL_REPLY success']);
  });

  test('requests reprocess writes what an earlier policy left out, once', async () => {
    await setPolicy({ events: [{ when: { types: ['EMAIL_OPEN'] }, write: [] }] });
    await postOpen('later');
    expect(await reprocess()).toBe(1);
    expect(await rowsOf('later')).toEqual([]);
    await setPolicy({});
    expect(await reprocess()).toBe(1);
    expect(await rowsOf('later')).toEqual(['EMAIL_OPEN success']);
    expect(await reprocess()).toBe(0);
    expect(server.crm.engagements()).toHaveLength(1);
  });

  test('without a contact the sync is one warning, which is no failure, and the event follows when the contact is there', async () => {
    await setPolicy({ create: 'on-reply' });
    await postOpen('stranger');
    expect(await rowsOf('stranger')).toEqual(['EMAIL_OPEN warning no_matching_contact']);
    expect(server.crm.contacts()).toEqual([]);
    await wait(2 * DAY_MS);
    expect(await rowsOf('stranger')).toHaveLength(1);
    const { rows: unhealthy } = await server.db.query(
      `select from sync_health where source_id = $1 and consecutive_failures > 0
        union all select from connections where recorded_error is not null and id = (select connection_id from sources where id = $1)
        union all select from crm_outages`,
      [sourceId],
    );
    expect(unhealthy).toEqual([]);
    // A later event of the contact does not wait for the earlier one.
    await reply('stranger');
    expect(await rowsOf('stranger')).toEqual(['EMAIL_OPEN warning no_matching_contact', 'EMAIL_REPLY success']);
    await wait(DAY_MS);
    const [warning, , written, ...others] = await syncsOf('stranger');
    expect(written).toMatchObject({ row: 'EMAIL_OPEN success', retryOf: warning?.id });
    expect(others).toEqual([]);
    const { rows } = await server.db.query('select from jobs');
    expect(rows).toEqual([]);
  });

  test('after 30 days without a contact nothing more is asked, and nothing is recorded', async () => {
    await setPolicy({ create: 'never' });
    await postOpen('nobody');
    await wait(29.5 * DAY_MS);
    expect((await server.db.query('select from jobs')).rows).toHaveLength(1);
    await wait(DAY_MS);
    expect((await server.db.query('select from jobs')).rows).toEqual([]);
    expect(await rowsOf('nobody')).toEqual(['EMAIL_OPEN warning no_matching_contact']);
  });

  test('requests reprocess asks again at once, with the policy of now', async () => {
    await setPolicy({ create: 'never' });
    await postOpen('waits');
    await setPolicy({});
    expect(await reprocess()).toBe(1);
    expect(await rowsOf('waits')).toEqual(['EMAIL_OPEN warning no_matching_contact', 'EMAIL_OPEN success']);
  });

  test('requests reprocess writes neither events that wait for their lead nor those that were dropped', async () => {
    await perform('sources/set-policy', { id: sourceId, policy: { holdUntil: { reply: true, dropAfter: '1h' } } });
    await postOpen('held');
    expect(await reprocess()).toBe(0);
    await server.db.query('delete from held_events');
    expect(await reprocess()).toBe(0);
    expect(await rowsOf('held')).toEqual([]);
    await server.db.query(`delete from write_policies where policy ? 'holdUntil'`);
  });

  test('on-category: the category that the lead has now decides, whichever event gave it', async () => {
    await setPolicy({ create: { onCategory: ['Interested'] } });
    await postOpen('lead');
    expect(await rowsOf('lead')).toEqual(['EMAIL_OPEN warning no_matching_contact']);
    const { rows } = await server.db.query<{ accountId: number; connectionId: number }>(
      `select account_id as "accountId", c.id as "connectionId" from connections c
        where id = (select connection_id from sources where id = $1)`,
      [sourceId],
    );
    const give = (category: string) =>
      server.db.query(
        `insert into category_signals (account_id, connection_id, identity, category_name, at, platform)
          values ($1, $2, 'lead@example.org', $3, $4, 'smartlead')`,
        [rows[0]?.accountId, rows[0]?.connectionId, category, server.clock.now()],
      );
    await give('Interested');
    server.clock.advance(1_000);
    await give('Not interested');
    await postOpen('lead', { stats_id: 'second' });
    expect(server.crm.contacts()).toEqual([]);
    server.clock.advance(1_000);
    await give('interested ');
    await postOpen('lead', { stats_id: 'third' });
    expect(server.crm.contacts()).toHaveLength(1);
  });
});
