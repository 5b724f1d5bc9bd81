import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type HubspotSimulator, startHubspotSimulator } from '@svc/simulators';
import { BLANK_CONTACT, type InboundEvent } from '@svc/sequencers';
import { createHubspotConnector } from './connector.ts';
import type { CrmConnector, CrmOutcome, CrmWrite } from '../port/types.ts';
import { accessTo, memoryRecords } from '../../test/support/batch.ts';
import { checkExchanges } from '../../test/vendors/check-exchanges.ts';
import { HUBSPOT_FACTS } from '../../test/vendors/hubspot.ts';
import { type Deciders, planOf } from '../../test/support/plan.ts';

const START = Date.parse('2026-03-01T12:00:00.000Z');
const DAY_MS = 24 * 60 * 60 * 1000;
const REFUSED = 'refused by a rule of the account';
const PROPERTY_CALLS = /\/properties\//;

let simulator: HubspotSimulator;
let connector: CrmConnector;
let records: ReturnType<typeof memoryRecords>;
let nowMs = START;
const onExchange = checkExchanges(HUBSPOT_FACTS);
beforeAll(async () => {
  simulator = await startHubspotSimulator({
    onExchange,
    owners: ['rep@example.com', 'sam@example.com'],
    validationRule: (_type, values) =>
      Object.values(values).some((value) => value.includes('[poison]')) ? REFUSED : null,
  });
});
afterAll(() => simulator.close());
beforeEach(() => {
  simulator.reset();
  connector = createHubspotConnector({ fetch, baseUrl: simulator.url, timeoutMs: 60_000, now: () => new Date(nowMs) });
  records = memoryRecords();
  nowMs = START;
});

const ALL = { createOrUpdateCompany: true, createOrUpdateTask: true, assignContactOwner: true };

type Changes = Partial<Omit<InboundEvent, 'contact'>> & Deciders & { contact?: Partial<InboundEvent['contact']> };

let lastKey = 0;
/** An event of the contact with this address. */
function eventOf(email: string, { contact, source, policy, ...changes }: Changes = {}): CrmWrite {
  lastKey += 1;
  const event: InboundEvent = {
    eventKey: `k${lastKey}`,
    eventType: 'EMAIL_SENT',
    toEmail: email,
    occurredAt: new Date(START),
    contact: { ...BLANK_CONTACT, [email.includes('@') ? 'email' : 'profileUrl']: email, ...contact },
    fromEmail: 'rep@example.com',
    replySender: null,
    campaign: { id: '7', name: 'Spring' },
    subject: 'Route planning',
    bodyHtml: null,
    bodyText: 'Hello',
    messageId: null,
    answeredMessageId: null,
    category: null,
    linkUrls: [],
    sequenceNumber: 1,
    ...changes,
  };
  const receivedAt = new Date(START);
  const plan = planOf(event, { source, policy });
  return { plan, event, idempotencyKey: `12:k${lastKey}`, receivedAt, fields: [], lastValues: null, isRepeated: false };
}

function write(...events: CrmWrite[]): Promise<readonly CrmOutcome[]> {
  return connector.writeEvents({ access: accessTo('t'), organizationId: '1000001', records, events });
}
const statuses = (outcomes: readonly CrmOutcome[]) => outcomes.map(({ status }) => status);

/** Sends all inputs of upserts but the first with this key, which the answer refuses in the form of a 207. */
function withRefusedInput(key: string, category: string): typeof fetch {
  let isRefused = false;
  return async (url, init) => {
    const body = typeof init?.body === 'string' ? JSON.parse(init.body) : null;
    const inputs: { id?: string; objectWriteTraceId?: string }[] = body?.inputs ?? [];
    const refused = inputs.find(({ id }) => id?.includes(key));
    if (isRefused || refused === undefined) return await fetch(url, init);
    isRefused = true;
    const others = inputs.filter((input) => input !== refused);
    const answer: object =
      others.length === 0
        ? { status: 'COMPLETE', results: [] }
        : JSON.parse(await (await fetch(url, { ...init, body: JSON.stringify({ ...body, inputs: others }) })).text());
    const context = { objectWriteTraceId: [refused.objectWriteTraceId] };
    const error = { status: 'error', category, message: 'Try again', context };
    return Response.json({ ...answer, numErrors: 1, errors: [error] }, { status: 207 });
  };
}
const calls = () => simulator.requests().map(({ method, path }) => `${method} ${path}`);
const callsWithoutProperties = () => calls().filter((call) => !PROPERTY_CALLS.test(call));
const hundred = (toChanges: (index: number) => Changes = () => ({})) =>
  Array.from({ length: 100 }, (_, index) => eventOf(`c${index}@d${index}.example.org`, toChanges(index)));
const contactOf = (email: string) => simulator.contacts().find(({ properties }) => properties['email'] === email);

describe('calls', () => {
  test('100 sent mails and opens of known contacts cost 4 calls', async () => {
    await write(...hundred());
    const before = callsWithoutProperties().length;
    const outcomes = await write(
      ...hundred((index) => ({
        eventType: index % 2 === 0 ? 'EMAIL_SENT' : 'EMAIL_OPEN',
        source: ALL,
        fromEmail: null,
        contact: { companyDomain: 'gmail.com' },
      })),
    );
    expect(new Set(statuses(outcomes))).toEqual(new Set(['success']));
    expect(callsWithoutProperties().slice(before).toSorted()).toEqual([
      'POST /crm/associations/2026-09/emails/contacts/batch/associate/default',
      'POST /crm/associations/2026-09/notes/contacts/batch/associate/default',
      'POST /crm/objects/2026-09/emails/batch/upsert',
      'POST /crm/objects/2026-09/notes/batch/upsert',
    ]);
  });

  test('100 sent mails of known contacts that are not remembered cost 3 calls', async () => {
    await write(...hundred());
    const before = callsWithoutProperties().length;
    nowMs += DAY_MS;
    await write(...hundred());
    expect(callsWithoutProperties().slice(before)).toEqual([
      'POST /crm/objects/2026-09/contacts/batch/read',
      'POST /crm/objects/2026-09/emails/batch/upsert',
      'POST /crm/associations/2026-09/emails/contacts/batch/associate/default',
    ]);
  });

  test('500 sent mails of unknown contacts cost 20 calls, five at a time', async () => {
    const events = Array.from({ length: 500 }, (_, index) => eventOf(`c${index}@fjord.example.org`));
    const running: number[] = [0];
    const count = (change: number) => void running.push((running.at(-1) ?? 0) + change);
    const quota = {
      take: async () => {
        count(1);
        return null;
      },
      report: async () => count(-1),
    };
    const access = { ...accessTo('t'), quota };
    const outcomes = await connector.writeEvents({ access, organizationId: '1000001', records, events });
    expect(new Set(statuses(outcomes))).toEqual(new Set(['success']));
    expect(callsWithoutProperties()).toHaveLength(20);
    expect(Math.max(...running)).toBe(5);
    expect(simulator.state().counts).toMatchObject({ contacts: 500, engagements: 500 });
  });

  test('of 500 events, a call without an answer fails only its own', async () => {
    const events = Array.from({ length: 500 }, (_, index) => eventOf(`c${index}@fjord.example.org`));
    const key = `${events[250]?.idempotencyKey}"`;
    const lost: typeof fetch = async (url, init) => {
      const isLost = typeof init?.body === 'string' && init.body.includes(key);
      if (isLost) throw new TypeError('fetch failed');
      return await fetch(url, init);
    };
    const failing = createHubspotConnector({ fetch: lost, baseUrl: simulator.url, timeoutMs: 60_000 });
    const outcomes = await failing.writeEvents({ access: accessTo('t'), organizationId: '1000001', records, events });
    const failed = outcomes.flatMap(({ status }, index) => (status === 'error' ? [index] : []));
    expect(failed).toEqual(Array.from({ length: 100 }, (_, index) => 200 + index));
  });

  test('100 sent mails of unknown contacts, with owners and companies, cost 8 calls', async () => {
    const outcomes = await write(...hundred(() => ({ source: ALL })));
    expect(new Set(statuses(outcomes))).toEqual(new Set(['success']));
    expect(callsWithoutProperties().toSorted()).toEqual([
      'GET /crm/owners/2026-09?limit=500',
      'POST /crm/associations/2026-09/contacts/companies/batch/associate/default',
      'POST /crm/associations/2026-09/emails/contacts/batch/associate/default',
      'POST /crm/objects/2026-09/companies/batch/upsert',
      'POST /crm/objects/2026-09/companies/search',
      'POST /crm/objects/2026-09/contacts/batch/read',
      'POST /crm/objects/2026-09/contacts/batch/upsert',
      'POST /crm/objects/2026-09/emails/batch/upsert',
    ]);
    expect(simulator.state().counts).toMatchObject({ contacts: 100, engagements: 100, companies: 100 });
  });

  test('100 replies of unknown contacts cost 2 calls more for their tasks', async () => {
    await write(...hundred(() => ({ eventType: 'EMAIL_REPLY', source: ALL })));
    expect(callsWithoutProperties()).toHaveLength(10);
    expect(simulator.tasks()).toHaveLength(100);
    expect(simulator.tasks().every(({ associations }) => associations.contacts?.length === 1)).toBe(true);
  });

  test('each call asks the quota first and is reported, under a name of a closed list', async () => {
    const log: string[] = [];
    const quota = {
      take: async ({ operation, bucket }: { operation: string; bucket?: string }) => {
        log.push(`take ${operation}${bucket === undefined ? '' : ` of ${bucket}`}`);
        return null;
      },
      report: async ({ operation }: { operation: string }, { httpStatus }: { httpStatus: number | null }) => {
        log.push(`${operation} ${httpStatus}`);
      },
    };
    const events = [eventOf('kim@fjord.example.org', { eventType: 'EMAIL_REPLY', source: ALL })];
    await connector.writeEvents({ access: accessTo('t', { quota }), organizationId: '1', records, events });
    const taken = log.filter((line) => line.startsWith('take '));
    expect(taken).toHaveLength(simulator.requests().length);
    expect(log).toHaveLength(2 * taken.length);
    expect([...new Set(taken)].toSorted()).toEqual([
      'take associate',
      'take companies_search of search',
      'take companies_upsert',
      'take contacts_read',
      'take contacts_upsert',
      'take engagements_upsert',
      'take owners',
      'take properties',
      'take tasks_upsert',
    ]);
  });

  test('a renewed access token of a grant does not ask for our properties again', async () => {
    for (const token of ['t1', 't2']) {
      const access = accessTo(token, { tokenType: 'oauth' });
      await connector.writeEvents({ access, organizationId: '1', records, events: [eventOf('kim@fjord.example.org')] });
    }
    expect(calls().filter((call) => call === 'GET /crm/properties/2026-09/emails/svc_event_key')).toHaveLength(1);
  });

  test('a call that the quota refuses is not made, and its events wait', async () => {
    const error = { code: 'rate_limited', message: 'wait', httpStatus: null };
    const untilMs = START + 120_000;
    const quota = { take: async () => ({ untilMs, error }), report: async () => {} };
    const events = [eventOf('kim@fjord.example.org'), eventOf('lou@fjord.example.org')];
    const outcomes = await connector.writeEvents({
      access: accessTo('t', { quota }),
      organizationId: '1',
      records,
      events,
    });
    expect(outcomes).toMatchObject(
      events.map(() => ({
        status: 'error',
        error,
        retry: { afterMs: 120_000 },
        disconnected: false,
        cooldownUntilMs: untilMs,
      })),
    );
    expect(simulator.requests()).toEqual([]);
  });
});

describe('events of one contact', () => {
  test('are written in order with one upsert; the first known value wins', async () => {
    const outcomes = await write(
      eventOf('kim@fjord.example.org', { contact: { firstName: 'Kim' } }),
      eventOf('Kim@Fjord.example.org', { contact: { firstName: 'Kimberly', lastName: 'Berg' } }),
      eventOf('kim@fjord.example.org', { contact: { lastName: 'Quist', phone: '1' }, eventType: 'EMAIL_OPEN' }),
    );
    expect(statuses(outcomes)).toEqual(['success', 'success', 'success']);
    expect(simulator.contacts()).toMatchObject([
      { writes: 1, properties: { firstname: 'Kim', lastname: 'Berg', phone: '1' } },
    ]);
    expect(simulator.contacts()[0]?.associations).toMatchObject({
      emails: [expect.any(String), expect.any(String)],
      notes: [expect.any(String)],
    });
  });

  test('the first event whose mailbox belongs to a user names the owner', async () => {
    await write(
      eventOf('kim@fjord.example.org', { fromEmail: 'rep@example.com' }),
      eventOf('kim@fjord.example.org', { fromEmail: 'stranger@example.com', source: ALL }),
      eventOf('kim@fjord.example.org', { fromEmail: 'Sam@example.com', source: ALL }),
    );
    expect(simulator.contacts()[0]?.properties['hubspot_owner_id']).toBe('7002');
  });

  test('a refused value is replaced by the next known one, with a warning for the event that brought it', async () => {
    const outcomes = await write(
      eventOf('kim@fjord.example.org', { contact: { jobTitle: 'x'.repeat(70_000), firstName: 'Kim' } }),
      eventOf('lou@fjord.example.org', { contact: { jobTitle: 'CFO' } }),
      eventOf('kim@fjord.example.org', { contact: { jobTitle: 'CEO' } }),
    );
    expect(statuses(outcomes)).toEqual(['warning', 'success', 'success']);
    expect(contactOf('kim@fjord.example.org')?.properties).toMatchObject({ jobtitle: 'CEO', firstname: 'Kim' });
    expect(contactOf('lou@fjord.example.org')?.properties).toMatchObject({ jobtitle: 'CFO' });
  });

  test('two addresses of one contact are one contact', async () => {
    await write(eventOf('kim@fjord.example.org'));
    const id = simulator.contacts()[0]?.id ?? '';
    await send('PATCH', `/crm/objects/2026-09/contacts/${id}`, {
      properties: { hs_additional_emails: 'kim@old.example.org' },
    });
    records = memoryRecords();
    const outcomes = await write(
      eventOf('kim@old.example.org', { contact: { firstName: 'Kim' } }),
      eventOf('kim@fjord.example.org', { contact: { firstName: 'Kimberly' } }),
    );
    expect(outcomes).toMatchObject([{ contactId: id }, { contactId: id }]);
    expect(simulator.contacts()).toMatchObject([{ properties: { email: 'kim@fjord.example.org', firstname: 'Kim' } }]);
  });

  test('a profile URL that a mail brought is found by the later message in the same batch', async () => {
    const profileUrl = 'https://www.linkedin.com/in/kim-berg';
    const outcomes = await write(
      eventOf('kim@fjord.example.org', { contact: { profileUrl } }),
      eventOf(profileUrl, { eventType: 'MESSAGE_SENT' }),
      eventOf('lou@fjord.example.org'),
    );
    expect(statuses(outcomes)).toEqual(['success', 'success', 'success']);
    expect(simulator.contacts()).toHaveLength(2);
    expect(contactOf('kim@fjord.example.org')?.associations).toMatchObject({
      emails: [expect.any(String)],
      communications: [expect.any(String)],
    });
  });

  test.each(['message first', 'mail first'])(
    'a message and a mail with the same profile are one contact: %s',
    async (order) => {
      const profileUrl = 'https://www.linkedin.com/in/kim-berg';
      const message = eventOf(profileUrl, { eventType: 'MESSAGE_SENT' });
      const mail = eventOf('kim@fjord.example.org', { contact: { profileUrl } });
      const outcomes = await write(...(order === 'message first' ? [message, mail] : [mail, message]));
      expect(statuses(outcomes)).toEqual(['success', 'success']);
      expect(simulator.contacts()).toMatchObject([
        { properties: { email: 'kim@fjord.example.org', svc_profile_url: profileUrl } },
      ]);
    },
  );

  test('a contact that cannot be read by its profile at the moment is not made a second time', async () => {
    const profileUrl = 'https://www.linkedin.com/in/kim-berg';
    await write(eventOf(profileUrl, { eventType: 'MESSAGE_SENT' }));
    const mail = eventOf('kim@fjord.example.org', { contact: { profileUrl } });
    simulator.failNext(1, 503, { match: /contacts\/batch\/read/, skip: 1 });
    expect(await write(mail)).toMatchObject([{ status: 'error', retry: { afterMs: null } }]);
    expect(statuses(await write(mail))).toEqual(['success']);
    expect(simulator.contacts()).toMatchObject([{ properties: { email: 'kim@fjord.example.org' } }]);
  });

  test('an address that another contact has is not joined with the profile', async () => {
    const profileUrl = 'https://www.linkedin.com/in/kim-berg';
    await write(eventOf(profileUrl, { eventType: 'MESSAGE_SENT' }), eventOf('kim@fjord.example.org'));
    const outcomes = await write(eventOf('kim@fjord.example.org', { contact: { profileUrl } }));
    expect(statuses(outcomes)).toEqual(['success']);
    expect(simulator.contacts()).toHaveLength(2);
  });

  test('a message and a mail of one known contact keep their own rules for names', async () => {
    const profileUrl = 'https://www.linkedin.com/in/kim-berg';
    await write(eventOf('kim@fjord.example.org', { contact: { profileUrl } }));
    await write(
      eventOf(profileUrl, { eventType: 'MESSAGE_SENT', contact: { firstName: 'Kim' } }),
      eventOf('kim@fjord.example.org'),
    );
    expect(simulator.contacts()).toHaveLength(1);
    expect(simulator.contacts()[0]?.properties).not.toHaveProperty('lastname');
  });

  describe('that name it differently', () => {
    const [kim, lou] = ['https://www.linkedin.com/in/kim', 'https://www.linkedin.com/in/lou'];
    const ofKim = () => eventOf('kim@fjord.example.org', { contact: { profileUrl: kim } });
    const ofLou = () => eventOf('lou@fjord.example.org', { contact: { profileUrl: lou } });
    /** Waits for the event of Kim, who has its profile URL. */
    const waiting = (email = 'lou@fjord.example.org') =>
      eventOf(email, { contact: { profileUrl: kim, jobTitle: 'CFO' } });
    const later = (person = lou) => eventOf(person, { contact: { jobTitle: 'CEO' } });
    const titleOfLou = () => contactOf('lou@fjord.example.org')?.properties['jobtitle'];

    test('an event does not overtake one of the contact that the batch made', async () => {
      const refused = eventOf('lou@fjord.example.org', { contact: { profileUrl: kim, jobTitle: 'x'.repeat(70_000) } });
      const outcomes = await write(eventOf(kim), ofLou(), ofKim(), refused, later(), eventOf('kim@fjord.example.org'));
      expect(statuses(outcomes)).toEqual(['success', 'success', 'success', 'warning', 'success', 'success']);
      expect(simulator.contacts()).toHaveLength(2);
      expect(titleOfLou()).toBe('CEO');
    });

    test('an event does not overtake one of the contact that HubSpot has with this profile URL', async () => {
      await write(ofLou());
      const outcomes = await write(ofKim(), waiting(), later());
      expect(statuses(outcomes)).toEqual(['success', 'success', 'success']);
      expect(titleOfLou()).toBe('CFO');
    });

    test('an event does not overtake one of the contact that HubSpot has with both addresses', async () => {
      await write(ofLou());
      const id = simulator.contacts()[0]?.id ?? '';
      await send('PATCH', `/crm/objects/2026-09/contacts/${id}`, {
        properties: { hs_additional_emails: 'lou@old.example.org;lou@older.example.org' },
      });
      await write(ofKim(), waiting('Lou@Older.example.org'), later('lou@fjord.example.org'));
      expect(titleOfLou()).toBe('CFO');
    });

    test('an event waits with one that waits for an event that will be repeated', async () => {
      await write(ofLou());
      const batch = [ofKim(), waiting(), later()];
      simulator.failNext(1, 503, { match: /contacts\/batch\/upsert/ });
      const outcomes = await write(...batch);
      expect(outcomes).toMatchObject([
        { retry: { afterMs: null } },
        { retry: { afterMs: null } },
        { retry: { afterMs: null } },
      ]);
      expect(titleOfLou()).toBeUndefined();
      expect(statuses(await write(...batch))).toEqual(['success', 'success', 'success']);
      expect(titleOfLou()).toBe('CFO');
    });

    test('an event waits with one whose contact could not be read by its address', async () => {
      await write(ofLou());
      records = memoryRecords();
      const batch = [eventOf('lou@fjord.example.org', { contact: { jobTitle: 'CFO' } }), later()];
      simulator.failNext(1, 503, { match: /contacts\/batch\/read/ });
      expect(await write(...batch)).toMatchObject([{ retry: { afterMs: null } }, { retry: { afterMs: null } }]);
      expect(statuses(await write(...batch))).toEqual(['success', 'success']);
      expect(titleOfLou()).toBe('CFO');
    });

    test('an event waits with one that failed in an earlier round', async () => {
      await write(ofLou(), ofKim());
      const batch = [
        eventOf('lou@fjord.example.org', { contact: { jobTitle: 'CFO' } }),
        eventOf('kim@fjord.example.org', { contact: { profileUrl: lou } }),
        later(),
      ];
      simulator.failNext(1, 503, { match: /contacts\/batch\/upsert/ });
      expect(await write(...batch)).toMatchObject([
        { retry: { afterMs: null } },
        { status: 'success' },
        { retry: { afterMs: null } },
      ]);
      expect(statuses(await write(...batch))).toEqual(['success', 'success', 'success']);
      expect(titleOfLou()).toBe('CFO');
    });
  });

  test('the same event twice in a batch is written once', async () => {
    const event = eventOf('kim@fjord.example.org');
    const [first, second] = await write(event, event);
    expect(first).toEqual(second);
    expect(simulator.engagements()).toHaveLength(1);
  });
});

describe('a bad event', () => {
  test('an invalid address is found in a refused batch of 100 by dividing it', async () => {
    const events = hundred();
    events[61] = eventOf('not an address@example');
    const outcomes = await write(...events);
    expect(outcomes[61]).toMatchObject({
      status: 'error',
      retry: 'never',
      error: { message: 'HubSpot answered 400 to the contact: INVALID_EMAIL for email' },
    });
    expect(outcomes.filter(({ status }) => status === 'success')).toHaveLength(99);
    // The batch, then at most two calls for each of 7 halvings.
    const upserts = calls().filter((call) => call.includes('contacts/batch/upsert'));
    expect(upserts.length).toBeLessThanOrEqual(1 + 2 * 7);
  });

  test('a refused engagement is named by the 207 and costs no further call', async () => {
    const events = hundred();
    events[7] = eventOf('c7@d7.example.org', { subject: '[poison]' });
    const outcomes = await write(...events);
    expect(outcomes[7]).toMatchObject({
      status: 'error',
      retry: 'never',
      error: { code: 'refused', message: `HubSpot answered 400 to the engagement (emails): ${REFUSED}` },
    });
    expect(outcomes.filter(({ status }) => status === 'success')).toHaveLength(99);
    expect(calls().filter((call) => call.includes('emails/batch/upsert'))).toHaveLength(1);
  });

  test('an impossible time fails alone', async () => {
    const outcomes = await write(
      eventOf('kim@fjord.example.org'),
      eventOf('lou@fjord.example.org', { occurredAt: new Date(NaN) }),
    );
    expect(outcomes).toMatchObject([{ status: 'success' }, { status: 'error', error: { code: 'internal' } }]);
  });
});

describe('temporary failures', () => {
  test('after the first one, nothing more is asked for its events', async () => {
    simulator.failNext(1_000, 503);
    await write(eventOf('kim@example.org', { source: ALL, contact: { profileUrl: 'https://linkedin.com/in/kim' } }));
    expect(simulator.requests().map(({ path }) => path)).toEqual(['/crm/objects/2026-09/contacts/batch/read']);
  });

  test('concern the events of their call alone, and the repeated batch completes them', async () => {
    simulator.failNext(1, 503, { match: /notes\/batch\/upsert/ });
    const events = [
      eventOf('kim@fjord.example.org'),
      eventOf('kim@fjord.example.org', { eventType: 'EMAIL_OPEN' }),
      eventOf('lou@fjord.example.org', { eventType: 'CALL_COMPLETED' }),
    ];
    const outcomes = await write(...events);
    expect(outcomes).toMatchObject([
      { status: 'success' },
      { status: 'error', retry: { afterMs: null }, isUnavailable: true },
      { status: 'success' },
    ]);
    expect(statuses(await write(...events.map((event) => ({ ...event, isRepeated: true }))))).toEqual([
      'success',
      'success',
      'success',
    ]);
    expect(simulator.state().counts).toMatchObject({ contacts: 2, engagements: 3 });
  });

  test.each(['EMAIL_SENT', 'EMAIL_OPEN'] as const)(
    'a 207 that asks to repeat an event holds back the later %s of its contact, which is not sent',
    async (eventType) => {
      const events = [eventOf('kim@fjord.example.org'), eventOf('kim@fjord.example.org', { eventType })];
      const key = (index: number) => events[index]?.idempotencyKey ?? '';
      connector = createHubspotConnector({
        ...{ baseUrl: simulator.url, timeoutMs: 60_000, now: () => new Date(nowMs) },
        fetch: withRefusedInput(key(0), 'CONFLICT'),
      });
      const outcomes = await write(...events, eventOf('lou@fjord.example.org'));
      expect(outcomes).toMatchObject([
        { status: 'error', error: { code: 'conflict' }, retry: { afterMs: null } },
        { status: 'error', error: { code: 'conflict' }, retry: { afterMs: null } },
        { status: 'success' },
      ]);
      const written = () => simulator.engagements().map(({ properties }) => properties['svc_event_key']);
      expect(written()).toHaveLength(1);
      expect(statuses(await write(...events.map((event) => ({ ...event, isRepeated: true }))))).toEqual([
        'success',
        'success',
      ]);
      expect(
        simulator
          .engagements()
          .toSorted((a, b) => Number(a.id) - Number(b.id))
          .slice(1),
      ).toMatchObject([
        { properties: { svc_event_key: expect.stringContaining(key(0)) } },
        { properties: { svc_event_key: expect.stringContaining(key(1)) } },
      ]);
    },
  );

  test('a locked record makes one event wait, not the batch', async () => {
    await write(...hundred());
    records = memoryRecords();
    const fill = () => hundred(() => ({ contact: { firstName: 'Kim' } }));
    // The batch and the halves with the locked record, which is the first one.
    for (const _ of [100, 50, 25, 13, 7, 4, 2, 1])
      simulator.failNext(1, 423, { match: /contacts\/batch\/upsert/, skip: 0 });
    const outcomes = await write(...fill());
    expect(outcomes[0]).toMatchObject({ status: 'error', retry: { afterMs: 2_000 }, error: { httpStatus: 423 } });
    expect(outcomes.slice(1).every(({ status }) => status === 'success')).toBe(true);
  });

  test('a later event waits with the earlier one of its contact when both cannot be written together', async () => {
    const profileUrl = 'https://www.linkedin.com/in/kim-berg';
    simulator.failNext(1, 503, { match: /contacts\/batch\/upsert/ });
    const outcomes = await write(
      eventOf('kim@fjord.example.org', { contact: { profileUrl } }),
      eventOf(profileUrl, { eventType: 'MESSAGE_SENT' }),
    );
    expect(outcomes).toMatchObject([{ retry: { afterMs: null } }, { retry: { afterMs: null } }]);
    expect(simulator.contacts()).toEqual([]);
  });
});

test('the company comes from the recipient too, when the contact has no address of its own', async () => {
  await write(eventOf('kim@fjord.example.org', { contact: { email: null }, source: ALL }));
  expect(simulator.companies().map(({ properties }) => properties['domain'])).toEqual(['fjord.example.org']);
});

describe('remembered contacts', () => {
  test('hold no value of the contact', async () => {
    await write(eventOf('kim@fjord.example.org', { contact: { firstName: 'Kim', lastName: 'Berg' }, source: ALL }));
    const [contact] = simulator.contacts();
    expect([...records.all.values()]).toEqual([
      {
        identity: 'domain:fjord.example.org',
        recordType: 'companies',
        recordId: simulator.companies()[0]?.id,
        detailsHash: null,
        ownerId: null,
        companyId: null,
        checkedAt: new Date(START),
      },
      {
        identity: 'email:kim@fjord.example.org',
        recordType: 'contacts',
        recordId: contact?.id,
        detailsHash: 'firstname,lastname',
        ownerId: '7001',
        companyId: simulator.companies()[0]?.id,
        checkedAt: new Date(START),
      },
    ]);
  });

  test('under an address and a profile URL are one contact, whose values are not replaced', async () => {
    const profileUrl = 'https://www.linkedin.com/in/kim';
    const message = () => eventOf(profileUrl, { eventType: 'MESSAGE_SENT' });
    const mail = (contact: Partial<InboundEvent['contact']>) =>
      eventOf('kim@fjord.example.org', { source: ALL, contact });
    for (const event of [mail({ profileUrl }), message(), mail({ jobTitle: 'CEO' })]) await write(event);
    const before = calls().length;
    expect(statuses(await write(message(), mail({ jobTitle: 'CFO' })))).toEqual(['success', 'success']);
    expect(simulator.contacts()).toMatchObject([{ properties: { jobtitle: 'CEO' } }]);
    expect(calls().slice(before)).toHaveLength(4);
  });

  test('are read again when an event knows more, and what HubSpot has by then wins', async () => {
    await write(eventOf('kim@fjord.example.org'));
    const id = simulator.contacts()[0]?.id ?? '';
    await send('PATCH', `/crm/objects/2026-09/contacts/${id}`, { properties: { firstname: 'Kimberly' } });
    await write(eventOf('kim@fjord.example.org', { contact: { firstName: 'Kim', lastName: 'Berg' } }));
    expect(simulator.contacts()).toMatchObject([{ properties: { firstname: 'Kimberly', lastname: 'Berg' } }]);
  });

  test('that were deleted in HubSpot fail once and are then created again', async () => {
    await write(eventOf('kim@fjord.example.org'), eventOf('lou@fjord.example.org'));
    await send('DELETE', `/crm/objects/2026-09/contacts/${contactOf('kim@fjord.example.org')?.id}`);
    const event = eventOf('kim@fjord.example.org');
    expect(await write(event, eventOf('lou@fjord.example.org'))).toMatchObject([
      { status: 'error', retry: { afterMs: null } },
      { status: 'success' },
    ]);
    expect(statuses(await write({ ...event, isRepeated: true }))).toEqual(['success']);
    expect(contactOf('kim@fjord.example.org')?.associations.emails).toHaveLength(1);
  });

  test('records that cannot be read or written only cost calls', async () => {
    const broken = () => Promise.reject(new Error('no database'));
    records = { ...memoryRecords(), read: broken, write: broken, delete: broken };
    expect(statuses(await write(eventOf('kim@fjord.example.org', { source: ALL })))).toEqual(['success']);
  });
});

describe('state fields', () => {
  const source = { writeStateFields: true };
  const at = (hour: number) => new Date(Date.UTC(2026, 2, 1, hour));

  test('are the times of the first bounce and opt-out, and are never overwritten', async () => {
    for (const hour of [8, 9]) {
      const outcomes = await write(
        eventOf('kim@fjord.example.org', { eventType: 'EMAIL_BOUNCE', occurredAt: at(hour), source }),
        eventOf('kim@fjord.example.org', { eventType: 'LEAD_UNSUBSCRIBED', occurredAt: at(hour + 2), source }),
        eventOf('lou@fjord.example.org', { source }),
      );
      expect(statuses(outcomes)).toEqual(['success', 'success', 'success']);
    }
    expect(contactOf('kim@fjord.example.org')?.properties).toMatchObject({
      svc_bounced_at: '2026-03-01T08:00:00.000Z',
      svc_unsubscribed_at: '2026-03-01T10:00:00.000Z',
    });
    expect(contactOf('lou@fjord.example.org')?.properties).not.toHaveProperty('svc_bounced_at');
    expect(calls().filter((call) => call === 'POST /crm/properties/2026-09/contacts')).toHaveLength(2);
  });

  test('are off by default: neither values nor properties', async () => {
    await write(eventOf('kim@fjord.example.org', { eventType: 'EMAIL_BOUNCE' }));
    expect(contactOf('kim@fjord.example.org')?.properties).not.toHaveProperty('svc_bounced_at');
    expect(calls().filter((call) => call.includes('properties/contacts'))).toEqual([]);
  });

  test('without permission to create them, the event is written with a warning', async () => {
    simulator.failNext(1, 403, { match: /POST .*properties\/2026-09\/contacts$/ });
    const outcomes = await write(eventOf('kim@fjord.example.org', { eventType: 'EMAIL_BOUNCE', source }));
    expect(outcomes).toMatchObject([{ status: 'warning', error: { code: 'forbidden' } }]);
    expect(simulator.engagements()).toHaveLength(1);
  });
});

test('properties of a batch that an admin deleted are created again, without dividing the batch', async () => {
  const events = () => hundred((index) => ({ contact: { profileUrl: `https://www.linkedin.com/in/c${index}` } }));
  await write(...events());
  simulator.reset();
  records = memoryRecords();
  expect(new Set(statuses(await write(...events())))).toEqual(new Set(['success']));
  expect(simulator.contacts()[7]?.properties['svc_profile_url']).toBe('https://www.linkedin.com/in/c7');
  expect(calls().filter((call) => call.includes('contacts/batch/upsert'))).toHaveLength(2);
});

test('calls that are refused at the same time because an admin deleted a property all wait until it is there again', async () => {
  await write(...hundred());
  simulator.reset();
  records = memoryRecords();
  const events = Array.from({ length: 300 }, (_, index) => eventOf(`c${index}@d${index}.example.org`));
  expect(new Set(statuses(await write(...events)))).toEqual(new Set(['success']));
  expect(simulator.engagements()).toHaveLength(300);
  // The property is still known to be unique: what is written again changes nothing.
  expect(new Set(statuses(await write(...events)))).toEqual(new Set(['success']));
  expect(simulator.engagements()).toHaveLength(300);
});

test('companies: one search for all, an existing one is used, the oldest of several', async () => {
  for (const name of ['Old', 'New']) await makeCompany('fjord.example.org', name);
  await write(
    eventOf('kim@fjord.example.org', { source: ALL }),
    eventOf('lou@fjord.example.org', { source: ALL }),
    eventOf('ada@skagen.example.org', { source: ALL, contact: { companyName: 'Skagen' } }),
  );
  expect(simulator.companies()).toMatchObject([
    { properties: { name: 'Old' }, associations: { contacts: [expect.any(String), expect.any(String)] } },
    { properties: { name: 'New' }, associations: {} },
    { properties: { name: 'Skagen' }, associations: { contacts: [expect.any(String)] } },
  ]);
  expect(calls().filter((call) => call.includes('companies/search'))).toHaveLength(1);
});

test('companies: long domains are divided into searches of at most 3,000 characters', async () => {
  const long = (index: number) => `${String(index).padStart(3, '0')}-${'fjord'.repeat(8)}.example.org`;
  const events = Array.from({ length: 100 }, (_, index) => eventOf(`kim@${long(index)}`, { source: ALL }));
  for (const index of [0, 99]) await makeCompany(long(index), 'Known');
  expect(new Set(statuses(await write(...events)))).toEqual(new Set(['success']));
  const searches = simulator.requests().filter(({ path }) => path.endsWith('companies/search'));
  expect(searches.map(({ status }) => status)).toEqual([200, 200, 200]);
  expect(simulator.companies()).toHaveLength(100);
});

function makeCompany(domain: string, name: string): Promise<void> {
  return send('POST', '/crm/objects/2026-09/companies', { properties: { domain, name }, associations: [] });
}

async function send(method: string, path: string, body?: unknown): Promise<void> {
  const response = await fetch(`${simulator.url}${path}`, {
    method,
    headers: { Authorization: 'Bearer t' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  expect(response.ok).toBe(true);
}

test('a stage of an event whose values are refused gives way to that of another event', async () => {
  const outcome = (leadStatus: string, lifecycleStage: string) => ({
    policy: { outcomes: [{ when: {}, leadStatus, lifecycleStage }] },
  });
  const email = 'kim@fjord.example.org';
  await write(
    eventOf(email, outcome('NEW', 'lead')),
    eventOf(email, { ...outcome('OPEN', 'opportunity'), contact: { jobTitle: '[poison]' } }),
  );
  expect(simulator.contacts()).toMatchObject([{ properties: { hs_lead_status: 'NEW', lifecyclestage: 'lead' } }]);
});
