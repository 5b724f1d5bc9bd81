/** What the connector is asked to write to the properties that a policy names. */
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { type AdminInput, performAdmin } from '@svc/operations/perform';
import { anyBackend } from '@svc/engine/test/backends';
import { startTestServer, type TestServer } from '../support/harness.ts';
import { createRecordingCrm } from '../support/recording-crm.ts';
import { settleWithin } from '../support/replies.ts';

const open = JSON.parse(
  await readFile(new URL('../../../../fixtures/payloads/smartlead/email-open.json', import.meta.url), 'utf8'),
);

describe('fields of a policy', () => {
  const crm = createRecordingCrm('HUBSPOT');
  let server: TestServer;
  let sourceId = 0;
  beforeAll(async () => {
    server = await startTestServer(anyBackend, { crmRegistry: crm.registry });
    const { rows } = await server.db.query<{ id: number }>(`select id from sources where path = 'demo-smartlead'`);
    sourceId = rows[0]?.id ?? 0;
  });
  afterAll(() => server.close());
  beforeEach(async () => {
    await server.db.query('delete from jobs');
    crm.writes.length = 0;
  });

  const setFields = (fields: AdminInput<'sources/set-policy'>['policy']) =>
    performAdmin(server.running.ctx, 'sources/set-policy', { id: sourceId, policy: fields }, 'a test');
  const bodyOf = (name: string, more: object) => {
    const to = `${name}@example.org`;
    return { ...open, stats_id: `open of ${name}`, to_email: to, sl_lead_email: to, ...more };
  };
  const post = async (body: string | object) =>
    expect((await server.post('/webhooks/demo-smartlead', body)).status).toBe(200);
  const fieldsOf = (name: string) =>
    crm.writes
      .findLast(({ event }) => event.toEmail === `${name}@example.org`)
      ?.fields.map(({ property, value, valueOfNew }) => [property, value, valueOfNew]);

  test('from the event, constants, and the stored body', async () => {
    await setFields({
      fields: [
        { to: 'last_campaign', from: 'campaign.name' },
        { to: 'origin', value: 'outbound' },
        { to: 'tool', from: 'sequencer' },
        { to: 'score', from: 'payload:lead.score', write: 'overwrite' },
        { to: 'region', from: 'payload:lead.region', default: 'none', write: 'create-only' },
      ],
    });
    await post(bodyOf('one', { campaign_name: 'Spring', lead: { score: 7 } }));
    await post(bodyOf('two', { campaign_name: 'Spring', lead: { score: '8', region: 'DACH' } }));
    await server.running.runner.runDue();
    const same = [
      ['last_campaign', 'Spring', 'Spring'],
      ['origin', 'outbound', 'outbound'],
      ['tool', 'smartlead', 'smartlead'],
    ];
    expect(fieldsOf('one')).toEqual([...same, ['score', 7, 7], ['region', null, 'none']]);
    expect(fieldsOf('two')).toEqual([...same, ['score', '8', '8'], ['region', 'DACH', 'DACH']]);
  });

  test('of several events in one post: a path begins at the top of the body', async () => {
    await setFields({ fields: [{ to: 'score', from: 'payload:[-1].score' }] });
    await post([bodyOf('a', { score: 1 }), bodyOf('b', { score: 2 })]);
    await server.running.runner.runDue();
    expect([fieldsOf('a'), fieldsOf('b')]).toEqual([[['score', 2, 2]], [['score', 2, 2]]]);
  });

  test('a body that is no longer stored has no values', async () => {
    await setFields({ fields: [{ to: 'score', from: 'payload:lead.score', default: 1 }] });
    crm.failures.push({
      ...{ status: 'error', disconnected: false, retry: { afterMs: 1_000 } },
      error: { code: 'refused', message: 'Later', httpStatus: 429 },
    });
    await post(bodyOf('forgotten', { lead: { score: 7 } }));
    await server.running.runner.runDue();
    expect(fieldsOf('forgotten')).toEqual([['score', 7, 7]]);
    await server.db.query(`update requests set body = null, headers = '{}'`);
    await settleWithin(server, 60_000);
    expect(crm.writes).toHaveLength(2);
    expect(fieldsOf('forgotten')).toEqual([['score', null, 1]]);
  });

  test('bodies are read by one statement per batch, and only when a rule asks', async () => {
    const query = vi.spyOn(server.running.ctx.db, 'query');
    const reads = () => query.mock.calls.filter(([statement]) => Object(statement).name === 'received-bodies').length;
    await setFields({ fields: [{ to: 'origin', from: 'eventType' }] });
    await post(bodyOf('plain', {}));
    await server.running.runner.runDue();
    expect(reads()).toBe(0);
    await setFields({ fields: [{ to: 'score', from: 'payload:lead.score' }] });
    for (const name of ['x', 'y', 'z']) await post(bodyOf(name, {}));
    await server.running.runner.runDue();
    expect(reads()).toBe(1);
    expect(crm.writes).toHaveLength(4);
    query.mockRestore();
  });
});
