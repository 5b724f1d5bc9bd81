import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type HubspotSimulator, startHubspotSimulator } from '@svc/simulators';
import type { InboundEvent } from '@svc/sequencers';
import { accessTo, memoryRecords } from '../../test/support/batch.ts';
import { inboundEvent } from '../../test/support/inbound-event.ts';
import { checkExchanges } from '../../test/vendors/check-exchanges.ts';
import { HUBSPOT_FACTS } from '../../test/vendors/hubspot.ts';
import type { CrmConnector, CrmOutcome, CrmWrite } from '../port/types.ts';
import { createHubspotConnector } from './connector.ts';
import { type Deciders, planOf } from '../../test/support/plan.ts';

/** Properties that an account requires, which HubSpot's API enforces since 2026-09. */

const NOW = new Date('2026-09-30T12:00:00.000Z');
let simulator: HubspotSimulator;
let connector: CrmConnector;
let lastKey = 0;
const onExchange = checkExchanges(HUBSPOT_FACTS);
beforeAll(async () => {
  simulator = await startHubspotSimulator({ onExchange, owners: ['rep@example.com'] });
});
afterAll(() => simulator.close());
beforeEach(() => {
  simulator.reset();
  connector = createHubspotConnector({ fetch, baseUrl: simulator.url, timeoutMs: 60_000, now: () => NOW });
});

type Changes = Partial<InboundEvent['contact']> & Pick<Deciders, 'source'> & { eventType?: string };
function eventOf(email: string, { source, eventType = 'EMAIL_SENT', ...contact }: Changes = {}): CrmWrite {
  lastKey += 1;
  const nobody = { firstName: null, lastName: null, companyName: null, profileUrl: null };
  const event = inboundEvent({
    eventType,
    toEmail: email,
    contact: { ...inboundEvent().contact, ...nobody, email, ...contact },
  });
  return {
    plan: planOf(event, { source }),
    event,
    idempotencyKey: `12:k${lastKey}`,
    receivedAt: NOW,
    fields: [],
    lastValues: null,
    isRepeated: false,
  };
}
const write = (...events: CrmWrite[]): Promise<readonly CrmOutcome[]> =>
  connector.writeEvents({ access: accessTo('t'), organizationId: '1000001', records: memoryRecords(), events });
const statuses = (outcomes: readonly CrmOutcome[]) => outcomes.map(({ status }) => status);
const upsertsOf = (type: string) => simulator.requests().filter(({ path }) => path.endsWith(`${type}/batch/upsert`));
const propertiesOf = (email: string) =>
  simulator.contacts().find(({ properties }) => properties['email'] === email)?.properties;

describe('a property that every new contact needs', () => {
  test('is named by the events that lack it, and the others of the batch are written', async () => {
    simulator.requireProperties({ objectType: 'contacts', property: 'phone' });
    const outcomes = await write(
      ...Array.from({ length: 100 }, (_, index) =>
        eventOf(`c${index}@fjord.example.org`, { phone: index % 2 === 0 ? null : '+45 1' }),
      ),
    );
    const [lacking, written] = [0, 1].map((rest) => outcomes.filter((_, index) => index % 2 === rest));
    expect(new Set(statuses(written ?? []))).toEqual(new Set(['success']));
    for (const outcome of lacking ?? []) {
      expect(outcome).toMatchObject({
        status: 'error',
        retry: 'never',
        disconnected: false,
        error: {
          code: 'required_property',
          httpStatus: 400,
          message:
            'HubSpot answered 400 to the contact: the account requires phone, and no value is known. Send one, or change the rule in HubSpot',
        },
      });
    }
    expect(simulator.contacts()).toHaveLength(50);
    expect(upsertsOf('contacts').map(({ status }) => status)).toEqual([400, 200]);
  });

  test('is not asked of a contact that HubSpot has', async () => {
    await write(eventOf('kim@fjord.example.org'));
    simulator.requireProperties({ objectType: 'contacts', property: 'phone' });
    expect(statuses(await write(eventOf('kim@fjord.example.org', { jobTitle: 'CEO' })))).toEqual(['success']);
    expect(propertiesOf('kim@fjord.example.org')).toMatchObject({ jobtitle: 'CEO' });
  });

  test('is filled from what is known of the contact', async () => {
    for (const property of ['company', 'website', 'lastname', 'hs_linkedin_url']) {
      simulator.requireProperties({ objectType: 'contacts', property });
      const email = `${property}@fjord.example.org`;
      const profileUrl = `https://www.linkedin.com/in/${property}`;
      expect(statuses(await write(eventOf(email, { profileUrl })))).toEqual(['success']);
    }
    expect(propertiesOf('company@fjord.example.org')).toMatchObject({ company: 'fjord.example.org' });
    expect(propertiesOf('website@fjord.example.org')).toMatchObject({ website: 'fjord.example.org' });
    expect(propertiesOf('lastname@fjord.example.org')).toMatchObject({ lastname: 'lastname' });
    expect(propertiesOf('hs_linkedin_url@fjord.example.org')).toMatchObject({
      hs_linkedin_url: 'https://www.linkedin.com/in/hs_linkedin_url',
    });
  });

  test('is not filled where the account does not require it', async () => {
    await write(eventOf('kim@fjord.example.org'));
    const { lastname, company, website } = propertiesOf('kim@fjord.example.org') ?? {};
    expect({ lastname, company, website }).toEqual({});
  });

  test('of contacts that are known by a profile alone is found with each of them', async () => {
    simulator.requireProperties({ objectType: 'contacts', property: 'phone' });
    const social = (name: string, phone: string | null) => {
      const profileUrl = `https://www.linkedin.com/in/${name}`;
      const made = eventOf(profileUrl, { profileUrl, phone, eventType: 'MESSAGE_SENT' });
      return { ...made, event: { ...made.event, contact: { ...made.event.contact, email: null } } };
    };
    expect(statuses(await write(social('kim', null), social('lou', '+45 1')))).toEqual(['error', 'success']);
  });
});

describe('a property that another value requires', () => {
  const rule = { objectType: 'contacts', property: 'phone', when: { property: 'jobtitle', value: 'CEO' } } as const;

  test('is missing: the other value is left out, with a warning', async () => {
    simulator.requireProperties(rule);
    const outcomes = await write(
      eventOf('kim@fjord.example.org', { jobTitle: 'CEO', firstName: 'Kim' }),
      eventOf('lou@fjord.example.org', { jobTitle: 'CEO', phone: '+45 1' }),
      eventOf('ada@fjord.example.org', { jobTitle: 'CTO' }),
    );
    expect(outcomes).toMatchObject([
      { status: 'warning', error: { message: expect.stringContaining('requires phone (because of jobtitle)') } },
      { status: 'success' },
      { status: 'success' },
    ]);
    expect(propertiesOf('kim@fjord.example.org')).toMatchObject({ firstname: 'Kim' });
    expect(propertiesOf('kim@fjord.example.org')).not.toHaveProperty('jobtitle');
    expect(propertiesOf('lou@fjord.example.org')).toMatchObject({ jobtitle: 'CEO' });
  });

  test('of a contact that already breaks the rule: nothing is filled, and its events are written', async () => {
    await write(eventOf('kim@fjord.example.org', { jobTitle: 'CEO' }));
    simulator.requireProperties(rule);
    const event = eventOf('kim@fjord.example.org', { firstName: 'Kim' });
    expect(await write(event)).toMatchObject([{ status: 'warning', error: { code: 'required_property' } }]);
    expect(simulator.engagements()).toHaveLength(2);
    expect(propertiesOf('kim@fjord.example.org')).not.toHaveProperty('firstname');
  });
});

describe('a property that other new records need', () => {
  test('of an engagement is filled with the owner of its contact', async () => {
    simulator.requireProperties({ objectType: 'emails', property: 'hubspot_owner_id' });
    const outcomes = await write(
      eventOf('kim@fjord.example.org', { source: { assignContactOwner: true } }),
      eventOf('lou@fjord.example.org'),
    );
    expect(outcomes).toMatchObject([{ status: 'success' }, { status: 'error', error: { code: 'required_property' } }]);
    expect(simulator.engagements()).toMatchObject([{ properties: { hubspot_owner_id: '7001' } }]);
  });

  test('of a company is a warning, and the event is written', async () => {
    simulator.requireProperties({ objectType: 'companies', property: 'city' });
    const outcomes = await write(eventOf('kim@fjord.example.org', { source: { createOrUpdateCompany: true } }));
    expect(outcomes).toMatchObject([
      { status: 'warning', error: { message: expect.stringContaining('to the company: the account requires city') } },
    ]);
    expect(simulator.engagements()).toHaveLength(1);
  });
});

test('a user who may not change associations is named once, without dividing the batch', async () => {
  const body = {
    status: 'error',
    message: "Missing 'Edit Associations' permission.",
    category: 'VALIDATION_ERROR',
    correlationId: 'aeb5f871-7f07-4993-9211-075dc63e7cbf',
  };
  let refused = 0;
  connector = createHubspotConnector({
    baseUrl: simulator.url,
    timeoutMs: 60_000,
    now: () => NOW,
    fetch: async (input, init) => {
      if (!new Request(input).url.includes('/associations/')) return await fetch(input, init);
      refused += 1;
      return Response.json(body, { status: 400 });
    },
  });
  const outcomes = await write(...['a', 'b', 'c', 'd'].map((name) => eventOf(`${name}@fjord.example.org`)));
  expect(outcomes).toMatchObject(
    Array.from({ length: 4 }, () => ({ status: 'warning', error: { code: 'forbidden' } })),
  );
  expect(refused).toBe(1);
});
