/** HubSpot through the whole server, beyond what every CRM does: what is remembered, batches, and marks on the contact. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { anyBackend } from '@svc/engine/test/backends';
import { NOW, startTestServer, type TestServer } from '../support/harness.ts';

/** Around the start of the server's clock. */
const RANGE = `from=${NOW.toISOString()}&to=${new Date(NOW.getTime() + 86_400_000).toISOString()}`;

describe('HubSpot', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer(anyBackend);
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
      '/crm/associations/2026-09/emails/contacts/batch/associate/default',
      '/crm/associations/2026-09/tasks/contacts/batch/associate/default',
      '/crm/objects/2026-09/emails/batch/upsert',
      '/crm/objects/2026-09/tasks/batch/upsert',
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
});
