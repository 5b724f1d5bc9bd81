/** HubSpot through the whole server: from a sequencer's post to the records, the sync, the list, and a refused token. */
import { performAdmin } from '../../src/admin/operations/index.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { backends } from '../support/backends.ts';
import { NOW, startTestServer, type TestServer } from '../support/harness.ts';

/** Around the start of the server's clock. */
const RANGE = `from=${NOW.toISOString()}&to=${new Date(NOW.getTime() + 86_400_000).toISOString()}`;
const WRITE = { authorization: 'Bearer osapi_demo_write' };

describe.each(backends)('HubSpot on $name', (backend) => {
  describe.skipIf(!backend.isAvailable)('end to end', () => {
    let server: TestServer;
    beforeAll(async () => {
      server = await startTestServer(backend);
      // Source 1 of connection 1 has all options of contacts.
      await server.db.query('update sources set write_state_fields = true where id = 1');
    });
    afterAll(() => server.close());

    const reply = (id: string, changes: object = {}) => ({
      ...{
        event_type: 'EMAIL_REPLY',
        event_timestamp: '2026-03-31T10:00:00.000Z',
        stats_id: id,
        reply_message: { message_id: `<${id}@example.com>` },
      },
      ...{ to_email: 'kim@fjord.example.org', to_name: 'Kim Berg', from_email: 'owner@example.com' },
      ...{ subject: 'Route planning', reply_body: 'Yes!' },
      ...changes,
    });
    const receive = async (body: object) =>
      (await server.post('/webhooks/demo-smartlead', body)).json.requestId as number;
    const post = async (body: object) => {
      const requestId = await receive(body);
      await server.running.runner.runDue();
      return requestId;
    };
    const syncs = async (requestId: number) => {
      const { json } = await server.get('listSyncs', `/api/v1/syncs?${RANGE}&sourceId=1&limit=500`);
      return json.data.filter((row: { payloadId: number }) => row.payloadId === requestId);
    };

    test('a reply becomes contact, company, engagement and task, each once, and a sync', async () => {
      expect(await syncs(await post(reply('one')))).toMatchObject([{ status: 'success', connectionId: 1 }]);
      const { contacts, companies, engagements, tasks } = server.crm.state();
      const [contact] = contacts;
      const linked = { associations: { contacts: [contact?.id] } };
      expect(companies).toMatchObject([{ properties: { domain: 'fjord.example.org' }, ...linked }]);
      expect(contacts).toMatchObject([
        {
          properties: {
            email: 'kim@fjord.example.org',
            associatedcompanyid: companies[0]?.id,
            hubspot_owner_id: '7001',
          },
        },
      ]);
      expect(engagements).toMatchObject([{ objectType: 'emails', ...linked }]);
      expect(tasks).toMatchObject([{ properties: { hubspot_owner_id: '7001' }, ...linked }]);
      // The next event of the contact finds everything in the database.
      const before = server.crm.requests().length;
      expect(await syncs(await post(reply('two')))).toMatchObject([{ status: 'success' }]);
      expect(
        server.crm
          .requests()
          .slice(before)
          .map(({ path }) => path)
          .toSorted(),
      ).toEqual([
        '/crm/v3/objects/emails/batch/upsert',
        '/crm/v3/objects/tasks/batch/upsert',
        '/crm/v4/associations/emails/contacts/batch/associate/default',
        '/crm/v4/associations/tasks/contacts/batch/associate/default',
      ]);
    });

    test('events that wait together are one batch', async () => {
      const before = server.crm.requests().length;
      const requests = [];
      for (let index = 0; index < 12; index += 1)
        requests.push(await receive(reply(`many${index}`, { to_email: `m${index}@gmail.com` })));
      await server.running.runner.runDue();
      for (const requestId of requests) expect(await syncs(requestId)).toMatchObject([{ status: 'success' }]);
      expect(server.crm.requests().length - before).toBe(6);
    });

    test('a bounce marks the contact, once', async () => {
      for (const [id, at] of [
        ['b1', '2026-03-31T10:00:00.000Z'],
        ['b2', '2026-03-31T11:00:00.000Z'],
      ] as const)
        await post(reply(id, { event_type: 'EMAIL_BOUNCE', event_timestamp: at }));
      const kim = server.crm.contacts().find(({ properties }) => properties['email'] === 'kim@fjord.example.org');
      expect(kim?.properties['svc_bounced_at']).toBe('2026-03-31T10:00:00.000Z');
    });

    test('a lost answer is tried again, and nothing is doubled', async () => {
      const count = server.crm.engagements().length;
      server.crm.failNext(1, 'lost-answer', { match: /emails\/batch\/upsert/ });
      const requestId = await post(reply('three'));
      for (let second = 0; second < 60 && (await syncs(requestId)).length === 0; second += 1) {
        server.clock.advance(1_000);
        await server.running.runner.runDue();
      }
      expect(await syncs(requestId)).toMatchObject([{ status: 'success' }]);
      expect(server.crm.engagements()).toHaveLength(count + 1);
    });

    test('a refused event fails alone, and a retry writes it', async () => {
      server.crm.failNext(1, 400, { match: /emails\/batch\/upsert/ });
      const requestId = await post(reply('four'));
      const [sync] = await syncs(requestId);
      expect(sync).toMatchObject({ status: 'error', error: { code: 'refused', httpStatus: 400 } });
      expect(await syncs(await post(reply('five')))).toMatchObject([{ status: 'success' }]);
      expect((await server.post(`/api/v1/syncs/${sync.id}/retry`, '', WRITE)).status).toBe(200);
      await server.running.runner.runDue();
      const rows = await syncs(requestId);
      expect(rows.map(({ status }: { status: string }) => status).toSorted()).toEqual(['error', 'success']);
    });

    test('a block list is filled from a list', async () => {
      const members = Array.from({ length: 300 }, (_, index) => `m${index}@members.example.org`);
      const listId = server.crm.createList({ name: 'Customers', objectType: 'contacts', members });
      const { rows } = await server.db.query<{ id: number }>(
        `insert into blocklists (connection_id, list_name, crm, crm_list_id, platform, block_type, status, is_enabled, created_at)
          values (1, 'Customers', 'HUBSPOT', $1, 'smartlead', 'ADDRESS', 'CREATED', true, $2) returning id`,
        [listId, server.clock.now()],
      );
      const id = rows[0]?.id ?? 0;
      const sealed = server.running.ctx.secrets.encrypt('sequencer-key', { kind: 'sequencer token', id });
      await server.db.query('update blocklists set sequencer_token = $2 where id = $1', [id, sealed]);
      expect((await server.post(`/api/v1/blocklists/${id}/resync`, '', WRITE)).status).toBe(200);
      for (let minute = 0; minute < 5; minute += 1) {
        server.clock.advance(60_000);
        await server.running.runner.runDue();
      }
      const entries = server.sequencer.entries({ platform: 'smartlead', token: 'sequencer-key', clientId: null });
      expect(entries.toSorted()).toEqual(members.toSorted());
    });

    test('a refused token disconnects, and a new one connects again', async () => {
      server.crm.failNext(1, 401);
      expect(await syncs(await post(reply('six')))).toMatchObject([{ status: 'error' }]);
      const statusOf = async () => {
        const { json } = await server.get('listConnections', '/api/v1/connections');
        return json.connections.find(({ id }: { id: number }) => id === 1)?.status;
      };
      expect(await statusOf()).toBe('disconnected');
      expect(await syncs(await post(reply('seven')))).toMatchObject([{ error: { code: 'crm_disconnected' } }]);
      await performAdmin(
        server.running.ctx,
        'connections/add',
        {
          ...{ accountId: 1, crm: 'HUBSPOT', organizationId: '8100452', organizationDomain: 'northwind.example.com' },
          ...{ crmToken: 'demo-hubspot-token', checksToken: true },
        },
        'a test',
      );
      expect(await statusOf()).toBe('ready');
      expect(await syncs(await post(reply('eight')))).toMatchObject([{ status: 'success' }]);
    });
  });
});
