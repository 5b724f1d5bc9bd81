import { LAST_VALUE_NAMES, type LastValues } from '@svc/domain/policy/last-values';
import { type SalesforceSimulator, startSalesforceSimulator } from '@svc/simulators';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { accessTo, memoryRecords } from '../../test/support/batch.ts';
import { about, toWrite, type WriteChanges } from '../../test/support/salesforce.ts';
import type { CrmConnector, CrmOutcome, CrmWrite } from '../port/types.ts';
import { createSalesforceConnector } from './connector.ts';
import { lastValueField } from './last-values.ts';

/** What happened last to a person, in contacts and leads. */

const NOW = new Date('2026-03-01T12:00:00.000Z');
const VALUES: LastValues = {
  lastSentAt: Date.parse('2026-03-01T10:00:00.000Z'),
  lastSentSubject: 'Route planning',
  leadUrl: 'https://app.example.com/leads/1',
  sentCount: 3,
};
const WRITTEN = {
  Svc_Last_Sent_At__c: '2026-03-01T10:00:00.000Z',
  Svc_Last_Sent_Subject__c: 'Route planning',
  Svc_Lead_Url__c: 'https://app.example.com/leads/1',
  Svc_Sent_Count__c: 3,
};
let simulator: SalesforceSimulator;
let connector: CrmConnector;
let records = memoryRecords();
let now = NOW;
let looked = 0;
beforeAll(async () => {
  simulator = await startSalesforceSimulator({ now: () => now });
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
async function write(lastValues: LastValues | null, rest: WriteChanges = {}): Promise<CrmOutcome | undefined> {
  keys += 1;
  const [outcome] = await writeAll([toWrite({}, { lastValues, idempotencyKey: `12:v${keys}`, ...rest })]);
  return outcome;
}
function calls(): string[] {
  const all = simulator.requests().slice(looked);
  looked += all.length;
  return all
    .map(({ method, path }) => `${method} ${path.replace('/services/data/v66.0', '')}`)
    .filter((call) => !/\/describe$|TaskStatus/.test(call))
    .map((call) => call.replace(/\?.*/, ''));
}
const hundred = (key: string, lastValues: LastValues | null) =>
  Array.from({ length: 100 }, (_, index) =>
    toWrite(about(`p${index}`), { lastValues, idempotencyKey: `12:${key}${index}` }),
  );

test('every value has a field name that Salesforce takes', () => {
  const names = LAST_VALUE_NAMES.map(lastValueField);
  expect(new Set(names).size).toBe(names.length);
  for (const name of names) expect(name).toMatch(/^Svc(?:_[A-Z][a-z]+)+__c$/);
  for (const name of names) expect(name.length).toBeLessThanOrEqual(43);
});

describe.each(['Contact', 'Lead'] as const)('a %s', (salesforceObjectType) => {
  const source = { salesforceObjectType };

  test('that is created has the values', async () => {
    expect(await write(VALUES, { source })).toMatchObject({ status: 'success' });
    expect(simulator.records(salesforceObjectType)).toMatchObject([{ values: WRITTEN, writes: 1 }]);
  });

  test('that exists gets them over older ones; values that are not known stay', async () => {
    simulator.seed(salesforceObjectType, {
      LastName: 'Berg',
      Email: 'kim@fjord.example.org',
      Svc_Sent_Count__c: 2,
      Svc_Open_Count__c: 9,
    });
    expect(await write(VALUES)).toMatchObject({ status: 'success' });
    expect(simulator.records(salesforceObjectType)).toMatchObject([{ values: { ...WRITTEN, Svc_Open_Count__c: 9 } }]);
    expect(await write({ ...VALUES, sentCount: 4 })).toMatchObject({ status: 'success' });
    expect(simulator.records(salesforceObjectType)).toMatchObject([{ values: { Svc_Sent_Count__c: 4 } }]);
  });
});

test('of several events of a batch, the values of the last one are written, in one call', async () => {
  const events = [1, 2, null, 4, null].map((sentCount, index) =>
    toWrite({}, { lastValues: sentCount === null ? null : { sentCount }, idempotencyKey: `12:b${index}` }),
  );
  expect((await writeAll(events)).map(({ status }) => status)).toEqual(events.map(() => 'success'));
  expect(simulator.records('Contact')).toMatchObject([{ values: { Svc_Sent_Count__c: 4 }, writes: 1 }]);
});

test('100 events cost at most one call more', async () => {
  for (let index = 0; index < 100; index += 1)
    simulator.seed('Contact', { LastName: 'Berg', Email: about(`p${index}`).toEmail });
  await writeAll(hundred('a', VALUES));
  expect(calls()).toEqual(['POST /composite', 'PATCH /composite/sobjects', 'POST /composite/sobjects']);
  await writeAll(hundred('b', { ...VALUES, sentCount: 4 }));
  expect(calls()).toEqual(['PATCH /composite/sobjects', 'POST /composite/sobjects']);
  await writeAll(hundred('c', null));
  expect(calls()).toEqual(['POST /composite/sobjects']);
});

test('a remembered contact that was deleted is found out, and the event is written to a new one', async () => {
  await write(VALUES);
  const [contact] = simulator.records('Contact');
  simulator.delete(contact?.id ?? '');
  expect(await write({ sentCount: 4 })).toMatchObject({ status: 'success' });
  expect(simulator.records('Contact')).toMatchObject([{ values: { Svc_Sent_Count__c: 4 } }]);
});

test('a locked contact repeats the event', async () => {
  await write(VALUES);
  const [contact] = simulator.records('Contact');
  simulator.lock(contact?.id ?? '', true);
  expect(await write({ sentCount: 4 })).toMatchObject({ status: 'error', retry: { afterMs: 2_000 } });
});

describe('without the fields', () => {
  test('the rest is written, with a warning that says how to make them', async () => {
    simulator.configure({ hasLastValueFields: false });
    expect(await write(VALUES)).toMatchObject({
      status: 'warning',
      engagementId: expect.any(String),
      error: {
        code: 'last_values_not_prepared',
        message: expect.stringContaining('svc-server connections prepare ID'),
      },
    });
    expect(await write(null)).toMatchObject({ status: 'success' });
  });

  test('those that are there are written', async () => {
    simulator.configure({ hiddenFields: ['Contact.Svc_Lead_Url__c'] });
    expect(await write(VALUES)).toMatchObject({ status: 'warning', error: { code: 'last_values_not_prepared' } });
    expect(simulator.records('Contact')).toMatchObject([{ values: { Svc_Sent_Count__c: 3 } }]);
  });

  test('they are found within half an hour after somebody has made them', async () => {
    simulator.configure({ hasLastValueFields: false });
    await write(VALUES);
    simulator.configure({ hasLastValueFields: true });
    now = new Date(NOW.getTime() + 31 * 60_000);
    expect(await write(VALUES)).toMatchObject({ status: 'success' });
    expect(simulator.records('Contact')).toMatchObject([{ values: WRITTEN }]);
  });

  test('fields that were removed since are noticed', async () => {
    await write(VALUES);
    simulator.configure({ hasLastValueFields: false });
    expect(await write({ sentCount: 4 })).toMatchObject({ status: 'warning', engagementId: expect.any(String) });
  });
});
