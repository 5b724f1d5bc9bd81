/** Pipedrive through the whole server: from a sequencer's post to the records, the sync, the list, and a refused token. */
import { performAdmin } from '@svc/operations/perform';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { anyBackend } from '@svc/engine/test/backends';
import { NOW, startTestServer, type TestServer } from '../support/harness.ts';

/** Around the start of the server's clock. */
const RANGE = `from=${NOW.toISOString()}&to=${new Date(NOW.getTime() + 86_400_000).toISOString()}`;

describe('Pipedrive', () => {
  let server: TestServer;
  const connect = async () =>
    performAdmin(
      server.running.ctx,
      'connections/add',
      {
        ...{ accountId: 1, crm: 'PIPEDRIVE', organizationId: '7000001', organizationDomain: 'acme.example.org' },
        ...{ crmToken: 'personal-token', checksToken: true },
      },
      'a test',
    );
  beforeAll(async () => {
    server = await startTestServer(anyBackend);
    // Connection 3 is the world's disconnected one.
    await server.db.query("update connections set organization_id = '7000001' where id = 3");
    await server.db.query('update sources set create_or_update_task = true, assign_contact_owner = true where id = 7');
    expect(await connect()).toMatchObject({ isTokenChecked: true, isNew: false, connection: { id: 3 } });
  });
  afterAll(() => server.close());

  const reply = (id: string, changes: object = {}) => ({
    ...{ event_type: 'reply_received', timestamp: '2026-03-31T10:00:00.000Z', email_id: id, campaign_id: 'c-1' },
    ...{ lead_email: 'kim@fjord.example.org', email_account: 'owner@example.com', reply_text: 'Yes!' },
    ...{ reply_subject: 'Route planning', first_name: 'Kim', last_name: 'Berg', company_name: 'Fjord' },
    ...changes,
  });
  const post = async (body: object) => {
    const { json } = await server.post('/webhooks/demo-instantly-pipedrive', body);
    await server.running.runner.runDue();
    return json.requestId as number;
  };
  const syncs = async (requestId: number) => {
    const { json } = await server.get('listSyncs', `/api/v1/syncs?${RANGE}&sourceId=7&limit=100`);
    return json.data.filter((row: { payloadId: number }) => row.payloadId === requestId);
  };

  test('a reply becomes person, organization, activity and to-do, each once, and a sync', async () => {
    expect(await syncs(await post(reply('one')))).toMatchObject([{ status: 'success', connectionId: 3 }]);
    const { persons, organizations, activities } = server.pipedrive.state();
    expect(organizations).toMatchObject([{ name: 'Fjord' }]);
    expect(persons).toMatchObject([{ emails: [{ value: 'kim@fjord.example.org' }], org_id: organizations[0]?.id }]);
    expect(activities.map(({ type, done }) => [type, done])).toEqual([
      ['email', true],
      ['task', false],
    ]);
    // The next event of the contact finds everything in the database.
    const before = server.pipedrive.requests().length;
    expect(await syncs(await post(reply('two')))).toMatchObject([{ status: 'success' }]);
    expect(server.pipedrive.requests().slice(before)).toHaveLength(2);
  });

  test('a lost answer is tried again, and nothing is doubled', async () => {
    const count = server.pipedrive.state().activities.length;
    server.pipedrive.failNext(1, 'lost-answer', { match: /POST .*activities/ });
    const requestId = await post(reply('three'));
    for (let second = 0; second < 90; second += 1) {
      server.clock.advance(1_000);
      await server.running.runner.runDue();
    }
    expect(await syncs(requestId)).toMatchObject([{ status: 'success' }]);
    expect(server.pipedrive.state().activities).toHaveLength(count + 2);
  });

  test('a refused event fails alone, and cannot be retried', async () => {
    // The first refusal may be about the owner, so the activity is sent once more without one.
    server.pipedrive.failNext(2, 422, { match: /POST .*activities/ });
    const [sync] = await syncs(await post(reply('four')));
    expect(sync).toMatchObject({ status: 'error', error: { code: 'refused', httpStatus: 422 } });
    const authorization = 'Bearer osapi_demo_write';
    const answer = await server.post(`/api/v1/syncs/${sync.id}/retry`, '', { authorization });
    expect(answer.status).toBe(409);
    expect(await syncs(await post(reply('five')))).toMatchObject([{ status: 'success' }]);
  });

  test('a block list is filled from a filter', async () => {
    const members = Array.from({ length: 600 }, (_, index) => `m${index}@members.example.org`);
    const listId = server.pipedrive.createFilter({ name: 'Customers', type: 'people', members });
    const { rows } = await server.db.query<{ id: number }>(
      `insert into blocklists (connection_id, list_name, crm, crm_list_id, platform, block_type, status, is_enabled, created_at)
        values (3, 'Customers', 'PIPEDRIVE', $1, 'smartlead', 'ADDRESS', 'CREATED', true, $2) returning id`,
      [listId, server.clock.now()],
    );
    const id = rows[0]?.id ?? 0;
    const sealed = server.running.ctx.secrets.encrypt('sequencer-key', { kind: 'sequencer token', id });
    await server.db.query('update blocklists set sequencer_token = $2 where id = $1', [id, sealed]);
    const authorization = 'Bearer osapi_demo_write';
    expect((await server.post(`/api/v1/blocklists/${id}/resync`, '', { authorization })).status).toBe(200);
    for (let minute = 0; minute < 5; minute += 1) {
      server.clock.advance(60_000);
      await server.running.runner.runDue();
    }
    const entries = server.sequencer.entries({ platform: 'smartlead', token: 'sequencer-key', clientId: null });
    expect(entries.toSorted()).toEqual(members.toSorted());
  });

  test('a refused token disconnects, and a new one connects again', async () => {
    server.pipedrive.failNext(1, 401);
    expect(await syncs(await post(reply('six')))).toMatchObject([{ status: 'error' }]);
    const statusOf = async () => {
      const { json } = await server.get('listConnections', '/api/v1/connections');
      return json.connections.find(({ id }: { id: number }) => id === 3)?.status;
    };
    expect(await statusOf()).toBe('disconnected');
    expect(await syncs(await post(reply('seven')))).toMatchObject([{ error: { code: 'crm_disconnected' } }]);
    await connect();
    expect(await statusOf()).toBe('ready');
    expect(await syncs(await post(reply('eight')))).toMatchObject([{ status: 'success' }]);
  });
});
