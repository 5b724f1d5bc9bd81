import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type HubspotSimulator, startHubspotSimulator } from '@svc/simulators';
import { BLANK_CONTACT, type InboundEvent } from '@svc/sequencers';
import type { PlannedField } from '@svc/domain/policy/planned-fields';
import { accessTo, memoryRecords } from '../../test/support/batch.ts';
import { inboundEvent } from '../../test/support/inbound-event.ts';
import { planOf } from '../../test/support/plan.ts';
import { checkExchanges } from '../../test/vendors/check-exchanges.ts';
import { HUBSPOT_FACTS } from '../../test/vendors/hubspot.ts';
import type { CrmConnector, CrmOutcome, CrmWrite } from '../port/types.ts';
import { createHubspotConnector } from './connector.ts';

/** What the connector makes of the fields of a policy, and what that costs. */

const NOW = new Date('2026-03-01T12:00:00.000Z');
let simulator: HubspotSimulator;
let connector: CrmConnector;
let records: ReturnType<typeof memoryRecords>;
const onExchange = checkExchanges(HUBSPOT_FACTS);
beforeAll(async () => {
  simulator = await startHubspotSimulator({
    onExchange,
    validationRule: (_type, values) => (values['city'] === 'Nowhere' ? 'refused by a rule of the account' : null),
  });
});
afterAll(() => simulator.close());
beforeEach(() => {
  simulator.reset();
  simulator.defineProperty('contacts', { name: 'employees', type: 'number' });
  simulator.defineProperty('contacts', { name: 'renewal', type: 'date' });
  simulator.defineProperty('contacts', { name: 'is_vip', type: 'bool' });
  simulator.defineProperty('contacts', { name: 'score', type: 'number', readOnly: true });
  const options = ['warm', 'vip'].map((value) => ({ value, label: `${value} lead` }));
  simulator.defineProperty('contacts', { name: 'tags', type: 'enumeration', fieldType: 'checkbox', options });
  connector = createHubspotConnector({ fetch, baseUrl: simulator.url, timeoutMs: 5_000, now: () => NOW });
  records = memoryRecords();
});

let lastKey = 0;
type Field = Partial<PlannedField> & Pick<PlannedField, 'property'>;
function eventOf(
  name: string,
  fields: readonly Field[],
  { policy, ...changes }: Partial<InboundEvent> & { policy?: object } = {},
): CrmWrite {
  lastKey += 1;
  const email = `${name}@fjord.example.org`;
  const event = inboundEvent({ toEmail: email, contact: { ...BLANK_CONTACT, email }, ...changes });
  return {
    ...{ plan: planOf(event, { policy }), event, idempotencyKey: `12:f${lastKey}`, receivedAt: NOW },
    fields: fields.map((field) => ({ write: 'fill', value: null, valueOfNew: field.value ?? null, ...field })),
    ...{ lastValues: null, isRepeated: false },
  };
}

const write = (...events: CrmWrite[]): Promise<readonly CrmOutcome[]> =>
  connector.writeEvents({ access: accessTo('t'), organizationId: '1000001', records, events });
const contact = () => simulator.contacts()[0]?.properties;
const calls = () => simulator.requests().map(({ method, path }) => `${method} ${path}`);
async function callsOf(run: () => Promise<unknown>): Promise<string[]> {
  const before = calls().length;
  await run();
  return calls().slice(before);
}
const WRITES = [
  { property: 'city', write: 'fill', value: 'Aarhus' },
  { property: 'jobtitle', write: 'overwrite', value: 'CEO' },
  { property: 'country', write: 'create-only', value: 'Denmark' },
  { property: 'employees', valueOfNew: 1 },
] as const;

test('a contact that is created gets every field, and the defaults', async () => {
  expect(await write(eventOf('kim', WRITES))).toMatchObject([{ status: 'success' }]);
  expect(contact()).toMatchObject({ city: 'Aarhus', jobtitle: 'CEO', country: 'Denmark', employees: '1' });
});

test('a contact that exists gets what is blank, and what replaces values', async () => {
  simulator.seed('contacts', { email: 'kim@fjord.example.org', jobtitle: 'Rep' });
  expect(await write(eventOf('kim', WRITES))).toMatchObject([{ status: 'success' }]);
  expect(contact()).toMatchObject({ city: 'Aarhus', jobtitle: 'CEO' });
  expect(contact()).not.toHaveProperty('country');
  expect(contact()).not.toHaveProperty('employees');
  await write(eventOf('kim', [{ property: 'city', value: 'Odense' }]));
  expect(contact()).toMatchObject({ city: 'Aarhus' });
});

test('a field comes before what the event says of the same property', async () => {
  const details = { ...BLANK_CONTACT, email: 'kim@fjord.example.org', jobTitle: 'Rep', companyName: 'Fjord' };
  await write(eventOf('kim', [{ property: 'jobtitle', value: 'CEO' }], { contact: details }));
  expect(contact()).toMatchObject({ jobtitle: 'CEO', company: 'Fjord' });
});

test('of several events in a batch, the first value fills and the last one replaces', async () => {
  const fieldsOf = (value: string) => [
    { property: 'city', value },
    { property: 'website', write: 'overwrite', value: `${value}.example` } as const,
  ];
  await write(eventOf('kim', fieldsOf('a')), eventOf('kim', fieldsOf('b')), eventOf('kim', fieldsOf('c')));
  expect(contact()).toMatchObject({ city: 'a', website: 'c.example' });
});

test('a value that replaces others does so again after an event that names the contact by its profile URL', async () => {
  const profileUrl = 'https://www.linkedin.com/in/kim';
  const titled = (value: string) => [{ property: 'jobtitle', write: 'overwrite', value } as const];
  const contactOf = (email: string | null) => ({ contact: { ...BLANK_CONTACT, email, profileUrl } });
  const byEmail = (value: string) => eventOf('kim', titled(value), contactOf('kim@fjord.example.org'));
  await write(byEmail('CEO'));
  await write(eventOf('kim', titled('CFO'), { toEmail: profileUrl, ...contactOf(null) }));
  expect(simulator.contacts()).toMatchObject([{ properties: { jobtitle: 'CFO' } }]);
  await write(byEmail('CEO'));
  expect(simulator.contacts()).toMatchObject([{ properties: { jobtitle: 'CEO' } }]);
});

test('without fields in its plan, an event writes them only to a contact that it creates', async () => {
  const policy = { events: [{ write: ['timeline'] }] };
  await write(eventOf('kim', WRITES, { policy }));
  expect(contact()).toMatchObject({ city: 'Aarhus', jobtitle: 'CEO', country: 'Denmark' });
  await write(eventOf('kim', [{ property: 'jobtitle', write: 'overwrite', value: 'CFO' }], { policy }));
  expect(contact()).toMatchObject({ jobtitle: 'CEO' });
});

test.each([
  ['employees', '12', '12'],
  ['renewal', '2026-05-01T10:00:00Z', '2026-05-01'],
  ['is_vip', 'yes', 'true'],
  ['tags', 'VIP lead, warm', 'vip;warm'],
])('a value becomes one of the property: %s %s', async (property, value, expected) => {
  expect(await write(eventOf('kim', [{ property, value }]))).toMatchObject([{ status: 'success' }]);
  expect(contact()).toMatchObject({ [property]: expected });
});

test.each([
  ['employees', 'secret-value', 'wrong_value'],
  ['tags', 'secret-value', 'wrong_value'],
  ['nothing', 'secret-value', 'no_such_property'],
  ['score', 7, 'not_writable'],
  ['lifecyclestage', 'lead', 'not_writable'],
])('a value that %s cannot take is left out with a warning', async (property, value, code) => {
  await write(eventOf('kim', []));
  const fields = [
    { property, value },
    { property: 'city', value: 'Aarhus' },
  ];
  const outcomes = await write(eventOf('kim', fields));
  expect(outcomes).toMatchObject([{ status: 'warning', error: { code, message: expect.stringContaining(property) } }]);
  expect(JSON.stringify(outcomes)).not.toContain('secret-value');
  expect(contact()).toMatchObject({ city: 'Aarhus' });
});

test('a value that HubSpot refuses is left out with a warning', async () => {
  const events = [eventOf('kim', [{ property: 'city', write: 'overwrite', value: 'Nowhere' }]), eventOf('lou', WRITES)];
  expect(await write(...events)).toMatchObject([
    { status: 'warning', error: { code: 'refused' } },
    { status: 'success' },
  ]);
  expect(simulator.contacts()).toHaveLength(2);
});

test('a contact that the profile URL shows to exist gets no value for new contacts', async () => {
  const profileUrl = 'https://www.linkedin.com/in/kim';
  const social = { ...BLANK_CONTACT, profileUrl, lastName: 'Berg' };
  await write(eventOf('kim', [], { toEmail: profileUrl, contact: social }));
  await write(eventOf('kim', WRITES, { contact: { ...social, email: 'kim@fjord.example.org' } }));
  expect(simulator.contacts()).toHaveLength(1);
  expect(contact()).toMatchObject({ email: 'kim@fjord.example.org', city: 'Aarhus', jobtitle: 'CEO' });
  expect(contact()).not.toHaveProperty('country');
});

test('an event that is repeated does not take a value back from a later one', async () => {
  const city = (value: string) => eventOf('kim', [{ property: 'city', write: 'overwrite', value }]);
  const events = [city('a'), { ...city('b'), event: { ...city('b').event, eventType: 'EMAIL_OPEN' } }];
  simulator.failNext(1, 500, { match: /emails\/batch\/upsert/ });
  expect((await write(...events)).map(({ status }) => status)).toEqual(['error', 'error']);
  await write(...events.map((event) => ({ ...event, isRepeated: true })));
  expect(contact()).toMatchObject({ city: 'b' });
});

const ENGAGEMENT = [
  'POST /crm/objects/2026-09/emails/batch/upsert',
  'POST /crm/associations/2026-09/emails/contacts/batch/associate/default',
];

test('fields that change nothing cost no call', async () => {
  await write(eventOf('kim', WRITES));
  expect(await callsOf(() => write(eventOf('kim', WRITES)))).toEqual(ENGAGEMENT);
  records = memoryRecords();
  // Once the contact was read, it is known to have them.
  await write(eventOf('kim', WRITES));
  expect(await callsOf(() => write(eventOf('kim', WRITES)))).toEqual(ENGAGEMENT);
});

test('a field that changes costs a read and an upsert, whatever the number of contacts', async () => {
  const names = Array.from({ length: 100 }, (_, index) => `c${index}`);
  const cities = (value: string) =>
    names.map((name) => eventOf(name, [{ property: 'city', write: 'overwrite', value }]));
  await write(...cities('a'));
  expect(await callsOf(() => write(...cities('b')))).toEqual([
    'POST /crm/objects/2026-09/contacts/batch/read',
    'POST /crm/objects/2026-09/contacts/batch/upsert',
    ...ENGAGEMENT,
  ]);
});

test('a property that was deleted since it was looked up costs one call more, not one for each contact', async () => {
  const names = Array.from({ length: 100 }, (_, index) => `c${index}`);
  const fields = (value: number) =>
    names.map((name) =>
      eventOf(name, [
        { property: 'employees', write: 'overwrite', value },
        { property: 'city', write: 'overwrite', value: String(value) },
      ]),
    );
  await write(...fields(1));
  simulator.deleteProperty('contacts', 'employees');
  const made = await callsOf(async () => {
    const outcomes = await write(...fields(2));
    expect(new Set(outcomes.map((outcome) => outcome.status === 'warning' && outcome.error.code))).toEqual(
      new Set(['no_such_property']),
    );
  });
  expect(made).toHaveLength(5);
  expect(contact()).toMatchObject({ city: '2' });
  // From then on the property is known to be missing.
  expect((await callsOf(() => write(...fields(3)))).filter((call) => call.includes('upsert'))).toHaveLength(2);
});

test('when the properties cannot be looked up, the event waits; when that is forbidden, it is written without', async () => {
  simulator.failNext(1, 503, { match: /properties\/2026-09\/contacts$/ });
  expect(await write(eventOf('kim', WRITES))).toMatchObject([{ status: 'error', retry: { afterMs: null } }]);
  simulator.failNext(1, 403, { match: /properties\/2026-09\/contacts$/ });
  expect(await write(eventOf('kim', WRITES))).toMatchObject([{ status: 'warning', error: { code: 'forbidden' } }]);
});
