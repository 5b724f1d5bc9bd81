/** What an operator sees of a policy before it holds. */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Administration, expectRefusal, makePipeline, openAdministration } from '../support/admin-harness.ts';
import { anyBackend } from '@svc/engine/test/backends';

const payload = readFileSync(
  new URL('../../../../fixtures/payloads/smartlead/email-reply.json', import.meta.url),
  'utf8',
);

let admin: Administration;
let sourceId: number;
beforeAll(async () => {
  admin = await openAdministration(anyBackend);
  sourceId = (await makePipeline(admin, 'one@example.com')).source.id;
});
afterAll(() => admin.close());

const attempt = async (given: object = {}) => {
  const { writes } = await admin.run('sources/try-policy', { id: sourceId, payload, ...given });
  return writes.map(({ decision, outcome, calls }) => ({
    decision,
    status: outcome?.status ?? null,
    calls: calls.map(({ method, path }) => `${method} ${path.replace(/\d{4}-\d{2}/, 'VERSION')}`),
  }));
};
const ENGAGEMENT = [
  'POST /crm/objects/VERSION/emails/batch/upsert',
  'POST /crm/associations/VERSION/emails/contacts/batch/associate/default',
];

test('without a policy: the calls for an unknown contact, and for a known one', async () => {
  const created = [
    'POST /crm/objects/VERSION/contacts/batch/read',
    'POST /crm/objects/VERSION/contacts/batch/upsert',
    ...ENGAGEMENT,
  ];
  expect(await attempt()).toEqual([{ decision: 'written', status: 'success', calls: created }]);
  expect(await attempt({ contact: 'known' })).toEqual([{ decision: 'written', status: 'success', calls: ENGAGEMENT }]);
});

test('an event that no target wants: no call', async () => {
  const policy = { events: [{ when: { types: ['EMAIL_REPLY'] }, write: [] }] };
  expect(await attempt({ policy })).toEqual([{ decision: 'nothing', status: null, calls: [] }]);
});

test('another policy of the connection is tried below that of the source', async () => {
  const connectionPolicy = { create: 'never', events: [{ when: {}, write: [] }] };
  expect(await attempt({ connectionPolicy })).toMatchObject([{ decision: 'nothing' }]);
  expect(await attempt({ connectionPolicy, policy: { events: [] } })).toMatchObject([{ status: 'warning' }]);
});

test('an event that waits: how it is written once its lead is released', async () => {
  const policy = { holdUntil: { categories: ['Interested'] } };
  expect(await attempt({ policy, contact: 'known' })).toEqual([
    { decision: 'held', status: 'success', calls: ENGAGEMENT },
  ]);
});

test('the category that the lead has decides as it will', async () => {
  const policy = { create: { onCategory: ['Interested'] } };
  expect(await attempt({ policy })).toMatchObject([{ status: 'warning' }]);
  await admin.ctx.db.query(
    `insert into category_signals (account_id, connection_id, identity, category_name, at, platform)
      select account_id, id, 'maren.holt@fjordfreight.example.org', 'Interested', $1, 'smartlead' from connections`,
    [admin.ctx.clock.now()],
  );
  expect(await attempt({ policy })).toMatchObject([{ status: 'success' }]);
});

test('nothing is stored', async () => {
  const { rows } = await admin.ctx.db.query('select from crm_records union all select from inbound_events');
  expect(rows).toEqual([]);
});

test('exactly one of request and payload, of this source', async () => {
  await expectRefusal('invalid_input', admin.run('sources/try-policy', { id: sourceId }));
  await expectRefusal('invalid_input', admin.run('sources/try-policy', { id: sourceId, payload, requestId: 1 }));
  await expectRefusal('not_found', admin.run('sources/try-policy', { id: sourceId, requestId: 1 }));
  await expectRefusal('not_found', admin.run('sources/try-policy', { id: 999, payload }));
  const unread = await expectRefusal('conflict', admin.run('sources/try-policy', { id: sourceId, payload: '{"a":1}' }));
  expect(unread).toContain('has no event to write');
});
