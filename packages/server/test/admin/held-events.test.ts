/** What operators do with events that wait for their lead: `svc-server sources held | release | drop-held`. */
import { writePolicySchema } from '@svc/domain/policy/write-policy';
import { insertPolicy } from '@svc/engine/store/write-policies';
import { anyBackend } from '@svc/engine/test/backends';
import type { AdminError } from '@svc/operations/implemented/admin-error';
import { type AdminInput, type AdminOperationName, performAdmin } from '@svc/operations/perform';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestServer, type TestServer } from '../support/harness.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer(anyBackend);
  await server.db.query('delete from jobs');
  // Deliveries count as outreach too.
  await server.db.query('truncate destination_bindings');
  const policy = writePolicySchema.parse({ holdUntil: { reply: true, dropAfter: '3d' } });
  await server.db.transaction((tx) => insertPolicy(tx, { connectionId: 1, sourceId: 1 }, policy, server.clock.now()));
});
afterAll(() => server.close());

let posted = 0;
const receive = async (lead: string, campaign: object) => {
  posted += 1;
  const body = { event_type: 'EMAIL_SENT', to_email: lead, stats_id: `held-${posted}`, ...campaign };
  expect((await server.post('/webhooks/demo-smartlead', body)).status).toBe(200);
  await server.running.runner.runDue();
  server.clock.advance(1_000);
};
const perform = <Name extends AdminOperationName>(name: Name, input: AdminInput<Name>) =>
  performAdmin(server.running.ctx, name, input, 'a test');
const refusal = async (call: Promise<unknown>): Promise<AdminError> =>
  call.then(
    () => expect.fail('It was not refused.'),
    (error) => error,
  );
const syncsOf = async (lead: string) => {
  await server.running.runner.runDue();
  const { rows } = await server.db.query<{ status: string }>('select status from syncs where to_email = $1', [lead]);
  return rows.map(({ status }) => status);
};

test('leads are listed, released and dropped; the audit log has no address', async () => {
  const spring = { campaign_id: 7, campaign_name: 'Spring' };
  const autumn = { campaign_name: 'Autumn' };
  const since = server.clock.now();
  await receive('Kim@example.org', spring);
  await receive('kim@example.org', spring);
  await receive('kim@example.org', autumn);
  await receive('ada@example.org', spring);

  const listed = await perform('sources/held', { id: 1, limit: 2 });
  expect(listed).toEqual({
    ...{ events: 4, leadCount: 3, since: since.toISOString() },
    leads: [
      {
        ...{ lead: 'kim@example.org', campaign: '7', campaignName: 'Spring', events: 2, since: since.toISOString() },
        dropsAt: new Date(since.getTime() + 3 * 86_400_000).toISOString(),
      },
      expect.objectContaining({ lead: 'kim@example.org', campaign: 'autumn', campaignName: 'Autumn', events: 1 }),
    ],
  });
  const { rows: posts } = await server.db.query<{ id: number }>('select max(id) as id from requests');
  const { request } = await perform('requests/show', { id: posts[0]?.id ?? 0 });
  expect(request.events).toEqual([
    expect.objectContaining({
      toEmail: 'ada@example.org',
      syncId: null,
      heldUntil: new Date(since.getTime() + 3_000 + 3 * 86_400_000).toISOString(),
    }),
  ]);
  const metrics = await fetch(`${server.url}/metrics`);
  expect(await metrics.text()).toContain('svc_held_events 4');

  expect(await refusal(perform('sources/held', { id: 999 }))).toMatchObject({ code: 'not_found' });
  for (const input of [{ id: 1 }, { id: 1, lead: 'kim@example.org', isAll: true }]) {
    expect(await refusal(perform('sources/release', input))).toMatchObject({
      code: 'invalid_input',
      message: 'Say which events: --lead, --campaign or both, or --all.',
    });
  }

  expect(await perform('sources/release', { id: 1, lead: ' KIM@example.org', campaign: 'Autumn' })).toMatchObject({
    events: 1,
    leads: 1,
  });
  expect(await syncsOf('kim@example.org')).toEqual(['success']);
  // The lead stays released in this campaign, and waits in the other one.
  await receive('kim@example.org', autumn);
  expect(await syncsOf('kim@example.org')).toHaveLength(2);

  const drop = { id: 1, campaign: '7', lead: 'kim@example.org' };
  expect(await refusal(perform('sources/drop-held', drop))).toMatchObject({
    code: 'not_confirmed',
    message: expect.stringContaining('2 events of 1 lead would never be written'),
  });
  expect(await perform('sources/drop-held', { ...drop, isConfirmed: true })).toEqual({ id: 1, events: 2 });
  await receive('kim@example.org', spring);
  expect((await perform('sources/held', { id: 1, lead: 'kim@example.org' })).events).toBe(1);

  expect(await perform('sources/release', { id: 1, isAll: true })).toMatchObject({ events: 2, leads: 2 });
  expect(await syncsOf('ada@example.org')).toEqual(['success']);
  expect(await perform('sources/held', { id: 1 })).toMatchObject({ events: 0, leadCount: 0, since: null, leads: [] });

  const { rows } = await server.db.query<{ input: object }>(
    `select input from audit_log where operation in ('sources/release', 'sources/drop-held')`,
  );
  expect(rows.length).toBeGreaterThan(3);
  expect(JSON.stringify(rows)).not.toMatch(/kim@|ada@/i);
  expect(JSON.stringify(rows)).toContain('sha256:');
});

test('a policy that no longer holds events releases them when it is set', async () => {
  const lead = 'unheld@example.org';
  await receive(lead, {});
  expect(await syncsOf(lead)).toEqual([]);
  await perform('sources/set-policy', { id: 1, policy: { create: 'always' } });
  expect(await syncsOf(lead)).toEqual(['success']);
  await perform('sources/set-policy', { id: 1, policy: { holdUntil: { reply: true } } });
});

test('a held category still answers the outreach look-up, as a category signal without log rows does', async () => {
  const lead = 'signal@example.org';
  await receive(lead, { event_type: 'LEAD_CATEGORY_UPDATED', lead_category: { new_id: '9', new_name: 'Later' } });
  expect(await syncsOf(lead)).toEqual([]);
  const { json } = await server.get('getContactOutreach', `/api/v1/contacts/outreach?email=${lead}`);
  expect(json).toMatchObject({ found: true });
  expect(JSON.stringify(json)).toContain('Later');
  await receive('plain@example.org', {});
  const plain = await server.get('getContactOutreach', '/api/v1/contacts/outreach?email=plain@example.org');
  expect(plain.json).toMatchObject({ found: false });
});
