import { type SalesforceSimulator, startSalesforceSimulator } from '@svc/simulators';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { accessTo, memoryRecords, writeOne } from '../../test/support/batch.ts';
import { toWrite } from '../../test/support/salesforce.ts';
import type { CrmSchema, PreparedItem } from '../port/setup.ts';
import { createSalesforceConnector } from './connector.ts';
import { createSalesforceSetup } from './setup.ts';

let simulator: SalesforceSimulator;
const setup = createSalesforceSetup({ fetch, timeoutMs: 5_000 });
beforeAll(async () => {
  simulator = await startSalesforceSimulator({ tokens: ['t'] });
});
afterAll(() => simulator.close());
beforeEach(() => simulator.reset());
const access = () => accessTo('t', { apiUrl: simulator.url });

describe('what an org offers', () => {
  async function read(): Promise<CrmSchema> {
    const schema = await setup.describe(access());
    if (schema.status !== 'described') throw new Error(schema.error.message);
    return schema;
  }

  test('names the fields of contacts and leads with their types and options', async () => {
    simulator.configure({
      customFields: [
        { objectType: 'Contact', name: 'Score__c', type: 'double' },
        { objectType: 'Contact', name: 'Tier__c', type: 'picklist', options: ['Gold'], restricted: true },
        { objectType: 'Contact', name: 'Free__c', type: 'picklist', options: ['Gold'] },
        { objectType: 'Lead', name: 'Tags__c', type: 'multipicklist', options: ['a'], restricted: true },
      ],
    });
    const { records } = await read();
    expect(records.map(({ recordType }) => recordType)).toEqual(['Contact', 'Lead']);
    const find = (record: number, name: string) => records[record]?.properties.find((one) => one.name === name);
    expect(find(0, 'Title')).toEqual({
      name: 'Title',
      label: 'Title',
      type: 'text',
      options: null,
      maxLength: 128,
      isWritable: true,
    });
    expect(find(0, 'Score__c')).toMatchObject({ type: 'number', maxLength: null, isWritable: true });
    expect(find(0, 'Tier__c')).toMatchObject({ type: 'option', options: [{ value: 'Gold', label: 'Gold' }] });
    expect(find(0, 'Free__c')).toMatchObject({ type: 'option', options: null });
    expect(find(1, 'Tags__c')).toMatchObject({ type: 'options', options: [{ value: 'a', label: 'a' }] });
    for (const name of ['Id', 'Email', 'OwnerId', 'Name', 'Svc_Last_Sent_At__c', 'Svc_Profile_Url__c'])
      expect(find(0, name)).toMatchObject({ isWritable: false });
    expect(find(1, 'Status')).toMatchObject({ isWritable: false });
  });

  test('names the statuses of leads, without those of converted ones', async () => {
    expect(await read()).toMatchObject({
      leadStatuses: ['Open', 'Working', 'Interested'].map((value) => ({ value, label: value })),
      lifecycleStages: null,
      hasCampaignMembers: true,
      hasManualLists: false,
    });
  });

  test('an org without record types has one pipeline', async () => {
    const { pipelines } = await read();
    expect(pipelines).toMatchObject([{ label: 'Opportunities' }]);
    expect(pipelines?.[0]?.stages.map(({ value }) => value)).toContain('Prospecting');
  });

  test('each record type of opportunities is a pipeline, the default one first', async () => {
    simulator.configure({
      recordTypes: [
        { name: 'Renewal', stages: ['Closed Won'] },
        { name: 'New business', stages: ['Prospecting', 'Closed Won'], isDefault: true },
      ],
    });
    const { pipelines } = await read();
    expect(pipelines?.map(({ label, stages }) => [label, stages.length])).toEqual([
      ['New business', 2],
      ['Renewal', 1],
    ]);
  });

  test('what the user does not see is left out', async () => {
    simulator.configure({ hiddenObjects: ['Lead', 'Opportunity', 'LeadStatus'] });
    expect(await read()).toMatchObject({ records: [{ recordType: 'Contact' }], leadStatuses: null, pipelines: null });
  });

  test('a refused token is an outcome', async () => {
    expect(await setup.describe(accessTo('bad', { apiUrl: simulator.url }))).toMatchObject({
      status: 'error',
      disconnected: true,
    });
  });
});

describe('a prepared org', () => {
  const BARE = {
    hasEventKeyField: false,
    hasProfileUrlField: false,
    hasDealKeyField: false,
    hasLastValueFields: false,
  };
  async function prepare(isDryRun = false): Promise<readonly PreparedItem[]> {
    const prepared = await setup.prepare({ access: access(), isDryRun });
    if (prepared.status !== 'prepared') throw new Error(prepared.error.message);
    return prepared.items;
  }
  const statesOf = (items: readonly PreparedItem[]) => [...new Set(items.map(({ state }) => state))];
  const writes = () => simulator.requests().filter(({ method }) => method !== 'GET');

  test('makes the fields, shows them to the user of the connection, and then everything works', async () => {
    simulator.configure(BARE);
    const items = await prepare();
    expect(statesOf(items)).toEqual(['made']);
    // Two keys, and a profile URL and 26 last values of contacts and of leads; the permission set, its fields, its user.
    expect(items).toHaveLength(2 + 2 * 27 + 3);
    const connector = createSalesforceConnector({ fetch, timeoutMs: 5_000 });
    const outcome = await writeOne(connector, toWrite({}, { lastValues: { sentCount: 1, lastSentAt: 0 } }), {
      access: access(),
      organizationId: simulator.organizationId,
      records: memoryRecords(),
    });
    expect(outcome).toMatchObject({ status: 'success' });
    expect(simulator.records('Contact')).toMatchObject([{ values: { Svc_Sent_Count__c: 1 } }]);
    expect(simulator.records('Task')).toMatchObject([{ values: { Svc_Event_Key__c: '12:k1' } }]);
  });

  test('repeated, it changes nothing', async () => {
    simulator.configure(BARE);
    await prepare();
    const before = writes().length;
    expect(statesOf(await prepare())).toEqual(['exists']);
    expect(writes()).toHaveLength(before);
  });

  test('a dry run names what is missing and writes nothing', async () => {
    simulator.configure({ ...BARE, hasLastValueFields: true });
    const items = await prepare(true);
    expect(items.filter(({ state }) => state === 'missing').map(({ name }) => name)).toEqual([
      'field Svc_Event_Key__c of Activity',
      'field Svc_Deal_Key__c of Opportunity',
      'field Svc_Profile_Url__c of Contact',
      'field Svc_Profile_Url__c of Lead',
      'permission set Svc Sequencer Sync',
      'access of the permission set to the fields',
      'permission set of the user of the connection',
    ]);
    expect(writes()).toEqual([]);
  });

  test('goes on where an earlier run ended', async () => {
    simulator.configure(BARE);
    simulator.failRecords(1, { objectType: 'PermissionSetAssignment', errorCode: 'UNKNOWN_EXCEPTION' });
    expect((await prepare()).at(-1)).toMatchObject({ state: 'refused' });
    const items = await prepare();
    expect(items.filter(({ state }) => state === 'made')).toEqual([
      { name: 'permission set of the user of the connection', state: 'made', note: null },
    ]);
  });

  test('without the permission, it says what an admin does by hand, and keeps what is there', async () => {
    simulator.configure({ ...BARE, hasLastValueFields: true, mayCustomize: false });
    const items = await prepare();
    expect(items.find(({ name }) => name === 'field Svc_Sent_Count__c of Lead')).toMatchObject({ state: 'exists' });
    expect(items.find(({ name }) => name === 'field Svc_Event_Key__c of Activity')).toMatchObject({
      state: 'refused',
      note: expect.stringMatching(/Object Manager, Activity.*Text, length 80, unique, external id/),
    });
    expect(items.at(-1)).toMatchObject({ state: 'refused', note: expect.stringContaining('permission set') });
    expect(writes()).toEqual([]);
  });

  test('a field that somebody else makes at the same time is there', async () => {
    simulator.configure(BARE);
    const racing = createSalesforceSetup({
      timeoutMs: 5_000,
      fetch: async (input, init) => {
        // The other one makes all fields just after this one has looked.
        const answer = await fetch(input, init);
        if (new Request(input).url.includes('/tooling/query')) await prepare();
        return answer;
      },
    });
    expect(await racing.prepare({ access: access(), isDryRun: false })).toMatchObject({ status: 'prepared' });
    const again = await prepare();
    expect(statesOf(again)).toEqual(['exists']);
  });

  test('an org that does not answer is an outcome', async () => {
    simulator.failNext(5, 503);
    expect(await setup.prepare({ access: access(), isDryRun: false })).toMatchObject({
      status: 'error',
      isUnavailable: true,
    });
  });
});
