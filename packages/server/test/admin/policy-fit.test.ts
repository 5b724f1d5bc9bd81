/** A policy is compared with the CRM that it is for: when it is set, when it is checked, and weekly by the doctor. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { CrmFailed, CrmProperty, CrmSchema, CrmSetup, CrmStatement } from '@svc/crm';
import { type Administration, expectRefusal, makePipeline, openAdministration } from '../support/admin-harness.ts';
import { createRecordingCrm } from '../support/recording-crm.ts';
import { anyBackend } from '@svc/engine/test/backends';

const DAY_MS = 24 * 60 * 60 * 1000;
const option = (label: string, value = label.toLowerCase()) => ({ label, value });
const property = (name: string, type: CrmProperty['type'], more: Partial<CrmProperty> = {}): CrmProperty => ({
  ...{ name, label: name, type, options: null, maxLength: null, isWritable: true },
  ...more,
});
const SCHEMA: CrmSchema = {
  status: 'described',
  records: [
    {
      recordType: 'Contact',
      properties: [
        property('Region__c', 'option', { options: [option('DACH'), option('Nordics')] }),
        property('Score__c', 'number'),
        property('Only_Contact__c', 'text', { maxLength: 5 }),
        property('Formula__c', 'text', { isWritable: false }),
      ],
    },
    {
      recordType: 'Lead',
      properties: [
        property('Region__c', 'option', { options: [option('DACH'), option('Nordics')] }),
        property('Score__c', 'number'),
      ],
    },
  ],
  leadStatuses: [option('Open', 'o'), option('Connected', 'c')],
  lifecycleStages: null,
  pipelines: [{ ...option('Sales', '1'), stages: [option('Qualified', '11'), option('Meeting', '12')] }],
  hasCampaignMembers: true,
  hasManualLists: false,
};
const FAILED: CrmFailed = {
  ...{ status: 'error', retry: 'never', disconnected: false },
  error: { code: 'unavailable', message: 'The CRM does not answer.', httpStatus: null },
};
const statement = (id: string, result: CrmStatement['result']): CrmStatement => ({
  ...{ id, result, title: 'It holds.', detail: result === 'differs' ? 'It does not.' : null },
});

let schema: CrmSchema | CrmFailed = SCHEMA;
let described = 0;
let made: string[] = [];
let statements: CrmStatement[] = [];
const setup: CrmSetup = {
  describe: async () => {
    described += 1;
    return schema;
  },
  prepare: async ({ isDryRun }) => {
    if (schema.status === 'error') return schema;
    const isMade = made.length > 0;
    if (!isDryRun) made = ['one'];
    const state = isMade ? 'exists' : isDryRun ? 'missing' : 'made';
    const refused = { name: 'property two', state: 'refused', note: 'The token may not make it.' } as const;
    return { status: 'prepared', items: [{ name: 'property one', state, note: null }, ...(isMade ? [refused] : [])] };
  },
  async *selfTest() {
    yield* statements;
  },
};

let admin: Administration;
let ids: { source: number; connection: number };
beforeAll(async () => {
  admin = await openAdministration(anyBackend, undefined, {}, createRecordingCrm('HUBSPOT', setup).registry);
  const { source, connection } = await makePipeline(admin, 'one@example.com');
  ids = { source: source.id, connection: connection.id };
});
afterAll(() => admin.close());
beforeEach(() => {
  schema = SCHEMA;
  described = 0;
});

type Policy = Parameters<typeof admin.run<'sources/set-policy'>>[1]['policy'];
const check = (policy: Policy) => admin.run('sources/check-policy', { policy, sourceId: ids.source });
const when = {};

describe('is refused, with its place and the nearest name', () => {
  test.each<[string, object]>([
    [
      'policy.fields.0.to: there is no property Regon__c of Contact and Lead: did you mean Region__c?',
      { fields: [{ to: 'Regon__c', value: 'x' }] },
    ],
    ['policy.fields.0.to: Formula__c cannot be written', { fields: [{ to: 'Formula__c', value: 'x' }] }],
    ['policy.fields.0.value: Score__c takes a number, not high', { fields: [{ to: 'Score__c', value: 'high' }] }],
    [
      'policy.fields.0.default: Score__c takes a number',
      { fields: [{ to: 'Score__c', from: 'custom.score', default: 'none' }] },
    ],
    [
      'policy.fields.0.value: Region__c takes one of its options, not DACHH: did you mean DACH?',
      { fields: [{ to: 'Region__c', value: 'DACHH' }] },
    ],
    [
      'policy.fields.0.value: Only_Contact__c takes at most 5 characters',
      { fields: [{ to: 'Only_Contact__c', value: 'longer' }] },
    ],
    [
      'policy.outcomes.0.leadStatus: HubSpot has no lead status Conected: did you mean Connected?',
      { outcomes: [{ when, leadStatus: 'Conected' }] },
    ],
    [
      'policy.outcomes.0.lifecycleStage: HubSpot has no lifecycle stage',
      { outcomes: [{ when, lifecycleStage: 'lead' }] },
    ],
    ['policy.outcomes.0.list: HubSpot has no lists', { outcomes: [{ when, list: '1' }] }],
    [
      'policy.outcomes.0.deal.pipeline: HubSpot has no pipeline Sale: did you mean Sales?',
      { outcomes: [{ when, deal: { pipeline: 'Sale', stage: 'x' } }] },
    ],
    [
      'policy.outcomes.0.deal.stage: the pipeline Sales has no stage Won, only Qualified, Meeting',
      { outcomes: [{ when, deal: { stage: 'Won' } }] },
    ],
  ])('%s', async (message, policy) => {
    expect(await expectRefusal('invalid_input', check(policy as Policy))).toContain(message);
    const set = admin.runUnchecked('sources/set-policy', { id: ids.source, policy });
    expect(await expectRefusal('invalid_input', set)).toContain(message);
    const ofConnection = admin.runUnchecked('connections/set-policy', { id: ids.connection, policy });
    expect(await expectRefusal('invalid_input', ofConnection)).toContain(message);
  });
});

const FITS: Policy = {
  fields: [
    { to: 'Region__c', value: 'dach' },
    { to: 'Score__c', from: 'custom.score', default: '7' },
  ],
  outcomes: [{ when, leadStatus: 'c', deal: { pipeline: '1', stage: 'meeting' } }],
};

test('what fits is set, by value or label', async () => {
  expect(await check(FITS)).toMatchObject({ notices: [] });
  expect(await admin.run('sources/set-policy', { id: ids.source, policy: FITS })).toMatchObject({ version: 1 });
});

test('a property that only one kind of record has is a notice', async () => {
  const { notices } = await check({ fields: [{ to: 'Only_Contact__c', from: 'subject' }] });
  expect(notices).toEqual([expect.stringContaining('fields.0.to: Lead has no property Only_Contact__c')]);
});

test('the CRM is asked only for what it alone knows', async () => {
  await check({ create: 'never', lastValues: true, outcomes: [{ when, task: { subject: 'Call' } }] });
  expect(described).toBe(0);
  await check(FITS);
  expect(described).toBe(1);
});

test('while the CRM cannot be asked, the policy is set with a notice', async () => {
  schema = FAILED;
  const { notices } = await admin.run('sources/set-policy', { id: ids.source, policy: FITS });
  expect(notices[0]).toBe(
    'The policy was not compared with HubSpot: The CRM does not answer. svc-server doctor compares it later.',
  );
});

test('the doctor compares it at most weekly, and says what no longer fits until it does', async () => {
  const policies = async () =>
    (await admin.run('doctor/check', {})).checks
      .filter(({ name }) => name === 'policies')
      .map(({ message }) => message);
  await admin.run('sources/set-policy', { id: ids.source, policy: FITS });
  described = 0;
  expect(await policies()).toEqual([]);
  schema = { ...SCHEMA, leadStatuses: [option('Open', 'o')] };
  admin.clock.advance(6 * DAY_MS);
  expect(await policies()).toEqual([]);
  expect(described).toBe(1);
  admin.clock.advance(DAY_MS);
  const problem = `the policy of source ${ids.source}: outcomes.0.leadStatus: HubSpot has no lead status c, only Open`;
  expect(await policies()).toEqual([problem]);
  expect(await policies()).toEqual([problem]);
  expect(described).toBe(2);
  schema = FAILED;
  await admin.run('sources/set-policy', { id: ids.source, policy: { ...Object(FITS), create: 'never' } });
  expect(await policies()).toEqual([expect.stringContaining('not compared with the CRM yet')]);
  schema = SCHEMA;
  expect(await policies()).toEqual([]);
});

test('CRMs that do not answer keep no other one waiting', async () => {
  schema = FAILED;
  const connections: number[] = [];
  for (let number = 0; number < 11; number += 1) {
    const { source, connection } = await makePipeline(admin, `waiting-${number}@example.com`);
    await admin.run('sources/set-policy', { id: source.id, policy: FITS });
    connections.push(connection.id);
  }
  const asked = new Set<number>();
  for (let turn = 0; turn < 2; turn += 1) {
    admin.clock.advance(1_000);
    const { checks } = await admin.run('doctor/check', {});
    const text = checks.find(({ message }) => message.startsWith('not compared'))?.message ?? '';
    for (const id of connections) if (text.includes(`connection ${id} (The CRM`)) asked.add(id);
  }
  expect(asked.size).toBe(connections.length);
});

describe('connections prepare and selftest', () => {
  test('prepare says what is missing, makes it once, and what is refused', async () => {
    const prepare = async (isDryRun: boolean) =>
      (await admin.run('connections/prepare', { id: ids.connection, isDryRun })).items.map(({ state }) => state);
    expect(await prepare(true)).toEqual(['missing']);
    expect(await prepare(false)).toEqual(['made']);
    expect(await prepare(false)).toEqual(['exists', 'refused']);
    schema = FAILED;
    const refusal = await expectRefusal('crm_unavailable', admin.run('connections/prepare', { id: ids.connection }));
    expect(refusal).toBe('HubSpot could not be asked: The CRM does not answer.');
  });

  test('selftest reports every statement', async () => {
    statements = [statement('hubspot-1', 'holds'), statement('hubspot-2', 'differs')];
    const report = await admin.run('connections/selftest', { id: ids.connection });
    expect(report.statements.map(({ id, result }) => [id, result])).toEqual([
      ['hubspot-1', 'holds'],
      ['hubspot-2', 'differs'],
    ]);
    const kept = await admin.run('connections/selftest', { id: ids.connection, isKept: true });
    expect(kept.notices[0]).toMatch(/^The records of svc-selftest-[0-9a-f]{12}@selftest\.example\.com stay in HubSpot/);
  });

  test('of a connection that is not there: a clear refusal', async () => {
    await expectRefusal('not_found', admin.run('connections/prepare', { id: 999 }));
    await expectRefusal('not_found', admin.run('connections/selftest', { id: 999 }));
  });

  test('both leave an entry in the audit log', async () => {
    const { rows } = await admin.ctx.db.query<{ operation: string }>(
      `select distinct operation from audit_log where operation like 'connections/%' order by 1`,
    );
    expect(rows.map(({ operation }) => operation)).toEqual(
      expect.arrayContaining(['connections/prepare', 'connections/selftest']),
    );
  });
});
