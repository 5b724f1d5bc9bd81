import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type HubspotSimulator, startHubspotSimulator } from '@svc/simulators';
import { BLANK_CONTACT, type InboundEvent } from '@svc/sequencers';
import { accessTo, memoryRecords } from '../../test/support/batch.ts';
import { inboundEvent } from '../../test/support/inbound-event.ts';
import { planOf } from '../../test/support/plan.ts';
import { checkExchanges } from '../../test/vendors/check-exchanges.ts';
import { HUBSPOT_FACTS } from '../../test/vendors/hubspot.ts';
import type { CrmConnector, CrmOutcome, CrmWrite } from '../port/types.ts';
import { createHubspotConnector } from './connector.ts';

/** On what else than the contact an engagement stands, and what that costs. */

const NOW = new Date('2026-03-01T12:00:00.000Z');
let simulator: HubspotSimulator;
let connector: CrmConnector;
let records: ReturnType<typeof memoryRecords>;
const onExchange = checkExchanges(HUBSPOT_FACTS);
beforeAll(async () => {
  simulator = await startHubspotSimulator({ onExchange });
});
afterAll(() => simulator.close());
beforeEach(() => {
  simulator.reset();
  connector = createHubspotConnector({ fetch, baseUrl: simulator.url, timeoutMs: 5_000, now: () => NOW });
  records = memoryRecords();
});

let lastKey = 0;
function eventOf(name: string, policy: object = {}, changes: Partial<InboundEvent> = {}): CrmWrite {
  lastKey += 1;
  const email = `${name}@fjord.example.org`;
  const event = inboundEvent({ toEmail: email, contact: { ...BLANK_CONTACT, email }, ...changes });
  const plan = planOf(event, { source: { createOrUpdateCompany: true }, policy });
  return {
    ...{ plan, event, idempotencyKey: `12:a${lastKey}`, receivedAt: NOW },
    ...{ fields: [], lastValues: null, isRepeated: false },
  };
}
const write = (...events: readonly CrmWrite[]): Promise<readonly CrmOutcome[]> =>
  connector.writeEvents({ access: accessTo('t'), organizationId: '1000001', records, events });
const BOTH = { associations: { company: true, deal: true } };
const links = () => simulator.engagements().at(-1)?.associations;
const callsOf = async (run: () => Promise<unknown>) => {
  const before = simulator.requests().length;
  await run();
  return simulator
    .requests()
    .slice(before)
    .map(({ path }) => path.replaceAll('/2026-09', ''));
};
const deal = (properties: object = {}) => {
  const [contact] = simulator.contacts();
  if (contact === undefined) throw new Error('no contact');
  return simulator.seed(
    'deals',
    { dealname: 'One', pipeline: 'default', dealstage: 'qualifiedtobuy', ...properties },
    contact,
  );
};

test('an engagement stands on the company that its event makes', async () => {
  expect(await write(eventOf('kim', BOTH))).toMatchObject([{ status: 'success' }]);
  expect(links()).toMatchObject({
    contacts: [simulator.contacts()[0]?.id],
    companies: [simulator.companies()[0]?.id],
  });
  expect(links()).not.toHaveProperty('deals');
});

test('and on the deal that it makes', async () => {
  const outcomes = [{ when: {}, deal: { stage: 'qualifiedtobuy' } }];
  await write(eventOf('kim', { ...BOTH, outcomes }));
  expect(links()).toMatchObject({ deals: [simulator.deals()[0]?.id] });
});

test('by default on the contact alone', async () => {
  await write(eventOf('kim'));
  deal();
  await write(eventOf('kim'));
  expect(Object.keys(links() ?? {})).toEqual(['contacts']);
});

test.each([
  ['one open deal', [{}], true],
  ['one open deal beside a closed one', [{}, { dealstage: 'closedwon' }], true],
  ['two open deals', [{}, { pipeline: '75001', dealstage: '75002' }], false],
  ['a closed deal', [{ dealstage: 'closedlost' }], false],
])('a contact with %s', async (_what, deals, isLinked) => {
  await write(eventOf('kim'));
  const made = deals.map(deal);
  await write(eventOf('kim', BOTH));
  expect(links()?.deals ?? []).toEqual(isLinked ? [made[0]?.id] : []);
});

test('100 mails and opens of known contacts cost 2 calls more for companies, and 4 for deals', async () => {
  const names = Array.from({ length: 100 }, (_, index) => `c${index}`);
  const events = (associations: object) =>
    names.map((name, index) => eventOf(name, { associations }, { eventType: index % 2 ? 'EMAIL_SENT' : 'EMAIL_OPEN' }));
  await write(...events({}));
  expect(await callsOf(() => write(...events({})))).toHaveLength(4);
  expect(await callsOf(() => write(...events({ company: true })))).toHaveLength(6);
  for (const contact of simulator.contacts()) {
    simulator.seed('deals', { dealname: 'D', pipeline: 'default', dealstage: 'qualifiedtobuy' }, contact);
  }
  expect(await callsOf(() => write(...events({ deal: true })))).toHaveLength(8);
  expect(simulator.engagements().filter(({ associations }) => associations.deals?.length === 1)).toHaveLength(100);
});

test('what HubSpot refuses is a warning, and the engagement is written', async () => {
  await write(eventOf('kim'));
  simulator.failNext(1, 403, { match: /contacts\/deals/ });
  simulator.failNext(1, 403, { match: /emails\/companies/ });
  expect(await write(eventOf('kim', BOTH))).toMatchObject([{ status: 'warning', error: { code: 'forbidden' } }]);
  expect(simulator.engagements()).toHaveLength(2);
});

test('a company that was deleted since is found again', async () => {
  await write(eventOf('kim'));
  simulator.deleteRecord('companies', simulator.companies()[0]?.id ?? '');
  const event = eventOf('kim', BOTH);
  expect(await write(event)).toMatchObject([{ status: 'error', retry: { afterMs: null } }]);
  expect(await write({ ...event, isRepeated: true })).toMatchObject([{ status: 'success' }]);
});
