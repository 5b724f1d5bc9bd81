import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type HubspotSimulator, startHubspotSimulator } from '@svc/simulators';
import { BLANK_CONTACT, type InboundEvent } from '@svc/sequencers';
import { accessTo, memoryRecords } from '../../test/support/batch.ts';
import { inboundEvent } from '../../test/support/inbound-event.ts';
import { type Deciders, planOf } from '../../test/support/plan.ts';
import { checkExchanges } from '../../test/vendors/check-exchanges.ts';
import { HUBSPOT_FACTS } from '../../test/vendors/hubspot.ts';
import { noMatchingContact } from '../port/no-matching-contact.ts';
import type { CrmConnector, CrmOutcome, CrmWrite } from '../port/types.ts';
import { createHubspotConnector } from './connector.ts';

/** What the connector makes of the plan of an event: whether it creates the contact, what it writes, and who owns it. */

const NOW = new Date('2026-03-01T12:00:00.000Z');
const REP = '7001';
const SAM = '7002';
/** What HubSpot answers, as JSON inside the message, when it refuses the owner of a record. */
const OWNER_REFUSED = `Property values were not valid: ${JSON.stringify([
  { isValid: false, message: 'no such owner', error: 'INVALID_OWNER_ID', name: 'hubspot_owner_id' },
])}`;

let simulator: HubspotSimulator;
let connector: CrmConnector;
let records: ReturnType<typeof memoryRecords>;
let refusesOwnerOf: readonly string[] = [];
const onExchange = checkExchanges(HUBSPOT_FACTS);
beforeAll(async () => {
  simulator = await startHubspotSimulator({
    onExchange,
    owners: ['rep@example.com', 'sam@example.com'],
    validationRule: (type, values) =>
      refusesOwnerOf.includes(type) && values['hubspot_owner_id'] !== undefined ? OWNER_REFUSED : null,
  });
});
afterAll(() => simulator.close());
beforeEach(() => {
  simulator.reset();
  refusesOwnerOf = [];
  connector = createHubspotConnector({ fetch, baseUrl: simulator.url, timeoutMs: 5_000, now: () => NOW });
  records = memoryRecords();
});

let lastKey = 0;
type Changes = Partial<Omit<InboundEvent, 'contact'>> & Deciders & { contact?: Partial<InboundEvent['contact']> };
/** An event of the contact with this name and address, or of the one with this profile URL. */
function eventOf(name: string, { contact, source, policy, ...changes }: Changes = {}): CrmWrite {
  lastKey += 1;
  const email = name.startsWith('https:') ? null : `${name}@fjord.example.org`;
  const event = inboundEvent({
    toEmail: email ?? name,
    contact: { ...BLANK_CONTACT, email, profileUrl: email === null ? name : null, ...contact },
    ...changes,
  });
  const plan = planOf(event, { source, policy });
  return {
    plan,
    event,
    idempotencyKey: `12:k${lastKey}`,
    receivedAt: NOW,
    fields: [],
    lastValues: null,
    isRepeated: false,
  };
}

const write = (...events: CrmWrite[]): Promise<readonly CrmOutcome[]> =>
  connector.writeEvents({ access: accessTo('t'), organizationId: '1000001', records, events });
const statuses = (outcomes: readonly CrmOutcome[]) => outcomes.map(({ status }) => status);
const NOT_PROPERTIES = /^(?!.*\/properties\/)/;
const calls = () =>
  simulator
    .requests()
    .map(({ method, path }) => `${method} ${path.replace('/batch', '').replace('/2026-09', '')}`)
    .filter((call) => NOT_PROPERTIES.test(call));
async function callsOf(run: () => Promise<unknown>): Promise<string[]> {
  const before = calls().length;
  await run();
  return calls().slice(before);
}
const counts = () => {
  const { contacts, engagements, companies, tasks } = simulator.state().counts;
  return { contacts, engagements, companies, tasks };
};
const contactOf = (email: string) =>
  simulator.contacts().find(({ properties }) => properties['email'] === `${email}@fjord.example.org`)?.properties;
const URL_OF_KIM = 'https://www.linkedin.com/in/kim';
const NEVER = { create: 'never' };
const ALL = { createOrUpdateCompany: true, createOrUpdateTask: true, assignContactOwner: true };
const NOTHING = { contacts: 0, engagements: 0, companies: 0, tasks: 0 };

describe('a plan that does not create contacts', () => {
  test('an unknown contact costs the one call that looks for it, and nothing is written', async () => {
    const events = ['kim', 'lou'].map((name) =>
      eventOf(name, { eventType: 'EMAIL_REPLY', source: ALL, policy: NEVER, contact: { firstName: 'Kim' } }),
    );
    expect(await write(...events)).toEqual([noMatchingContact(), noMatchingContact()]);
    expect(simulator.requests().map(({ method, path }) => `${method} ${path}`)).toEqual([
      'POST /crm/objects/2026-09/contacts/batch/read',
    ]);
    expect(counts()).toEqual(NOTHING);
  });

  test('the answer is not remembered: a contact that appears later is found', async () => {
    const event = eventOf('kim', { policy: NEVER });
    expect(await write(event)).toEqual([noMatchingContact()]);
    expect(records.all.size).toBe(0);
    await write(eventOf('kim'));
    expect(await write({ ...event, isRepeated: true })).toMatchObject([{ status: 'success' }]);
    expect(counts()).toEqual({ ...NOTHING, contacts: 1, engagements: 2 });
  });

  test('a known contact is filled and gets the engagement', async () => {
    await write(eventOf('kim'));
    expect(await write(eventOf('kim', { policy: NEVER, contact: { jobTitle: 'CEO' } }))).toMatchObject([
      { status: 'success' },
    ]);
    expect(contactOf('kim')).toMatchObject({ jobtitle: 'CEO' });
    expect(counts()).toEqual({ ...NOTHING, contacts: 1, engagements: 2 });
  });

  test('the first event of a batch that may creates the contact, the events before it have none', async () => {
    const outcomes = await write(
      eventOf('kim', { policy: NEVER, contact: { firstName: 'Early' } }),
      eventOf('lou', { policy: NEVER }),
      eventOf('kim', { contact: { lastName: 'Berg' } }),
      eventOf('kim', { policy: NEVER, contact: { jobTitle: 'CEO' }, eventType: 'EMAIL_OPEN' }),
    );
    expect(outcomes).toMatchObject([
      noMatchingContact(),
      noMatchingContact(),
      { status: 'success' },
      { status: 'success' },
    ]);
    expect(counts()).toEqual({ ...NOTHING, contacts: 1, engagements: 2 });
    expect(contactOf('kim')).toMatchObject({ lastname: 'Berg', jobtitle: 'CEO' });
    expect(contactOf('kim')).not.toHaveProperty('firstname');
  });

  test('a creation that HubSpot refuses fails the events that may create; the others have no contact', async () => {
    simulator.requireProperties({ objectType: 'contacts', property: 'phone' });
    expect(await write(eventOf('kim'), eventOf('kim', { policy: NEVER }), eventOf('kim'))).toMatchObject([
      { status: 'error', error: { code: 'required_property' } },
      noMatchingContact(),
      { status: 'error', error: { code: 'required_property' } },
    ]);
    expect(counts()).toEqual(NOTHING);
  });

  test('an unknown profile is looked for and not created', async () => {
    expect(await write(eventOf(URL_OF_KIM, { policy: NEVER }))).toEqual([noMatchingContact()]);
    expect(calls()).toEqual(['POST /crm/objects/contacts/read']);
    expect(counts()).toEqual(NOTHING);
  });

  test('an unknown address belongs to the contact with its profile URL, when that one has no address', async () => {
    await write(eventOf(URL_OF_KIM));
    const profileUrl = URL_OF_KIM;
    const made = await callsOf(async () =>
      expect(
        await write(
          eventOf('lou', { policy: NEVER, contact: { profileUrl: 'https://www.linkedin.com/in/lou' } }),
          eventOf('kim', { policy: NEVER }),
          eventOf('kim', { policy: NEVER, contact: { profileUrl } }),
          eventOf('kim', { policy: NEVER }),
        ),
      ).toMatchObject([noMatchingContact(), noMatchingContact(), { status: 'success' }, { status: 'success' }]),
    );
    expect(made.slice(0, 3)).toEqual([
      'POST /crm/objects/contacts/read',
      'POST /crm/objects/contacts/read',
      'POST /crm/objects/contacts/upsert',
    ]);
    expect(counts()).toEqual({ ...NOTHING, contacts: 1, engagements: 3 });
    expect(contactOf('kim')).toMatchObject({ svc_profile_url: URL_OF_KIM });
  });

  test('the contact that has the profile URL and another address is somebody else', async () => {
    await write(eventOf('lou', { contact: { profileUrl: URL_OF_KIM } }));
    const event = eventOf('kim', { policy: NEVER, contact: { profileUrl: URL_OF_KIM } });
    expect(await write(event)).toEqual([noMatchingContact()]);
    expect(counts()).toEqual({ ...NOTHING, contacts: 1, engagements: 1 });
  });

  test('an address that HubSpot refuses leaves the contact of the profile URL as it is, with a warning', async () => {
    await write(eventOf(URL_OF_KIM));
    const email = 'not an address@';
    const event = eventOf('kim', {
      ...{ toEmail: email, policy: NEVER },
      contact: { email, profileUrl: URL_OF_KIM },
    });
    expect(await write(event)).toMatchObject([
      { status: 'warning', contactId: simulator.contacts()[0]?.id, error: { code: 'refused' } },
    ]);
    expect(counts()).toEqual({ ...NOTHING, contacts: 1, engagements: 2 });
    expect(simulator.contacts()[0]?.properties).not.toHaveProperty('email');
    expect([...records.all.keys()].filter((key) => key.startsWith('email:'))).toEqual([]);
  });

  test('an event that fills nothing does not give the contact of its profile URL the address', async () => {
    await write(eventOf(URL_OF_KIM));
    const policy = { ...NEVER, events: [{ write: ['timeline'] }] };
    const outcomes = await write(
      eventOf('kim', { policy, contact: { profileUrl: URL_OF_KIM } }),
      eventOf('kim', { policy }),
      eventOf('kim'),
    );
    expect(outcomes).toMatchObject([{ status: 'success' }, noMatchingContact(), { status: 'success' }]);
    expect(simulator.contacts()).toMatchObject([
      { properties: { svc_profile_url: URL_OF_KIM } },
      { properties: { email: 'kim@fjord.example.org' } },
    ]);
  });
});

describe('what a plan writes', () => {
  const READ = 'POST /crm/objects/contacts/read';
  const ENGAGEMENT = ['POST /crm/objects/emails/upsert', 'POST /crm/associations/emails/contacts/associate/default'];
  const FIELDS = [
    'POST /crm/objects/contacts/upsert',
    'POST /crm/objects/companies/search',
    'POST /crm/objects/companies/upsert',
    'POST /crm/associations/contacts/companies/associate/default',
  ];
  const TASK = ['POST /crm/objects/tasks/upsert', 'POST /crm/associations/tasks/contacts/associate/default'];
  const CASES = [0, 1, 2, 3, 4, 5, 6, 7].map((bits) => ({
    timeline: (bits & 1) > 0,
    fields: (bits & 2) > 0,
    task: (bits & 4) > 0,
  }));

  test.each(CASES)('for a known contact: %o', async (writes) => {
    await write(eventOf('kim'));
    records = memoryRecords();
    const event = eventOf('kim', {
      ...{ eventType: 'EMAIL_REPLY', source: { ...ALL, assignContactOwner: false } },
      policy: { events: [{ write: Object.entries(writes).flatMap(([name, isOn]) => (isOn ? [name] : [])) }] },
      contact: { jobTitle: 'CEO' },
    });
    const made = await callsOf(async () =>
      expect(await write(event)).toEqual([
        {
          status: 'success',
          contactId: simulator.contacts()[0]?.id,
          engagementId: writes.timeline ? expect.any(String) : null,
        },
      ]),
    );
    const { timeline, fields, task } = writes;
    const expected = [READ, ...(timeline ? ENGAGEMENT : []), ...(fields ? FIELDS : []), ...(task ? TASK : [])];
    expect(made.toSorted()).toEqual(expected.toSorted());
    expect(counts()).toEqual({
      contacts: 1,
      engagements: timeline ? 2 : 1,
      companies: fields ? 1 : 0,
      tasks: task ? 1 : 0,
    });
    expect(contactOf('kim')?.['jobtitle']).toBe(fields ? 'CEO' : undefined);
  });

  test('a contact that is created gets its details although the plan fills nothing, but no company', async () => {
    const policy = { events: [{ write: ['timeline'] }] };
    const details = { firstName: 'Kim', jobTitle: 'CEO' };
    await write(
      eventOf('kim', { source: ALL, policy, contact: details }),
      eventOf('kim', { source: ALL, policy, contact: { phone: '+45 1' } }),
    );
    expect(contactOf('kim')).toMatchObject({ firstname: 'Kim', jobtitle: 'CEO', hubspot_owner_id: REP });
    expect(contactOf('kim')).not.toHaveProperty('phone');
    expect(counts()).toEqual({ ...NOTHING, contacts: 1, engagements: 2 });
  });
});

describe('owners', () => {
  const ownersOf = (records: readonly { properties: Record<string, string> }[]) =>
    records.map(({ properties }) => properties['hubspot_owner_id']);

  test.each([
    ['an address', 'SAM@example.com', SAM],
    ['an id', SAM, SAM],
    ['an unknown user: the mailbox is next', 'stranger@example.com', REP],
  ])('are named by %s', async (_name, user, expected) => {
    await write(eventOf('kim', { policy: { owner: { map: [{ mailbox: '*', user }] } } }));
    expect(ownersOf(simulator.contacts())).toEqual([expected]);
  });

  test.each([
    ['if-empty', [REP, REP]],
    ['always', [REP, SAM]],
    ['never', [undefined, undefined]],
  ])('of contacts, %s', async (contact, expected) => {
    const owned = (fromEmail: string) => eventOf('kim', { fromEmail, policy: { owner: { contact } } });
    await write(owned('rep@example.com'));
    const first = ownersOf(simulator.contacts());
    await write(owned('sam@example.com'));
    expect([...first, ...ownersOf(simulator.contacts())]).toEqual(expected);
  });

  test('the last event of a batch whose owner replaces others decides', async () => {
    const owned = (fromEmail: string, contact: string) => eventOf('kim', { fromEmail, policy: { owner: { contact } } });
    await write(
      owned('rep@example.com', 'always'),
      owned('sam@example.com', 'always'),
      owned('rep@example.com', 'if-empty'),
    );
    expect(ownersOf(simulator.contacts())).toEqual([SAM]);
  });

  test('an event that is repeated does not take the contact back from a later one', async () => {
    const owned = (fromEmail: string, eventType: string) =>
      eventOf('kim', {
        fromEmail,
        eventType,
        source: { createOrUpdateTask: true },
        policy: { owner: { contact: 'always' } },
      });
    const events = [owned('rep@example.com', 'EMAIL_REPLY'), owned('sam@example.com', 'EMAIL_SENT')];
    simulator.failNext(1, 500, { match: /tasks\/batch\/upsert/ });
    expect(statuses(await write(...events))).toEqual(['error', 'error']);
    expect(statuses(await write(...events.map((event) => ({ ...event, isRepeated: true }))))).toEqual([
      'success',
      'success',
    ]);
    expect(ownersOf(simulator.contacts())).toEqual([SAM]);
  });

  test('an owner that is right already costs no call', async () => {
    const owned = () => eventOf('kim', { policy: { owner: { contact: 'always' } } });
    await write(owned());
    expect(await callsOf(() => write(owned()))).toEqual([
      'POST /crm/objects/emails/upsert',
      'POST /crm/associations/emails/contacts/associate/default',
    ]);
  });

  test.each([true, false])('of engagements and tasks when the plan says so: %s', async (activities) => {
    const policy = { owner: { activities, contact: 'never' } };
    const types = ['EMAIL_SENT', 'EMAIL_REPLY', 'EMAIL_OPEN', 'MESSAGE_SENT', 'CALL_COMPLETED'];
    const source = { createOrUpdateTask: true };
    await write(...types.map((eventType) => eventOf('kim', { eventType, source, policy })));
    const { engagements, tasks } = simulator.state();
    expect(new Set(engagements.map(({ objectType }) => objectType))).toEqual(
      new Set(['emails', 'notes', 'communications', 'calls']),
    );
    expect(new Set(ownersOf([...engagements, ...tasks]))).toEqual(new Set([activities ? REP : undefined]));
  });

  test('a task whose plan names no owner is for the owner of the contact', async () => {
    await write(eventOf('kim', { policy: { owner: {} } }));
    await write(eventOf('kim', { eventType: 'EMAIL_REPLY', source: { createOrUpdateTask: true } }));
    expect(ownersOf(simulator.tasks())).toEqual([REP]);
  });

  test('of companies only when they are created', async () => {
    const owned = (name: string, fromEmail: string, companyDomain: string) =>
      eventOf(name, {
        ...{ fromEmail, source: { createOrUpdateCompany: true }, contact: { companyDomain } },
        policy: { owner: { companies: true, contact: 'never', activities: false } },
      });
    await write(owned('kim', 'rep@example.com', 'fjord.example.org'));
    expect(ownersOf(simulator.companies())).toEqual([REP]);
    records = memoryRecords();
    simulator.freezeSearch(true);
    await write(owned('lou', 'sam@example.com', 'fjord.example.org'));
    simulator.freezeSearch(false);
    await write(owned('ada', 'sam@example.com', 'strand.example.org'));
    expect(simulator.companies()).toMatchObject([
      { properties: { domain: 'fjord.example.org', hubspot_owner_id: REP } },
      { properties: { domain: 'strand.example.org', hubspot_owner_id: SAM } },
    ]);
  });

  test.each([
    ['emails', 'engagements'],
    ['tasks', 'tasks'],
    ['companies', 'companies'],
    ['contacts', 'contacts'],
  ] as const)('that HubSpot refuses on %s are left out, with a warning', async (type, kind) => {
    refusesOwnerOf = [type];
    const policy = { owner: { companies: true, contact: 'always' } };
    const outcomes = await write(
      eventOf('kim', { eventType: 'EMAIL_REPLY', source: ALL, policy }),
      eventOf('lou', { policy: NEVER }),
    );
    expect(outcomes).toMatchObject([
      {
        status: 'warning',
        engagementId: expect.any(String),
        error: { message: expect.stringContaining('hubspot_owner_id') },
      },
      noMatchingContact(),
    ]);
    expect(counts()).toEqual({ contacts: 1, engagements: 1, companies: 1, tasks: 1 });
    expect(ownersOf(simulator.state()[kind])).toEqual([undefined]);
  });
});

test('100 mails and opens of known contacts cost 4 calls, also when the plan does not create contacts', async () => {
  const names = Array.from({ length: 100 }, (_, index) => `c${index}`);
  await write(...names.map((name) => eventOf(name)));
  await write(eventOf('c0', { eventType: 'EMAIL_OPEN' }));
  const events = names.map((name, index) =>
    eventOf(name, { policy: NEVER, eventType: index % 2 === 0 ? 'EMAIL_SENT' : 'EMAIL_OPEN' }),
  );
  const made = await callsOf(async () =>
    expect(new Set(statuses(await write(...events)))).toEqual(new Set(['success'])),
  );
  expect(made).toHaveLength(4);
});
