import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type HubspotSimulator, startHubspotSimulator } from '@svc/simulators';
import { BLANK_CONTACT, type InboundEvent } from '@svc/sequencers';
import { accessTo, memoryRecords } from '../../test/support/batch.ts';
import { inboundEvent } from '../../test/support/inbound-event.ts';
import { type Deciders, planOf } from '../../test/support/plan.ts';
import { checkExchanges } from '../../test/vendors/check-exchanges.ts';
import { HUBSPOT_FACTS } from '../../test/vendors/hubspot.ts';
import type { CrmConnector, CrmOutcome, CrmWrite } from '../port/types.ts';
import { createHubspotConnector } from './connector.ts';

/** What the outcomes of a policy change in HubSpot besides the timeline, and what that costs. */

const NOW = new Date('2026-03-01T12:00:00.000Z');
let simulator: HubspotSimulator;
let connector: CrmConnector;
let records: ReturnType<typeof memoryRecords>;
const onExchange = checkExchanges(HUBSPOT_FACTS);
beforeAll(async () => {
  simulator = await startHubspotSimulator({ onExchange, owners: ['rep@example.com', 'sam@example.com'] });
});
afterAll(() => simulator.close());
beforeEach(() => {
  simulator.reset();
  connector = connect();
  records = memoryRecords();
});
const connect = () => createHubspotConnector({ fetch, baseUrl: simulator.url, timeoutMs: 5_000, now: () => NOW });

let lastKey = 0;
type Changes = Partial<Omit<InboundEvent, 'contact'>> &
  Pick<Deciders, 'source'> & { contact?: object; policy?: object };
/** An event whose only outcome rule fits. */
function eventOf(
  name: string,
  outcome: object | null,
  { contact, source, policy, ...changes }: Changes = {},
): CrmWrite {
  lastKey += 1;
  const email = `${name}@fjord.example.org`;
  const event = inboundEvent({ toEmail: email, contact: { ...BLANK_CONTACT, email, ...contact }, ...changes });
  const outcomes = outcome === null ? [] : [{ when: {}, ...outcome }];
  return {
    ...{ plan: planOf(event, { source, policy: { outcomes, ...policy } }), event, receivedAt: NOW },
    ...{ idempotencyKey: `12:o${lastKey}`, fields: [], lastValues: null, isRepeated: false },
  };
}
const again = (...events: readonly CrmWrite[]) => events.map((event) => ({ ...event, isRepeated: true }));
const write = (...events: readonly CrmWrite[]): Promise<readonly CrmOutcome[]> =>
  connector.writeEvents({ access: accessTo('t'), organizationId: '1000001', records, events });
const statuses = (outcomes: readonly CrmOutcome[]) => outcomes.map(({ status }) => status);
const contact = () => simulator.records('contacts')[0]?.properties;
const seedContact = (properties: object = {}) =>
  simulator.seed('contacts', { email: 'kim@fjord.example.org', ...properties });
const calls = () => simulator.requests().map(({ method, path }) => `${method} ${path.replaceAll('/2026-09', '')}`);
async function callsOf(run: () => Promise<unknown>): Promise<string[]> {
  const before = calls().length;
  await run();
  return calls().slice(before);
}

describe('lead status', () => {
  test('is named by label or value, and replaces what is there', async () => {
    seedContact({ hs_lead_status: 'NEW' });
    expect(statuses(await write(eventOf('kim', { leadStatus: 'in progress' })))).toEqual(['success']);
    expect(contact()).toMatchObject({ hs_lead_status: 'IN_PROGRESS' });
    await write(eventOf('kim', { leadStatus: 'BAD_TIMING' }));
    expect(contact()).toMatchObject({ hs_lead_status: 'BAD_TIMING' });
  });

  test('of a contact that is created', async () => {
    await write(eventOf('kim', { leadStatus: 'Connected', lifecycleStage: 'lead' }));
    expect(contact()).toMatchObject({ hs_lead_status: 'CONNECTED', lifecyclestage: 'lead' });
  });

  test('the last one of a batch stays', async () => {
    await write(
      ...['NEW', 'OPEN', 'CONNECTED'].map((leadStatus) => eventOf('kim', { leadStatus })),
      eventOf('kim', null),
    );
    expect(contact()).toMatchObject({ hs_lead_status: 'CONNECTED' });
  });

  test('that the account does not have is a warning', async () => {
    expect(await write(eventOf('kim', { leadStatus: 'Nonsense' }))).toMatchObject([
      { status: 'warning', error: { code: 'no_such_lead_status' } },
    ]);
  });

  test('is written whatever else the plan writes', async () => {
    seedContact();
    await write(eventOf('kim', { leadStatus: 'OPEN' }, { policy: { events: [{ write: ['timeline'] }] } }));
    expect(contact()).toMatchObject({ hs_lead_status: 'OPEN' });
  });

  test('of the contact that has the profile URL, when the event does not give it the address', async () => {
    const profileUrl = 'https://www.linkedin.com/in/kim';
    await write(eventOf('kim', null, { toEmail: profileUrl, contact: { email: null, profileUrl, lastName: 'Berg' } }));
    const policy = { events: [{ write: ['timeline'] }] };
    await write(eventOf('kim', { leadStatus: 'OPEN' }, { policy, contact: { profileUrl } }));
    expect(simulator.contacts()).toMatchObject([{ properties: { hs_lead_status: 'OPEN' } }]);
    expect(contact()).not.toHaveProperty('email');
  });

  test('is that of the last event after a failure', async () => {
    const events = [
      eventOf('kim', { leadStatus: 'NEW', task: { subject: 'Call' } }),
      eventOf('kim', { leadStatus: 'OPEN' }),
    ];
    simulator.failNext(1, 500, { match: /tasks\/batch\/upsert/ });
    expect(statuses(await write(...events))).toEqual(['error', 'error']);
    expect(statuses(await write(...again(...events)))).toEqual(['success', 'success']);
    expect(contact()).toMatchObject({ hs_lead_status: 'OPEN' });
  });

  test('that the contact has already costs no call', async () => {
    await write(eventOf('kim', { leadStatus: 'OPEN', lifecycleStage: 'lead' }));
    expect(await callsOf(() => write(eventOf('kim', { leadStatus: 'OPEN', lifecycleStage: 'lead' })))).toHaveLength(2);
  });
});

describe('lifecycle stage', () => {
  test.each([
    [undefined, 'lead', 'lead'],
    ['subscriber', 'Salesqualifiedlead', 'salesqualifiedlead'],
    ['customer', 'salesqualifiedlead', 'customer'],
    ['lead', 'lead', 'lead'],
  ])('%s and then %s is %s', async (before, lifecycleStage, after) => {
    seedContact(before === undefined ? {} : { lifecyclestage: before });
    for (let count = 0; count < 2; count += 1) {
      expect(statuses(await write(eventOf('kim', { lifecycleStage })))).toEqual(['success']);
      expect(contact()).toMatchObject({ lifecyclestage: after });
    }
  });

  test('the furthest one of a batch is written', async () => {
    const stages = ['lead', 'opportunity', 'marketingqualifiedlead'];
    await write(...stages.map((lifecycleStage) => eventOf('kim', { lifecycleStage })));
    expect(contact()).toMatchObject({ lifecyclestage: 'opportunity' });
  });

  test('is read before it is written: somebody may have set a later one', async () => {
    const record = seedContact({ lifecyclestage: 'lead' });
    await write(eventOf('kim', { lifecycleStage: 'lead' }));
    simulator.deleteRecord('contacts', record.id);
    seedContact({ lifecyclestage: 'customer' });
    await write(eventOf('kim', { lifecycleStage: 'opportunity' }));
    expect(contact()).toMatchObject({ lifecyclestage: 'customer' });
  });
});

describe('lists', () => {
  test('the contacts of a batch are added in one call, and a repeat changes nothing', async () => {
    const list = simulator.createList({ name: 'Interested', objectType: 'contacts', members: [] });
    const events = ['kim', 'lou', 'kim'].map((name) => eventOf(name, { list }));
    const made = await callsOf(async () =>
      expect(new Set(statuses(await write(...events)))).toEqual(new Set(['success'])),
    );
    expect(made.filter((call) => call.includes('/lists/'))).toEqual([`PUT /crm/lists/${list}/memberships/add`]);
    await write(...again(...events));
    expect(simulator.listMembers(list)).toHaveLength(2);
  });

  test.each(['404', 'a name', 'dynamic'])('a list that cannot be used is a warning: %s', async (kind) => {
    const dynamic = { name: 'Auto', objectType: 'contacts', members: [], processingType: 'DYNAMIC' } as const;
    const list = kind === 'dynamic' ? simulator.createList(dynamic) : kind;
    expect(await write(eventOf('kim', { list }))).toMatchObject([{ status: 'warning' }]);
    expect(simulator.engagements()).toHaveLength(1);
  });
});

describe('deals', () => {
  const DEAL = { deal: { stage: 'Qualified to buy', name: '{company} ({campaign})' } };
  const PARTNER = { deal: { pipeline: 'partners', stage: 'First talk' } };

  test('a deal in the first pipeline, with stage, name and owner, on the contact', async () => {
    const source = { assignContactOwner: true };
    const written = await write(eventOf('kim', DEAL, { source, contact: { companyName: 'Fjord' } }));
    expect(statuses(written)).toEqual(['success']);
    expect(simulator.deals()).toMatchObject([
      {
        properties: {
          ...{ dealname: 'Fjord (Spring <2026>)', pipeline: 'default', dealstage: 'qualifiedtobuy' },
          hubspot_owner_id: '7001',
        },
        associations: { contacts: [simulator.contacts()[0]?.id] },
      },
    ]);
  });

  test('one per contact and pipeline, also when it is asked for again, and stages that somebody set stay', async () => {
    const events = [eventOf('kim', DEAL), eventOf('kim', DEAL), eventOf('kim', PARTNER), eventOf('lou', DEAL)];
    await write(...events);
    expect(simulator.deals()).toHaveLength(3);
    await write(...again(...events), eventOf('kim', { deal: { stage: 'closedwon' } }));
    expect(simulator.deals().map(({ properties }) => properties['dealstage'])).toEqual([
      'qualifiedtobuy',
      '75002',
      'qualifiedtobuy',
    ]);
  });

  test.each([
    ['an open deal in the pipeline', { pipeline: 'default', dealstage: 'appointmentscheduled' }, 0],
    ['a closed deal in the pipeline', { pipeline: 'default', dealstage: 'closedlost' }, 1],
    ['an open deal in another pipeline', { pipeline: '75001', dealstage: '75002' }, 1],
  ])('a contact with %s gets %#', async (_what, properties, expected) => {
    simulator.seed('deals', { dealname: 'By hand', ...properties }, seedContact());
    expect(statuses(await write(eventOf('kim', DEAL)))).toEqual(['success']);
    expect(simulator.deals()).toHaveLength(expected);
  });

  test.each([
    [{ pipeline: 'Nonsense', stage: 'a' }, 'no_such_pipeline'],
    [{ stage: 'Nonsense' }, 'no_such_stage'],
  ])('a pipeline or stage that the account does not have is a warning', async (deal, code) => {
    expect(await write(eventOf('kim', { deal }))).toMatchObject([{ status: 'warning', error: { code } }]);
  });

  test('a token that may not see deals is a warning', async () => {
    simulator.failNext(1, 403, { match: /pipelines/ });
    expect(await write(eventOf('kim', DEAL), eventOf('lou', DEAL))).toMatchObject([
      { status: 'warning', error: { code: 'forbidden' } },
      { status: 'warning', error: { code: 'forbidden' } },
    ]);
  });

  test('an attempt that ended before the association is completed', async () => {
    const event = eventOf('kim', DEAL);
    simulator.failNext(1, 500, { match: /deals\/contacts/ });
    expect(statuses(await write(event))).toEqual(['error']);
    expect(statuses(await write(...again(event)))).toEqual(['success']);
    expect(simulator.deals()).toMatchObject([{ associations: { contacts: [simulator.contacts()[0]?.id] } }]);
  });

  test('two processes that write at once make one', async () => {
    await write(eventOf('kim', null));
    await Promise.all(
      [1, 2, 3].map(() =>
        connect().writeEvents({
          ...{ access: accessTo('t'), organizationId: '1000001', records: memoryRecords() },
          events: [eventOf('kim', DEAL)],
        }),
      ),
    );
    expect(simulator.deals()).toHaveLength(1);
  });

  test('100 deals of known contacts cost 4 calls', async () => {
    const names = Array.from({ length: 100 }, (_, index) => `c${index}`);
    await write(...names.map((name) => eventOf(name, null)), eventOf('other', DEAL));
    const plain = await callsOf(() => write(...names.map((name) => eventOf(name, null))));
    const made = await callsOf(() => write(...names.map((name) => eventOf(name, DEAL))));
    expect(plain).toHaveLength(2);
    expect(made.slice(2)).toEqual([
      'POST /crm/objects/deals/batch/read',
      'POST /crm/associations/contacts/deals/batch/read',
      'POST /crm/objects/deals/batch/upsert',
      'POST /crm/associations/deals/contacts/batch/associate/default',
    ]);
    expect(simulator.deals()).toHaveLength(101);
  });
});

describe('tasks', () => {
  test('an open task with a due time, for the owner of the event; a repeat adds none', async () => {
    const policy = { owner: { map: [{ mailbox: '*', user: 'sam@example.com' }] } };
    const events = [
      eventOf('kim', { task: { subject: 'Call back', due: '2d' } }, { policy }),
      eventOf('kim', { task: { subject: 'Call back', due: '2d' } }, { policy }),
    ];
    await write(...events);
    await write(...again(...events));
    const occurredAt = events[0]?.event.occurredAt?.getTime() ?? 0;
    expect(simulator.tasks()).toHaveLength(2);
    expect(simulator.tasks()[0]).toMatchObject({
      properties: {
        ...{ hs_task_subject: 'Call back', hubspot_owner_id: '7002', hs_task_type: 'TODO' },
        hs_timestamp: new Date(occurredAt + 2 * 86_400_000).toISOString(),
      },
      associations: { contacts: [simulator.contacts()[0]?.id] },
    });
  });

  test('stands beside the task of a reply, in the same calls', async () => {
    const reply = { eventType: 'EMAIL_REPLY', source: { createOrUpdateTask: true } };
    await write(eventOf('kim', null, reply));
    const plain = await callsOf(() => write(eventOf('kim', null, reply)));
    const made = await callsOf(() => write(eventOf('kim', { task: { subject: 'Call' } }, reply)));
    expect(made).toEqual(plain);
    expect(simulator.tasks()).toHaveLength(4);
  });
});

test('more tasks than HubSpot takes in one batch are sent in two', async () => {
  const names = Array.from({ length: 100 }, (_, index) => `p${index}`);
  const outcomes = ['Call', 'Mail'].map((subject) => ({ when: {}, task: { subject } }));
  const made = await callsOf(() => write(...names.map((name) => eventOf(name, null, { policy: { outcomes } }))));
  expect(made.filter((call) => call.endsWith('tasks/batch/upsert'))).toHaveLength(2);
  expect(simulator.records('tasks')).toHaveLength(200);
});
