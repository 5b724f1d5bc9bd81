import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { LAST_VALUE_NAMES, type LastValues } from '@svc/domain/policy/last-values';
import { type HubspotSimulator, startHubspotSimulator } from '@svc/simulators';
import { BLANK_CONTACT, type InboundEvent } from '@svc/sequencers';
import { accessTo, memoryRecords } from '../../test/support/batch.ts';
import { inboundEvent } from '../../test/support/inbound-event.ts';
import { planOf } from '../../test/support/plan.ts';
import { checkExchanges } from '../../test/vendors/check-exchanges.ts';
import { HUBSPOT_FACTS } from '../../test/vendors/hubspot.ts';
import type { PreparedSetup } from '../port/setup.ts';
import type { CrmConnector, CrmFailed, CrmOutcome, CrmWrite } from '../port/types.ts';
import { createHubspotConnector } from './connector.ts';
import { createHubspotSetup } from './setup.ts';

/** What is prepared in HubSpot, what policies can name there, and how last values are written. */

const START = new Date('2026-03-01T12:00:00.000Z');
let now = START;
let scopeless = false;
let simulator: HubspotSimulator;
let connector: CrmConnector;
let records: ReturnType<typeof memoryRecords>;
const onExchange = checkExchanges(HUBSPOT_FACTS);
beforeAll(async () => {
  simulator = await startHubspotSimulator({
    onExchange,
    faults: ({ path }) => (scopeless && /deals/.test(path) ? 403 : null),
  });
});
afterAll(() => simulator.close());
beforeEach(() => {
  simulator.reset();
  scopeless = false;
  now = START;
  connector = createHubspotConnector({ ...options(), now: () => now });
  records = memoryRecords();
});
const options = () => ({ fetch, baseUrl: simulator.url, timeoutMs: 5_000 });
const setup = () => createHubspotSetup(options());
const prepare = (isDryRun = false) => setup().prepare({ access: accessTo('t'), isDryRun });
const statesOf = (result: PreparedSetup | CrmFailed) => [
  ...new Set(result.status === 'prepared' ? result.items.map(({ state }) => state) : []),
];
const calls = () => simulator.requests().map(({ method, path }) => `${method} ${path.replaceAll('/2026-09', '')}`);
async function callsOf(run: () => Promise<unknown>): Promise<string[]> {
  const before = calls().length;
  await run();
  return calls().slice(before);
}

let lastKey = 0;
function eventOf(
  name: string,
  lastValues: LastValues | null,
  { policy = { lastValues: true }, ...changes }: Partial<InboundEvent> & { policy?: object } = {},
): CrmWrite {
  lastKey += 1;
  const email = `${name}@fjord.example.org`;
  const event = inboundEvent({ toEmail: email, contact: { ...BLANK_CONTACT, email }, ...changes });
  return {
    ...{ plan: planOf(event, { policy }), event, idempotencyKey: `12:l${lastKey}`, receivedAt: now },
    ...{ fields: [], lastValues, isRepeated: false },
  };
}
const write = (...events: CrmWrite[]): Promise<readonly CrmOutcome[]> =>
  connector.writeEvents({ access: accessTo('t'), organizationId: '1000001', records, events });
const contact = () => simulator.contacts()[0]?.properties;

describe('prepare', () => {
  test('a dry run changes nothing and names what is missing', async () => {
    const made = await callsOf(async () => {
      const result = await prepare(true);
      if (result.status !== 'prepared') throw new Error(result.error.message);
      expect(result.items).toHaveLength(LAST_VALUE_NAMES.length + 1);
      expect(statesOf(result)).toEqual(['missing']);
      expect(result.items[2]).toMatchObject({ name: 'property svc_last_sent_at of contacts' });
    });
    expect(made.every((call) => call.startsWith('GET'))).toBe(true);
  });

  test('makes the properties once, in few calls', async () => {
    const made = await callsOf(async () => {
      const result = await prepare();
      expect(statesOf(result)).toEqual(['made']);
    });
    expect(made.length).toBeLessThan(10);
    expect(statesOf(await prepare())).toEqual(['exists']);
    expect(simulator.propertyNames('contacts')).toContain('svc_last_reply_text');
    // The state fields keep the first opt-out.
    expect(simulator.propertyNames('contacts')).toContain('svc_last_unsubscribed_at');
    expect(simulator.propertyNames('contacts')).not.toContain('svc_unsubscribed_at');
  });

  test('a token that may not see deals gets the rest', async () => {
    scopeless = true;
    const result = await prepare();
    expect(result.status === 'prepared' && result.items.filter(({ state }) => state !== 'made')).toMatchObject([
      { name: 'property svc_deal_key of deals', state: 'refused', note: expect.stringContaining('403') },
    ]);
    expect(await setup().describe(accessTo('t'))).toMatchObject({ status: 'described', pipelines: null });
  });

  test('another process that makes them meanwhile is no failure', async () => {
    simulator.failNext(1, 409, { match: /batch\/create/ });
    const result = await prepare();
    expect(result.status === 'prepared' && result.items[0]).toMatchObject({ state: 'refused' });
    expect(await prepare()).toMatchObject({
      items: expect.arrayContaining([expect.objectContaining({ state: 'made' })]),
    });
  });

  test('a HubSpot that does not work is a failure', async () => {
    simulator.failNext(1, 503);
    expect(await prepare()).toMatchObject({ status: 'error', isUnavailable: true });
    simulator.failNext(2, 401);
    expect(await setup().describe(accessTo('t'))).toMatchObject({ status: 'error', disconnected: true });
  });
});

test('describe says what policies can name', async () => {
  await prepare();
  simulator.defineProperty('contacts', {
    ...{ name: 'tags', type: 'enumeration', fieldType: 'checkbox' },
    options: [{ value: 'vip', label: 'VIP' }],
  });
  const described = await setup().describe(accessTo('t'));
  if (described.status !== 'described') throw new Error(described.error.message);
  const [contacts] = described.records;
  const byName = new Map(contacts?.properties.map((property) => [property.name, property]));
  expect(byName.get('tags')).toMatchObject({
    type: 'options',
    options: [{ value: 'vip', label: 'VIP' }],
    isWritable: true,
  });
  expect(byName.get('jobtitle')).toMatchObject({ type: 'text', maxLength: 65_536, isWritable: true });
  const fixed = ['email', 'hubspot_owner_id', 'lifecyclestage', 'hs_lead_status', 'svc_last_sent_at', 'createdate'];
  for (const name of fixed) expect(byName.get(name)).toMatchObject({ isWritable: false });
  expect(described.leadStatuses).toContainEqual({ value: 'IN_PROGRESS', label: 'In progress' });
  expect(described.lifecycleStages?.map(({ value }) => value).indexOf('customer')).toBe(5);
  expect(described.pipelines?.[0]).toMatchObject({
    value: 'default',
    stages: [{ value: 'appointmentscheduled' }, {}, {}, {}],
  });
});

describe('last values', () => {
  test('those of the last event of a batch are written in the form of their properties', async () => {
    await prepare();
    const first = { lastSentAt: START.getTime(), sentCount: 1 };
    await write(
      eventOf('kim', first),
      eventOf('kim', { ...first, sentCount: 2, lastSentSubject: 'Hi' }),
      eventOf('kim', null),
    );
    expect(contact()).toMatchObject({
      svc_last_sent_at: START.toISOString(),
      svc_sent_count: '2',
      svc_last_sent_subject: 'Hi',
    });
  });

  test('they replace what is there, and a value that is unknown changes nothing', async () => {
    await prepare();
    await write(eventOf('kim', { sentCount: 1, lastMailbox: 'rep@example.com' }));
    await write(eventOf('kim', { sentCount: 2 }));
    expect(contact()).toMatchObject({ svc_sent_count: '2', svc_last_mailbox: 'rep@example.com' });
  });

  test('without fields in its plan, an event writes none', async () => {
    await prepare();
    await write(eventOf('kim', { sentCount: 1 }, { policy: { lastValues: true, events: [{ write: ['timeline'] }] } }));
    expect(contact()).not.toHaveProperty('svc_sent_count');
  });

  test('100 events of known contacts cost 5 calls, and 4 without', async () => {
    await prepare();
    const names = Array.from({ length: 100 }, (_, index) => `c${index}`);
    const events = (lastValues: LastValues | null) =>
      names.map((name, index) =>
        eventOf(name, lastValues, { eventType: index % 2 === 0 ? 'EMAIL_SENT' : 'EMAIL_OPEN' }),
      );
    await write(...events({ sentCount: 1 }));
    expect(await callsOf(() => write(...events({ sentCount: 2 })))).toHaveLength(5);
    expect(await callsOf(() => write(...events(null)))).toHaveLength(4);
    expect(new Set(simulator.contacts().map(({ properties }) => properties['svc_sent_count']))).toEqual(new Set(['2']));
  });

  test('a contact that was deleted since is not created again without its details', async () => {
    await prepare();
    const details = { ...BLANK_CONTACT, email: 'kim@fjord.example.org', firstName: 'Kim' };
    await write(eventOf('kim', { sentCount: 1 }, { contact: details }));
    simulator.deleteRecord('contacts', simulator.contacts()[0]?.id ?? '');
    const event = eventOf('kim', { sentCount: 2 }, { contact: details });
    expect(await write(event)).toMatchObject([{ status: 'error', retry: { afterMs: null } }]);
    expect(simulator.contacts()).toEqual([]);
    expect(await write({ ...event, isRepeated: true })).toMatchObject([{ status: 'success' }]);
    expect(contact()).toMatchObject({ firstname: 'Kim', svc_sent_count: '2' });
  });

  test('an account without the properties: a warning that names the command, and no call more', async () => {
    await write(eventOf('kim', { sentCount: 1 }));
    const made = await callsOf(async () => {
      expect(await write(eventOf('kim', { sentCount: 2 }), eventOf('kim', { sentCount: 3 }))).toMatchObject([
        { status: 'success' },
        {
          status: 'warning',
          error: { code: 'last_values_not_prepared', message: expect.stringContaining('connections prepare') },
        },
      ]);
    });
    expect(made.filter((call) => call.includes('objects/contacts') || call.includes('properties'))).toEqual([]);
  });

  test('once they are made, they are found within ten minutes', async () => {
    await write(eventOf('kim', { sentCount: 1 }));
    await prepare();
    now = new Date(now.getTime() + 10 * 60_000);
    expect(await write(eventOf('kim', { sentCount: 2 }))).toMatchObject([{ status: 'success' }]);
    expect(contact()).toMatchObject({ svc_sent_count: '2' });
  });

  test('one that was deleted since is left out with a warning, the others are written', async () => {
    await prepare();
    await write(eventOf('kim', { sentCount: 1 }), eventOf('lou', { sentCount: 1 }));
    simulator.deleteProperty('contacts', 'svc_sent_count');
    const later = (name: string) => eventOf(name, { sentCount: 2, openCount: 1 });
    expect(await write(later('kim'), later('lou'))).toMatchObject([
      { status: 'warning', error: { code: 'last_values_not_prepared' } },
      { status: 'warning', error: { code: 'last_values_not_prepared' } },
    ]);
    expect(simulator.contacts().map(({ properties }) => properties['svc_open_count'])).toEqual(['1', '1']);
  });
});
