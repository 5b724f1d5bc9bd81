import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type SalesforceSimulator, startSalesforceSimulator } from '@svc/simulators';
import type { FieldValue, PlannedField } from '@svc/domain/policy/planned-fields';
import { accessTo, memoryRecords } from '../../test/support/batch.ts';
import { inboundEvent } from '../../test/support/inbound-event.ts';
import { about, toWrite, type WriteChanges } from '../../test/support/salesforce.ts';
import type { CrmOutcome, CrmWrite } from '../port/types.ts';
import { createSalesforceConnector } from './connector.ts';

/** The fields of a policy, in contacts and leads. */

const KIM = 'kim@fjord.example.org';
const NOW = new Date('2026-03-01T12:00:00.000Z');
const BOTH = (name: string, type: 'string' | 'double' | 'boolean', rest: object = {}) =>
  (['Contact', 'Lead'] as const).map((objectType) => ({ objectType, name, type, ...rest }));
const CUSTOM = [
  ...BOTH('Industry__c', 'string', { length: 20 }),
  ...BOTH('Score__c', 'double'),
  ...BOTH('Vip__c', 'boolean'),
  { objectType: 'Contact', name: 'Seats__c', type: 'int' },
  { objectType: 'Contact', name: 'Since__c', type: 'date' },
  { objectType: 'Contact', name: 'Seen__c', type: 'datetime' },
  { objectType: 'Contact', name: 'Link__c', type: 'url', length: 30 },
  { objectType: 'Contact', name: 'Tier__c', type: 'picklist', options: ['Gold', 'Silver'], restricted: true },
  { objectType: 'Contact', name: 'Free__c', type: 'picklist', options: ['Gold', 'Silver'] },
  { objectType: 'Contact', name: 'Tags__c', type: 'multipicklist', options: ['a b', 'c', 'd'], restricted: true },
  { objectType: 'Lead', name: 'LeadOnly__c', type: 'string', length: 40 },
] as const;

let simulator: SalesforceSimulator;
let records = memoryRecords();
let now = NOW;
const connector = createSalesforceConnector({ fetch, timeoutMs: 5_000, now: () => now });
beforeAll(async () => {
  simulator = await startSalesforceSimulator({ now: () => now, org: { customFields: CUSTOM } });
});
afterAll(() => simulator.close());
beforeEach(() => {
  simulator.reset();
  records = memoryRecords();
  now = NOW;
  looked = 0;
});

const writeAll = (events: readonly CrmWrite[]): Promise<readonly CrmOutcome[]> =>
  connector.writeEvents({
    access: accessTo('t', { apiUrl: simulator.url }),
    organizationId: simulator.organizationId,
    records,
    events,
  });
let keys = 0;
const write = async (fields: readonly PlannedField[], rest: WriteChanges = {}): Promise<CrmOutcome | undefined> => {
  keys += 1;
  const [outcome] = await writeAll([toWrite({}, { fields, idempotencyKey: `12:f${keys}`, ...rest })]);
  return outcome;
};
let looked = 0;
function calls(): string[] {
  const all = simulator.requests().slice(looked);
  looked += all.length;
  return all
    .map(({ method, path }) => `${method} ${path.replace('/services/data/v66.0', '')}`)
    .filter((call) => !/\/describe$|TaskStatus/.test(call))
    .map((call) => call.replace(/\?.*/, ''));
}
const field = (
  property: string,
  value: FieldValue | null,
  mode: PlannedField['write'] = 'fill',
  valueOfNew: FieldValue | null = value,
): PlannedField => ({ property, write: mode, value, valueOfNew });
const seedKim = (values: object = {}, type: 'Contact' | 'Lead' = 'Contact') =>
  simulator.seed(type, { LastName: 'Berg', FirstName: 'Kim', Email: KIM, Company: 'Fjord', ...values });
const kim = (type: 'Contact' | 'Lead' = 'Contact') => simulator.records(type)[0]?.values ?? {};

describe.each(['Contact', 'Lead'] as const)('a %s', (salesforceObjectType) => {
  const source = { salesforceObjectType };

  test('that is created gets the value of each field, or the one of new people', async () => {
    const fields = [
      field('Industry__c', 'Ports', 'create-only'),
      field('Score__c', null, 'fill', 7),
      field('Vip__c', true, 'overwrite'),
      field('Title', null),
    ];
    expect(await write(fields, { source })).toMatchObject({ status: 'success' });
    expect(kim(salesforceObjectType)).toMatchObject({ Industry__c: 'Ports', Score__c: 7, Vip__c: true });
    expect(calls()).toEqual(['POST /composite', 'POST /composite/sobjects', 'POST /composite/sobjects']);
  });

  test('that exists is filled where it is blank and overwritten where the policy says so', async () => {
    seedKim({ Industry__c: 'Rail', Vip__c: false }, salesforceObjectType);
    const fields = [
      field('Industry__c', 'Ports'),
      field('Score__c', 3),
      field('Vip__c', true, 'overwrite'),
      field('Title', 'Captain', 'create-only'),
    ];
    expect(await write(fields)).toMatchObject({ status: 'success' });
    expect(kim(salesforceObjectType)).toMatchObject({ Industry__c: 'Rail', Score__c: 3, Vip__c: true });
    expect(kim(salesforceObjectType)).not.toHaveProperty('Title');
  });
});

test('a field that only leads have is left out for contacts without a word', async () => {
  expect(await write([field('LeadOnly__c', 'x')])).toMatchObject({ status: 'success' });
  expect(kim()).not.toHaveProperty('LeadOnly__c');
});

test.each([
  ['that nobody has', [field('Nothing__c', 'x')], 'Contact.Nothing__c'],
  ['that another rule writes', [field('OwnerId', '005000000000001', 'overwrite')], 'Contact.OwnerId'],
])('a field %s is a warning, and the rest is written', async (_, fields, name) => {
  expect(await write([...fields, field('Score__c', 1)])).toMatchObject({
    status: 'warning',
    engagementId: expect.any(String),
    error: { code: 'field_hidden', message: expect.stringContaining(name) },
  });
  expect(kim()).toMatchObject({ Score__c: 1 });
});

test('without the fields among what is written, an existing contact keeps its values', async () => {
  seedKim();
  await write([field('Score__c', 1, 'overwrite')], { policy: { events: [{ write: ['timeline'] }] } });
  expect(kim()).not.toHaveProperty('Score__c');
});

test('of several events of a batch, the first value fills and the last one overwrites', async () => {
  seedKim();
  await writeAll(
    ['one', 'two', 'three'].map((value, index) =>
      toWrite(
        {},
        { fields: [field('Industry__c', value), field('Title', value, 'overwrite')], idempotencyKey: `12:b${index}` },
      ),
    ),
  );
  expect(kim()).toMatchObject({ Industry__c: 'one', Title: 'three' });
});

describe('types', () => {
  test.each<[string, FieldValue, unknown]>([
    ['Industry__c', 42, '42'],
    ['Industry__c', 'a text that is longer than its field', 'a text that is long…'],
    ['Score__c', ' 7.5 ', 7.5],
    ['Seats__c', '12', 12],
    ['Vip__c', 'True', true],
    ['Vip__c', 'yes', true],
    ['Since__c', '2026-02-28T23:30:00.000Z', '2026-02-28'],
    ['Seen__c', '2026-02-28T23:30:00+01:00', '2026-02-28T22:30:00.000Z'],
    ['Seen__c', '2026-02-28', '2026-02-28T00:00:00.000Z'],
    ['Tier__c', 'gold', 'Gold'],
    ['Free__c', 'Bronze', 'Bronze'],
    ['Tags__c', 'C, a b', 'c;a b'],
    ['Tags__c', 'c;d;c', 'c;d'],
  ])('%s gets %j as %j', async (name, value, expected) => {
    seedKim();
    expect(await write([field(name, value, 'overwrite')])).toMatchObject({ status: 'success' });
    expect(kim()).toMatchObject({ [name]: expected });
  });

  test.each<[string, FieldValue]>([
    ['Score__c', 'many'],
    ['Score__c', true],
    ['Seats__c', 1.5],
    ['Vip__c', 'perhaps'],
    ['Since__c', 'last week'],
    ['Seen__c', 5],
    ['Link__c', 'https://fjord.example.org/a/long/path'],
    ['Tier__c', 'Bronze'],
    ['Tags__c', 'c, x'],
  ])('%s takes no %j: it is left out with a warning that does not show it', async (name, value) => {
    seedKim();
    const outcome = await write([field(name, value, 'overwrite'), field('Title', 'Captain')]);
    expect(outcome).toMatchObject({ status: 'warning', error: { code: 'value_does_not_fit' } });
    expect(JSON.stringify(outcome)).not.toContain(`"${String(value)}"`);
    expect(kim()).toMatchObject({ Title: 'Captain' });
    expect(kim()).not.toHaveProperty(name);
  });

  test('a checkbox is never empty, so nothing fills it', async () => {
    seedKim();
    await write([field('Vip__c', true)]);
    expect(kim()).not.toHaveProperty('Vip__c');
  });
});

describe('calls', () => {
  const known = (values: object = {}) =>
    Array.from({ length: 100 }, (_, index) =>
      simulator.seed('Contact', { LastName: 'Berg', Email: about(`p${index}`).toEmail, ...values }),
    );
  const hundred = (fields: readonly PlannedField[], key: string) =>
    Array.from({ length: 100 }, (_, index) =>
      toWrite(about(`p${index}`), { fields, idempotencyKey: `12:${key}${index}` }),
    );

  test('100 events of people with fields cost what they cost without, and nothing more when nothing changes', async () => {
    known();
    const fields = [field('Industry__c', 'Ports'), field('Score__c', 1, 'overwrite'), field('Tier__c', 'no tier')];
    await writeAll(hundred(fields, 'a'));
    expect(calls()).toEqual(['POST /composite', 'PATCH /composite/sobjects', 'POST /composite/sobjects']);
    await writeAll(hundred(fields, 'b'));
    await writeAll(hundred([field('Industry__c', 'Rail')], 'c'));
    await writeAll(hundred([], 'd'));
    expect(calls()).toEqual(Array.from({ length: 3 }, () => 'POST /composite/sobjects'));
    await writeAll(hundred([field('Score__c', 2, 'overwrite')], 'e'));
    expect(calls()).toEqual(['POST /composite', 'PATCH /composite/sobjects', 'POST /composite/sobjects']);
    expect(kim()).toMatchObject({ Industry__c: 'Ports', Score__c: 2 });
  });

  test('a remembered contact does not hide that a field is still blank', async () => {
    seedKim();
    await write([field('Industry__c', null), field('Tier__c', 'no tier')]);
    await write([field('Industry__c', 'Ports')]);
    await write([field('Tier__c', 'Gold')]);
    expect(kim()).toMatchObject({ Industry__c: 'Ports', Tier__c: 'Gold' });
  });

  test('what somebody changes in the org is overwritten within a day', async () => {
    const id = seedKim();
    await write([field('Score__c', 1, 'overwrite')]);
    simulator.edit(id, { Score__c: 9 });
    await write([field('Score__c', 1, 'overwrite')]);
    expect(kim()).toMatchObject({ Score__c: 9 });
    now = new Date(NOW.getTime() + 25 * 3_600_000);
    await write([field('Score__c', 1, 'overwrite')]);
    expect(kim()).toMatchObject({ Score__c: 1 });
  });
});

test('a value that overwrites does so again after an event that names the contact by its profile URL', async () => {
  const profileUrl = 'https://www.linkedin.com/in/kim';
  const contact = { ...inboundEvent().contact, profileUrl };
  const byUrl = { toEmail: profileUrl, contact: { ...contact, email: null } };
  seedKim({ Svc_Profile_Url__c: profileUrl });
  const events = [{ contact }, byUrl, { contact }].map((changes, index) =>
    toWrite(changes, { fields: [field('Score__c', index % 2, 'overwrite')], idempotencyKey: `12:u${index}` }),
  );
  const scores = [];
  for (const event of events) {
    await writeAll([event]);
    scores.push(kim()['Score__c']);
  }
  expect(scores).toEqual([0, 1, 0]);
});

test('a value that Salesforce refuses is left out with a warning', async () => {
  seedKim();
  simulator.failRecords(1, { objectType: 'Contact', errorCode: 'INVALID_STATUS', fields: ['Score__c'] });
  expect(await write([field('Score__c', 1), field('Industry__c', 'Ports')])).toMatchObject({ status: 'warning' });
  expect(kim()).toMatchObject({ Industry__c: 'Ports' });
});
