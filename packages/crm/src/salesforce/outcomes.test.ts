import { type SalesforceSimulator, startSalesforceSimulator } from '@svc/simulators';
import type { InboundEvent } from '@svc/sequencers';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { accessTo, memoryRecords } from '../../test/support/batch.ts';
import { inboundEvent } from '../../test/support/inbound-event.ts';
import { about, toWrite, type WriteChanges } from '../../test/support/salesforce.ts';
import type { CrmConnector, CrmOutcome, CrmWrite } from '../port/types.ts';
import { createSalesforceConnector } from './connector.ts';

/** What events change besides the timeline, and on what else than the contact their tasks stand. */

const KIM = 'kim@fjord.example.org';
const NOW = new Date('2026-03-01T12:00:00.000Z');
let simulator: SalesforceSimulator;
let connector: CrmConnector;
let records = memoryRecords();
let now = NOW;
let looked = 0;
beforeAll(async () => {
  simulator = await startSalesforceSimulator({ users: [{ email: 'rep@example.com' }], now: () => now });
});
afterAll(() => simulator.close());
beforeEach(() => {
  simulator.reset();
  records = memoryRecords();
  now = NOW;
  looked = 0;
  connector = createSalesforceConnector({ fetch, timeoutMs: 5_000, now: () => now });
});

const writeAll = (events: readonly CrmWrite[]): Promise<readonly CrmOutcome[]> =>
  connector.writeEvents({
    access: accessTo('t', { apiUrl: simulator.url }),
    organizationId: simulator.organizationId,
    records,
    events,
  });
let keys = 0;
/** An event with outcomes that always fit. */
const event = (outcome: object, rest: WriteChanges = {}, changes: Partial<InboundEvent> = {}): CrmWrite => {
  keys += 1;
  const policy = { outcomes: [{ when: {}, ...outcome }], ...rest.policy };
  return toWrite(changes, { idempotencyKey: `12:o${keys}`, ...rest, policy });
};
async function write(...args: Parameters<typeof event>): Promise<CrmOutcome | undefined> {
  const [outcome] = await writeAll([event(...args)]);
  return outcome;
}
function calls(): string[] {
  const all = simulator.requests().slice(looked);
  looked += all.length;
  return all
    .map(({ method, path }) => `${method} ${path.replace('/services/data/v66.0', '')}`)
    .filter((call) => !/\/describe|TaskStatus|\/ui-api\//.test(call))
    .map((call) => call.replace(/\?.*/, ''));
}
const seedKim = (type: 'Contact' | 'Lead' = 'Contact', values: object = {}) =>
  simulator.seed(type, { LastName: 'Berg', FirstName: 'Kim', Email: KIM, Company: 'Fjord', ...values });
const valuesOf = (type: Parameters<SalesforceSimulator['records']>[0]) =>
  simulator.records(type).map(({ values }) => values);
const userOf = (email: string) =>
  simulator.records('User').find(({ values }) => values['Email'] === email)?.id ?? 'no such user';

describe('the status of a lead', () => {
  const source = { salesforceObjectType: 'Lead' };

  test('is set when it is created, and when it exists', async () => {
    await write({ leadStatus: 'interested' }, { source });
    expect(valuesOf('Lead')).toMatchObject([{ Status: 'Interested' }]);
    await write({ leadStatus: 'Working' });
    expect(valuesOf('Lead')).toMatchObject([{ Status: 'Working' }]);
  });

  test('of two events of a batch is that of the last one that has some', async () => {
    seedKim('Lead');
    await writeAll([
      event({ leadStatus: 'Working' }),
      event({ leadStatus: 'Interested' }),
      event({ task: { subject: 'x' } }),
    ]);
    expect(simulator.records('Lead')).toMatchObject([{ values: { Status: 'Interested' } }]);
  });

  test('is not set without the outcome, and costs one call with it', async () => {
    seedKim('Lead', { Phone: '1', Title: 'x', Website: 'x', Svc_Profile_Url__c: 'https://x' });
    await writeAll([toWrite()]);
    expect(valuesOf('Lead')).toMatchObject([{ Status: 'Open' }]);
    calls();
    await write({ leadStatus: 'Working' });
    expect(calls()).toEqual(['PATCH /composite/sobjects', 'POST /composite/sobjects']);
  });

  test('contacts have none, nor has the contact of a converted lead', async () => {
    const lead = seedKim('Lead');
    await write({ leadStatus: 'Working' });
    simulator.convertLead(lead);
    expect(await write({ leadStatus: 'Interested' })).toMatchObject({ status: 'success' });
    expect(valuesOf('Lead')).toMatchObject([{ Status: 'Working' }]);
    expect(valuesOf('Contact')).toMatchObject([{ Email: KIM }]);
  });

  test('that the org does not have is a warning', async () => {
    seedKim('Lead');
    expect(await write({ leadStatus: 'Nothing' })).toMatchObject({
      status: 'warning',
      engagementId: expect.any(String),
      error: { code: 'unknown_lead_status' },
    });
  });

  test('that a rule refuses is a warning', async () => {
    seedKim('Lead');
    simulator.failRecords(1, { objectType: 'Lead', errorCode: 'INVALID_STATUS', fields: ['Status'] });
    expect(await write({ leadStatus: 'Working' })).toMatchObject({
      status: 'warning',
      engagementId: expect.any(String),
    });
  });
});

describe('a campaign', () => {
  const seedCampaign = () => simulator.seed('Campaign', { Name: 'Spring' });

  test.each(['Contact', 'Lead'] as const)('gets a %s as a member once, with the status', async (type) => {
    const id = seedKim(type);
    const campaign = seedCampaign();
    const outcome = { campaign: { id: campaign.slice(0, 15), status: 'Responded' } };
    expect(await write(outcome)).toMatchObject({ status: 'success' });
    await write(outcome);
    expect(valuesOf('CampaignMember')).toMatchObject([
      { CampaignId: campaign, [type === 'Lead' ? 'LeadId' : 'ContactId']: id, Status: 'Responded' },
    ]);
    expect(simulator.records('CampaignMember')).toMatchObject([{ writes: 1 }]);
  });

  test('changes the status of a member, and keeps it without one', async () => {
    const contact = seedKim();
    const campaign = seedCampaign();
    simulator.seed('CampaignMember', { CampaignId: campaign, ContactId: contact, Status: 'Sent' });
    await write({ campaign: { id: campaign } });
    expect(valuesOf('CampaignMember')).toMatchObject([{ Status: 'Sent' }]);
    await write({ campaign: { id: campaign, status: 'Responded' } });
    expect(simulator.records('CampaignMember')).toMatchObject([{ values: { Status: 'Responded' }, writes: 1 }]);
  });

  test('of several events in a batch, the last status counts; a hundred people cost two calls', async () => {
    const campaign = seedCampaign();
    const hundred = Array.from({ length: 100 }, (_, index) =>
      event({ campaign: { id: campaign, status: 'Sent' } }, {}, about(`p${index}`)),
    );
    await writeAll(hundred);
    expect(simulator.records('CampaignMember')).toHaveLength(100);
    expect(calls()).toEqual([
      'POST /composite',
      'POST /composite/sobjects',
      'GET /query',
      'POST /composite/sobjects',
      'POST /composite/sobjects',
    ]);
    await writeAll([
      event({ campaign: { id: campaign, status: 'Responded' } }, {}, about('p0')),
      event({ campaign: { id: campaign } }, {}, about('p0')),
    ]);
    expect(valuesOf('CampaignMember')[0]).toMatchObject({ Status: 'Responded' });
  });

  test.each([
    ['a name', 'Spring', 'unknown_campaign'],
    ['an id that no campaign has', '701000000000001', 'refused'],
  ])('named by %s is a warning', async (_, id, code) => {
    seedKim();
    expect(await write({ campaign: { id } })).toMatchObject({ status: 'warning', error: { code } });
    expect(valuesOf('Task')).toHaveLength(1);
  });

  test('a person whom somebody else makes a member at this moment is one', async () => {
    seedKim();
    const campaign = seedCampaign();
    simulator.failRecords(1, { objectType: 'CampaignMember', errorCode: 'DUPLICATE_VALUE' });
    expect(await write({ campaign: { id: campaign } })).toMatchObject({ status: 'success' });
  });

  test('a member that is locked repeats the event, which is then written once', async () => {
    seedKim();
    const campaign = seedCampaign();
    simulator.failRecords(1, { objectType: 'CampaignMember', errorCode: 'UNABLE_TO_LOCK_ROW' });
    const written = event({ campaign: { id: campaign } });
    expect(await writeAll([written])).toMatchObject([{ status: 'error', retry: { afterMs: 2_000 } }]);
    expect(await writeAll([{ ...written, isRepeated: true }])).toMatchObject([{ status: 'success' }]);
    expect(valuesOf('CampaignMember')).toHaveLength(1);
    expect(valuesOf('Task')).toHaveLength(1);
  });
});

test('a locked member of a campaign repeats the event whose status counts, so that it is not lost', async () => {
  seedKim();
  const campaign = simulator.seed('Campaign', { Name: 'Spring' });
  const written = [event({ campaign: { id: campaign, status: 'Responded' } }), event({ campaign: { id: campaign } })];
  simulator.failRecords(1, { objectType: 'CampaignMember', errorCode: 'UNABLE_TO_LOCK_ROW' });
  const first = await writeAll(written);
  const failed = written.filter((_, index) => first[index]?.status === 'error');
  await writeAll(failed.map((each) => ({ ...each, isRepeated: true })));
  expect(valuesOf('CampaignMember')).toMatchObject([{ Status: 'Responded' }]);
});

describe('an opportunity', () => {
  const deal = { deal: { stage: 'prospecting' } };

  test('is made once per contact, with its account, its owner and a contact role', async () => {
    const account = simulator.seed('Account', { Name: 'Fjord' });
    const contact = seedKim('Contact', { AccountId: account });
    const policy = { owner: { map: [{ mailbox: '*', user: 'rep@example.com' }] } };
    expect(await write(deal, { policy })).toMatchObject({ status: 'success' });
    const [opportunity] = simulator.records('Opportunity');
    expect(opportunity?.values).toMatchObject({
      Name: 'Kim Berg (Spring <2026>)',
      StageName: 'Prospecting',
      CloseDate: '2026-03-31',
      AccountId: account,
      OwnerId: userOf('rep@example.com'),
    });
    expect(valuesOf('OpportunityContactRole')).toMatchObject([
      { OpportunityId: opportunity?.id, ContactId: contact, IsPrimary: true },
    ]);
    await write(deal, { policy });
    await writeAll([event(deal), event(deal)]);
    expect(valuesOf('Opportunity')).toHaveLength(1);
  });

  test('is not made again when the first one was closed', async () => {
    seedKim();
    await write(deal);
    simulator.edit(simulator.records('Opportunity')[0]?.id ?? '', { StageName: 'Closed Lost', IsClosed: true });
    expect(await write(deal)).toMatchObject({ status: 'success' });
    expect(valuesOf('Opportunity')).toHaveLength(1);
  });

  test('is not made for a contact who has an open one of somebody else', async () => {
    const contact = seedKim();
    const opportunity = simulator.seed('Opportunity', { Name: 'x', StageName: 'Prospecting', CloseDate: '2026-03-01' });
    simulator.seed('OpportunityContactRole', { OpportunityId: opportunity, ContactId: contact });
    await write(deal);
    expect(valuesOf('Opportunity')).toHaveLength(1);
  });

  test('there is one per pipeline', async () => {
    simulator.configure({
      recordTypes: [
        { name: 'Renewal', stages: ['Closed Won', 'Qualification'] },
        { name: 'New business', stages: ['Prospecting'], isDefault: true },
      ],
    });
    seedKim();
    const renewal = { deal: { pipeline: 'renewal', stage: 'Qualification' } };
    for (const outcome of [deal, renewal, deal, renewal])
      expect(await write(outcome)).toMatchObject({ status: 'success' });
    expect(valuesOf('Opportunity').map(({ StageName }) => StageName)).toEqual(['Prospecting', 'Qualification']);
    expect(new Set(valuesOf('Opportunity').map(({ RecordTypeId }) => RecordTypeId)).size).toBe(2);
    expect(await write({ deal: { pipeline: 'Renewal', stage: 'Prospecting' } })).toMatchObject({
      status: 'warning',
      error: { code: 'unknown_stage' },
    });
    expect(await write({ deal: { pipeline: 'Nothing', stage: 'Prospecting' } })).toMatchObject({
      error: { code: 'unknown_pipeline' },
    });
  });

  test('is not made of a lead, which a warning says', async () => {
    seedKim('Lead');
    expect(await write(deal)).toMatchObject({ status: 'warning', error: { code: 'lead_has_no_opportunity' } });
    expect(valuesOf('Opportunity')).toEqual([]);
    expect(valuesOf('Task')).toHaveLength(1);
  });

  test('is not made without its key, which a warning says, until somebody makes the field', async () => {
    simulator.configure({ hasDealKeyField: false });
    seedKim();
    expect(await write(deal)).toMatchObject({ status: 'warning', error: { code: 'not_prepared' } });
    expect(valuesOf('Opportunity')).toEqual([]);
    simulator.configure({ hasDealKeyField: true });
    now = new Date(NOW.getTime() + 31 * 60_000);
    await write(deal);
    expect(valuesOf('Opportunity')).toHaveLength(1);
  });

  test.each(['lost-answer', 503, 'reset'] as const)('is made once when the answer to it is %s', async (fault) => {
    seedKim();
    await writeAll([toWrite()]);
    const written = event(deal);
    // What the org offers for opportunities, and the search, come before it.
    await writeAll([event(deal, {}, about('lou'))]);
    const before = valuesOf('Opportunity').length;
    simulator.failNext(1, fault, { match: /^POST .*\/composite\/sobjects$/ });
    expect(await writeAll([written])).toMatchObject([{ status: 'error' }]);
    expect(await writeAll([{ ...written, isRepeated: true }])).toMatchObject([{ status: 'success' }]);
    expect(valuesOf('Opportunity')).toHaveLength(before + 1);
    expect(valuesOf('OpportunityContactRole')).toHaveLength(before + 1);
  });

  test('that is refused is a warning', async () => {
    seedKim();
    simulator.failRecords(1, { objectType: 'Opportunity', errorCode: 'REQUIRED_FIELD_MISSING', fields: ['Amount'] });
    expect(await write(deal)).toMatchObject({ status: 'warning', engagementId: expect.any(String) });
  });

  test('that the user must not see is a warning', async () => {
    simulator.configure({ hiddenObjects: ['Opportunity', 'OpportunityContactRole'] });
    seedKim();
    expect(await write(deal)).toMatchObject({ status: 'warning', engagementId: expect.any(String) });
  });

  test('a hundred cost two calls, and one when they are there', async () => {
    const hundred = () => Array.from({ length: 100 }, (_, index) => event(deal, {}, about(`p${index}`)));
    await writeAll(hundred());
    expect(simulator.records('Opportunity')).toHaveLength(100);
    calls();
    await writeAll(hundred());
    expect(calls()).toEqual(['POST /composite', 'POST /composite/sobjects']);
    expect(simulator.records('Opportunity')).toHaveLength(100);
  });
});

test('a remembered contact that was deleted since gets its outcomes as a new one, also without a task', async () => {
  const campaign = simulator.seed('Campaign', { Name: 'Spring' });
  await writeAll([toWrite()]);
  simulator.delete(simulator.records('Contact')[0]?.id ?? '');
  const policy = {
    events: [{ write: ['fields'] }],
    outcomes: [{ when: {}, deal: { stage: 'Prospecting' }, campaign: { id: campaign } }],
  };
  expect(await write({}, { policy })).toMatchObject({ status: 'success' });
  const [contact] = simulator.records('Contact');
  expect(valuesOf('OpportunityContactRole')).toMatchObject([{ ContactId: contact?.id }]);
  expect(valuesOf('CampaignMember')).toMatchObject([{ ContactId: contact?.id }]);
});

describe('a to-do', () => {
  const outcome = { task: { subject: 'Call Kim', due: '3d' } };

  test('is made once, due after the event, for the owner of the contact', async () => {
    const contact = seedKim('Contact', { OwnerId: userOf('rep@example.com') });
    const written = event(outcome);
    expect(await writeAll([written])).toMatchObject([{ status: 'success' }]);
    expect(valuesOf('Task')).toMatchObject([
      { Status: 'Completed' },
      {
        WhoId: contact,
        Subject: 'Call Kim',
        Status: 'Not Started',
        ActivityDate: '2026-03-04',
        OwnerId: userOf('rep@example.com'),
      },
    ]);
    expect(await writeAll([{ ...written, isRepeated: true }])).toMatchObject([{ status: 'success' }]);
    expect(valuesOf('Task')).toHaveLength(2);
  });

  test.each([{}, { hasEventKeyField: false }, { hasEventKeyField: false, hasCallObject: false }])(
    'stands beside the to-do of a reply and others of the event, also when it is repeated: %j',
    async (org) => {
      simulator.configure(org);
      seedKim();
      const written = event(
        {},
        {
          source: { createOrUpdateTask: true },
          policy: {
            outcomes: [
              { when: {}, ...outcome },
              { when: {}, task: { subject: 'Write Kim' } },
            ],
          },
        },
        { eventType: 'EMAIL_REPLY' },
      );
      await writeAll([written]);
      await writeAll([{ ...written, isRepeated: true }]);
      expect(valuesOf('Task')).toHaveLength(4);
    },
  );

  test('costs no call of its own', async () => {
    seedKim();
    await writeAll([toWrite()]);
    calls();
    await write(outcome);
    expect(calls()).toEqual(['POST /composite/sobjects']);
  });
});

test('what Salesforce does not have is a warning', async () => {
  seedKim();
  expect(await write({ lifecycleStage: 'customer', list: '5' })).toMatchObject({
    status: 'warning',
    error: { code: 'not_supported' },
  });
});

test('outcomes of somebody whom nobody may create are left out', async () => {
  expect(
    await write({ deal: { stage: 'Prospecting' }, task: { subject: 'x' } }, { policy: { create: 'never' } }),
  ).toMatchObject({
    status: 'warning',
    error: { code: 'no_matching_contact' },
  });
  expect([...valuesOf('Opportunity'), ...valuesOf('Task')]).toEqual([]);
});

describe('associations', () => {
  const on = (associations: object) => ({ policy: { associations } });
  const seedDeal = (contact: string, values: object = {}) => {
    const id = simulator.seed('Opportunity', {
      Name: 'x',
      StageName: 'Prospecting',
      CloseDate: '2026-03-01',
      ...values,
    });
    simulator.seed('OpportunityContactRole', { OpportunityId: id, ContactId: contact });
    return id;
  };
  const whatIds = () => valuesOf('Task').map(({ WhatId }) => WhatId ?? null);
  let account = '';
  let contact = '';
  beforeEach(() => {
    account = simulator.seed('Account', { Name: 'Fjord' });
    contact = seedKim('Contact', { AccountId: account });
  });

  test('none without the policy', async () => {
    seedDeal(contact);
    await writeAll([toWrite()]);
    expect(whatIds()).toEqual([null]);
  });

  test('the account, for no call', async () => {
    await writeAll([toWrite({}, on({ company: true }))]);
    calls();
    await writeAll([toWrite({}, { ...on({ company: true }), idempotencyKey: '12:k2' })]);
    expect(whatIds()).toEqual([account, account]);
    expect(calls()).toEqual(['POST /composite/sobjects']);
  });

  test('the open opportunity before the account, for one call', async () => {
    await writeAll([toWrite()]);
    const open = seedDeal(contact);
    seedDeal(contact, { StageName: 'Closed Won' });
    calls();
    await writeAll([toWrite({}, { ...on({ company: true, deal: true }), idempotencyKey: '12:k2' })]);
    expect(whatIds()).toEqual([null, open]);
    expect(calls()).toEqual(['GET /query', 'POST /composite/sobjects']);
  });

  test('none of several open ones', async () => {
    seedDeal(contact);
    seedDeal(contact);
    await writeAll([toWrite({}, on({ deal: true }))]);
    expect(whatIds()).toEqual([null]);
  });

  test('the one that the event makes', async () => {
    await write({ deal: { stage: 'Prospecting' } }, on({ deal: true }));
    expect(whatIds()).toEqual([simulator.records('Opportunity')[0]?.id]);
  });

  test('the account that the event finds', async () => {
    const found = simulator.seed('Account', { Name: 'Crate', Website: 'crate.example' });
    const lou = about('lou');
    await writeAll([
      toWrite(
        { ...lou, contact: { ...inboundEvent().contact, ...lou.contact, companyDomain: 'crate.example' } },
        { ...on({ company: true }), source: { createOrUpdateCompany: true } },
      ),
    ]);
    expect(whatIds()).toEqual([found]);
  });

  test('a task of a lead stands on nothing else', async () => {
    simulator.delete(contact);
    seedKim('Lead');
    expect(await writeAll([toWrite({}, on({ company: true, deal: true }))])).toMatchObject([{ status: 'success' }]);
    expect(whatIds()).toEqual([null]);
  });

  test('that the user must not use is left out with a warning', async () => {
    simulator.failRecords(1, { objectType: 'Task', errorCode: 'INSUFFICIENT_ACCESS_ON_CROSS_REFERENCE_ENTITY' });
    expect(await writeAll([toWrite({}, on({ company: true }))])).toMatchObject([
      { status: 'warning', engagementId: expect.any(String) },
    ]);
    expect(whatIds()).toEqual([null]);
  });

  test('an account that was deleted since is noticed', async () => {
    await writeAll([toWrite({}, on({ company: true }))]);
    simulator.delete(account);
    simulator.edit(contact, { AccountId: null });
    expect(await writeAll([toWrite({}, { ...on({ company: true }), idempotencyKey: '12:k2' })])).toMatchObject([
      { status: 'success' },
    ]);
    expect(whatIds()).toEqual([account, null]);
  });
});
