import { createServer, type RequestListener } from 'node:http';
import { once } from 'node:events';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type HubspotSimulator, startHubspotSimulator } from '@svc/simulators';
import type { InboundEvent } from '@svc/sequencers';
import { createHubspotConnector, type HubspotConnectorOptions } from './connector.ts';
import type { CrmBatch, CrmConnector, CrmOutcome, CrmWrite } from '../port/types.ts';
import { inboundEvent } from '../../test/support/inbound-event.ts';
import { type Deciders, planOf } from '../../test/support/plan.ts';
import { accessTo, memoryRecords, writeOne } from '../../test/support/batch.ts';
import { checkExchanges } from '../../test/vendors/check-exchanges.ts';
import { HUBSPOT_FACTS } from '../../test/vendors/hubspot.ts';

const TOKEN = 'pat-eu1-0000-not-a-real-token';
const NOW = new Date('2026-03-01T12:00:00.000Z');

let simulator: HubspotSimulator;
let connector: CrmConnector;
const onExchange = checkExchanges(HUBSPOT_FACTS);
beforeAll(async () => {
  simulator = await startHubspotSimulator({
    onExchange,
    tokens: [TOKEN],
    owners: ['rep@example.com', 'sam@example.com'],
  });
});
afterAll(() => simulator.close());
beforeEach(() => {
  simulator.reset();
  connector = connect();
  batch = toBatch();
});

function connect(options: Partial<HubspotConnectorOptions> = {}): CrmConnector {
  return createHubspotConnector({ fetch, baseUrl: simulator.url, timeoutMs: 60_000, now: () => NOW, ...options });
}

const event = inboundEvent({ bodyText: 'Hello Kim' });
type WriteChanges = Partial<CrmWrite> & Deciders;
let batch: Omit<CrmBatch, 'events'> = toBatch();
function toBatch() {
  return { access: accessTo(TOKEN), organizationId: '1000001', records: memoryRecords() };
}

function toWrite(changes: Partial<InboundEvent> = {}, { source, policy, ...rest }: WriteChanges = {}): CrmWrite {
  const changed = { ...event, ...changes };
  return {
    plan: planOf(changed, { source, policy }),
    event: changed,
    idempotencyKey: '12:k1',
    receivedAt: NOW,
    fields: [],
    lastValues: null,
    isRepeated: false,
    ...rest,
  };
}
const write = (changes: Partial<InboundEvent> = {}, rest: WriteChanges = {}) =>
  writeOne(connector, toWrite(changes, rest), batch);
const calls = () => simulator.requests().map(({ method, path }) => `${method} ${path}`);

describe('one event', () => {
  test('creates a contact and an associated engagement', async () => {
    const outcome = await write();
    const [contact] = simulator.contacts();
    const [engagement] = simulator.engagements();
    expect(outcome).toEqual({ status: 'success', contactId: contact?.id, engagementId: engagement?.id });
    expect(contact?.properties).toMatchObject({
      email: 'kim@fjord.example.org',
      firstname: 'Kim',
      lastname: 'Berg',
      company: 'Fjord',
    });
    expect(engagement).toMatchObject({
      objectType: 'emails',
      associations: { contacts: [contact?.id] },
      properties: {
        svc_event_key: '12:k1',
        hs_timestamp: '2026-03-01T10:00:00.000Z',
        hs_email_direction: 'EMAIL',
        hs_email_subject: 'Route planning',
        hs_email_html: '<p>Hello Kim</p>',
        hs_email_headers:
          '{"from":{"email":"rep@example.com"},"to":[{"email":"kim@fjord.example.org"}],"cc":[],"bcc":[]}',
      },
    });
    expect(simulator.companies()).toEqual([]);
    expect(simulator.tasks()).toEqual([]);
  });

  test.each([
    ['EMAIL_REPLY', 'emails'],
    ['EMAIL_OPEN', 'notes'],
    ['EMAIL_LINK_CLICK', 'notes'],
    ['EMAIL_BOUNCE', 'notes'],
    ['LEAD_UNSUBSCRIBED', 'notes'],
    ['LEAD_CATEGORY_UPDATED', 'notes'],
    ['MESSAGE_SENT', 'communications'],
    ['INMAIL_REPLY', 'communications'],
    ['CONNECTION_REQUEST_SENT', 'notes'],
    ['CALL_COMPLETED', 'calls'],
    ['SOMETHING_NEW', 'notes'],
  ])('%s creates an object of type %s', async (eventType, objectType) => {
    expect(await write({ eventType })).toMatchObject({ status: 'success' });
    expect(simulator.engagements()).toMatchObject([{ objectType, writes: 1 }]);
  });

  test('costs two calls for a contact that is remembered, three for a known one, four for a new one', async () => {
    await write();
    const before = simulator.requests().length;
    await write({}, { idempotencyKey: '12:k2' });
    const upsert = 'POST /crm/objects/2026-09/emails/batch/upsert';
    const associate = 'POST /crm/associations/2026-09/emails/contacts/batch/associate/default';
    expect(calls().slice(before)).toEqual([upsert, associate]);
    batch = toBatch();
    await write({}, { idempotencyKey: '12:k3' });
    const read = 'POST /crm/objects/2026-09/contacts/batch/read';
    expect(calls().slice(before + 2)).toEqual([read, upsert, associate]);
    const other = { email: 'lou@fjord.example.org' };
    await write({ toEmail: other.email, contact: { ...event.contact, ...other } }, { idempotencyKey: '12:k4' });
    expect(calls().slice(before + 5)).toEqual([
      read,
      'POST /crm/objects/2026-09/contacts/batch/upsert',
      upsert,
      associate,
    ]);
  });

  test('a repeated write creates nothing', async () => {
    const first = await write();
    expect(await write()).toEqual(first);
    expect(await writeOne(connect(), toWrite(), batch)).toEqual(first);
    expect(simulator.state().counts).toMatchObject({ contacts: 1, engagements: 1, engagementWrites: 3 });
    expect(simulator.contacts()[0]?.writes).toBe(1);
  });

  test('twenty concurrent writes create one contact, twenty engagements and one property', async () => {
    const outcomes = await Promise.all(
      Array.from({ length: 20 }, (_, index) => write({}, { idempotencyKey: `12:k${index}` })),
    );
    expect(outcomes.every((outcome) => outcome.status === 'success')).toBe(true);
    expect(simulator.state().counts).toMatchObject({ contacts: 1, engagements: 20, engagementWrites: 20 });
    expect(calls().filter((call) => call === 'POST /crm/properties/2026-09/emails')).toHaveLength(1);
  });

  test('an event without a timestamp uses the time of receipt', async () => {
    await write({ occurredAt: null }, { receivedAt: new Date('2026-03-01T11:00:00.000Z') });
    await write({ occurredAt: null }, { idempotencyKey: '12:k2' });
    expect(simulator.engagements().map(({ properties }) => properties['hs_timestamp'])).toEqual([
      '2026-03-01T11:00:00.000Z',
      NOW.toISOString(),
    ]);
  });
});

describe('existing CRM data wins', () => {
  test('fills blank fields and keeps the others', async () => {
    await seedContact({ email: event.toEmail, firstname: 'Kimberly' });
    await write();
    expect(simulator.contacts()).toMatchObject([
      { writes: 2, properties: { firstname: 'Kimberly', lastname: 'Berg', company: 'Fjord' } },
    ]);
  });

  test('omits a field that HubSpot refuses, with a warning', async () => {
    const outcome = await write({ contact: { ...event.contact, jobTitle: 'x'.repeat(70_000) } });
    expect(outcome).toMatchObject({
      status: 'warning',
      error: { code: 'refused', httpStatus: 400, category: 'VALIDATION_ERROR' },
    });
    expect(outcome.status === 'warning' && outcome.error.message).toBe(
      'HubSpot answered 400 to the contact: PROPERTY_VALUE_TOO_LONG for jobtitle',
    );
    expect(simulator.contacts()).toMatchObject([{ properties: { firstname: 'Kim', company: 'Fjord' } }]);
    expect(simulator.engagements()).toHaveLength(1);
  });

  test('silently omits a profile URL that another contact has', async () => {
    const profileUrl = 'https://www.linkedin.com/in/kim-berg';
    const email = 'kim.berg@example.org';
    await write({ contact: { ...event.contact, email, profileUrl }, toEmail: email });
    expect(await write({ contact: { ...event.contact, profileUrl } }, { idempotencyKey: '12:k2' })).toMatchObject({
      status: 'success',
    });
    expect(simulator.contacts().map(({ properties }) => [properties['email'], properties['svc_profile_url']])).toEqual([
      [email, profileUrl],
      ['kim@fjord.example.org', undefined],
    ]);
  });
});

describe('social-only events', () => {
  const profileUrl = 'https://www.linkedin.com/in/ada-quist';
  const social = {
    toEmail: profileUrl,
    eventType: 'MESSAGE_REPLY',
    contact: { ...event.contact, email: null, profileUrl, firstName: null, lastName: null },
  };

  test('use the contact of the profile URL, created once', async () => {
    expect(await write(social)).toMatchObject({ status: 'success' });
    expect(await write(social, { idempotencyKey: '12:k2' })).toMatchObject({ status: 'success' });
    expect(simulator.contacts()).toMatchObject([
      { properties: { svc_profile_url: profileUrl, lastname: 'ada-quist' } },
    ]);
    expect(simulator.engagements()).toMatchObject([{ objectType: 'communications' }, { objectType: 'communications' }]);
  });

  test('a later event with an address and the same profile URL gives the contact the address', async () => {
    await write(social);
    const both = { toEmail: 'kim@fjord.example.org', contact: { ...event.contact, profileUrl } };
    expect(await write(both, { idempotencyKey: '12:k2' })).toMatchObject({ status: 'success' });
    expect(await write(social, { idempotencyKey: '12:k3' })).toMatchObject({ status: 'success' });
    expect(await write({}, { idempotencyKey: '12:k4' })).toMatchObject({ status: 'success' });
    expect(simulator.contacts()).toMatchObject([
      {
        properties: {
          svc_profile_url: profileUrl,
          email: 'kim@fjord.example.org',
          firstname: 'Kim',
          lastname: 'ada-quist',
        },
      },
    ]);
    expect(simulator.engagements()).toHaveLength(4);
  });

  test('are written again after an admin deleted the property of the profile URL', async () => {
    await write(social);
    simulator.reset();
    batch = toBatch();
    expect(await write(social, { idempotencyKey: '12:k2' })).toMatchObject({ status: 'success' });
    expect(simulator.contacts()).toMatchObject([{ properties: { svc_profile_url: profileUrl } }]);
  });

  test('a later email event with the same profile URL updates the contact of the email', async () => {
    const email = 'ada@example.org';
    await write({ toEmail: email, contact: { ...event.contact, email, profileUrl } });
    await write(social, { idempotencyKey: '12:k2' });
    expect(simulator.contacts()).toMatchObject([{ properties: { email, svc_profile_url: profileUrl } }]);
    expect(simulator.engagements()).toHaveLength(2);
  });
});

describe('company', () => {
  const source = { createOrUpdateCompany: true };

  test('is created once per domain and associated with each contact', async () => {
    for (const name of ['kim', 'lou']) {
      const email = `${name}@fjord.example.org`;
      expect(
        await write({ toEmail: email, contact: { ...event.contact, email } }, { source, idempotencyKey: `12:${name}` }),
      ).toMatchObject({ status: 'success' });
    }
    const [company, ...others] = simulator.companies();
    expect(others).toEqual([]);
    expect(company).toMatchObject({ properties: { domain: 'fjord.example.org', name: 'Fjord' }, writes: 1 });
    expect(company?.associations.contacts).toEqual(simulator.contacts().map(({ id }) => id));
  });

  test('an existing company is used', async () => {
    await send('POST', '/crm/objects/2026-09/companies', {
      properties: { domain: 'fjord.example.org', name: 'Fjord Freight AS' },
      associations: [],
    });
    await write({}, { source });
    expect(simulator.companies()).toMatchObject([{ writes: 1, properties: { name: 'Fjord Freight AS' } }]);
  });

  test('two concurrent writers create one company', async () => {
    simulator.freezeSearch(true);
    const outcomes = await Promise.all(
      [1, 2, 3].map((index) => writeOne(connect(), toWrite({}, { source, idempotencyKey: `12:k${index}` }), batch)),
    );
    expect(outcomes.map(({ status }) => status)).toEqual(['success', 'success', 'success']);
    expect(simulator.companies()).toHaveLength(1);
  });

  test.each([
    ['free mail', { email: 'kim@gmail.com' }],
    ['an address without a company of its own', { email: 'kim@web.de' }],
  ])('is not created for %s', async (_what, contact) => {
    await write({ toEmail: contact.email, contact: { ...event.contact, ...contact } }, { source });
    expect(simulator.companies()).toEqual([]);
  });

  test('a contact with a company keeps it without further calls', async () => {
    await write({}, { source });
    const before = simulator.requests().length;
    await write({}, { source, idempotencyKey: '12:k2' });
    expect(simulator.requests().length - before).toBe(2);
  });

  test('a refused company is a warning, and the event is written', async () => {
    simulator.failNext(1, 403, { match: /companies/ });
    expect(await write({}, { source })).toMatchObject({
      status: 'warning',
      engagementId: expect.any(String),
      error: { code: 'forbidden', httpStatus: 403, category: 'MISSING_SCOPES', correlationId: expect.any(String) },
    });
    expect(simulator.engagements()).toHaveLength(1);
  });

  test('of several refusals, the missing permission is reported', async () => {
    simulator.failNext(1, 400, { match: /companies/ });
    simulator.failNext(1, 403, { match: /tasks/ });
    const both = { ...source, createOrUpdateTask: true };
    expect(await write({ eventType: 'EMAIL_REPLY' }, { source: both })).toMatchObject({
      status: 'warning',
      error: { httpStatus: 403 },
    });
  });

  test('a temporary failure is a retryable error, and the retry completes the event', async () => {
    simulator.failNext(1, 503, { match: /companies/ });
    expect(await write({}, { source })).toMatchObject({
      status: 'error',
      retry: { afterMs: null },
      disconnected: false,
    });
    expect(await write({}, { source })).toMatchObject({ status: 'success' });
    expect(simulator.state().counts).toMatchObject({ contacts: 1, engagements: 1, companies: 1 });
  });
});

describe('task and owner', () => {
  const source = { createOrUpdateTask: true, assignContactOwner: true };

  test('a reply creates one task for the owner of the mailbox', async () => {
    for (const _ of [1, 2])
      expect(await write({ eventType: 'EMAIL_REPLY' }, { source })).toMatchObject({ status: 'success' });
    const [contact] = simulator.contacts();
    expect(contact?.properties['hubspot_owner_id']).toBe('7001');
    expect(simulator.tasks()).toMatchObject([
      {
        writes: 2,
        properties: { hs_task_subject: 'Reply from Kim Berg', hubspot_owner_id: '7001' },
        associations: { contacts: [contact?.id] },
      },
    ]);
  });

  test('a retry does not reopen a completed task', async () => {
    await write({ eventType: 'EMAIL_REPLY' }, { source });
    await send('PATCH', `/crm/objects/2026-09/tasks/${simulator.tasks()[0]?.id}`, {
      properties: { hs_task_status: 'COMPLETED' },
    });
    await write({ eventType: 'EMAIL_REPLY' }, { source });
    expect(simulator.tasks()[0]?.properties['hs_task_status']).toBe('COMPLETED');
  });

  test('creates no task without a reply, sets no unknown owner and replaces none', async () => {
    await write({ fromEmail: 'stranger@example.com' }, { source });
    expect(simulator.tasks()).toEqual([]);
    expect(simulator.contacts()[0]?.properties['hubspot_owner_id']).toBeUndefined();
    await seedContact({ email: 'lou@example.org', hubspot_owner_id: '7002' });
    await write(
      { toEmail: 'lou@example.org', contact: { ...event.contact, email: 'lou@example.org' } },
      { source, idempotencyKey: '12:k2' },
    );
    expect(
      simulator.contacts().find(({ properties }) => properties['email'] === 'lou@example.org')?.properties[
        'hubspot_owner_id'
      ],
    ).toBe('7002');
  });

  test('looks owners up once', async () => {
    for (const name of ['a', 'b', 'c']) {
      const email = `${name}@example.org`;
      await write({ toEmail: email, contact: { ...event.contact, email } }, { source, idempotencyKey: `12:${name}` });
    }
    expect(calls().filter((call) => call.includes('/owners'))).toHaveLength(1);
  });
});

describe('failures', () => {
  test('401 means disconnected, and is not retried', async () => {
    expect(await writeOne(connector, toWrite(), { ...batch, access: accessTo('another-token') })).toMatchObject({
      status: 'error',
      retry: 'never',
      disconnected: true,
      error: { code: 'disconnected', httpStatus: 401, category: 'INVALID_AUTHENTICATION' },
    });
    expect(simulator.requests()).toHaveLength(1);
  });

  test.each([
    ['secondly', undefined, 1_000],
    ['ten-secondly', undefined, 10_000],
    ['ten-secondly', 3, 3_000],
    [429, 30, 30_000],
    [503, 5, 5_000],
    [423, undefined, 2_000],
  ] as const)('%s with Retry-After %s is retryable after %s ms', async (fault, retryAfterSeconds, afterMs) => {
    simulator.failNext(1, fault, retryAfterSeconds === undefined ? {} : { retryAfterSeconds });
    const outcome = await write();
    expect(outcome).toMatchObject({ status: 'error', retry: { afterMs }, disconnected: false });
    expect(outcome).not.toHaveProperty('cooldownUntilMs');
  });

  test.each([
    ['daily', undefined, 60 * 60 * 1000],
    ['daily', 7_200, 7_200_000],
    ['ten-secondly', 61, 61_000],
    [503, 3_600, 3_600_000],
    [429, 10_000_000, 24 * 60 * 60 * 1000],
  ] as const)('%s with Retry-After %s starts a cooldown of %s ms', async (fault, retryAfterSeconds, afterMs) => {
    simulator.failNext(1, fault, retryAfterSeconds === undefined ? {} : { retryAfterSeconds });
    expect(await write()).toMatchObject({
      status: 'error',
      retry: { afterMs },
      cooldownUntilMs: NOW.getTime() + afterMs,
    });
  });

  test('recognizes the daily limit by its header too', async () => {
    simulator.setRateLimit({ max: 100, intervalMs: 10_000, daily: 2 });
    expect(await write()).toMatchObject({
      status: 'error',
      error: { code: 'daily_limit_reached' },
      cooldownUntilMs: NOW.getTime() + 3_600_000,
    });
  });

  test.each([500, 408, 'html', 'reset', 'lost-answer', 'truncated'] as const)(
    '%s in any call is a retryable error, and the retry gives the same result',
    async (fault) => {
      const source = { createOrUpdateCompany: true, createOrUpdateTask: true, assignContactOwner: true };
      const reply = { eventType: 'EMAIL_REPLY' };
      let attempts = 0;
      for (let place = 0; ; place += 1) {
        simulator.reset();
        connector = connect();
        batch = toBatch();
        // Only the call at this position fails.
        simulator.failNext(1, fault, { skip: place });
        const outcome = await write(reply, { source });
        if (simulator.requests().length === place) break;
        attempts += 1;
        if (outcome.status !== 'success') {
          expect(outcome).toMatchObject({ status: 'error', disconnected: false });
          expect(outcome.status === 'error' && outcome.retry).not.toBe('never');
          expect(await write(reply, { source })).toMatchObject({ status: 'success' });
        }
        expect(simulator.state().counts).toMatchObject({ contacts: 1, engagements: 1, tasks: 1, companies: 1 });
        const [contact] = simulator.contacts();
        expect(contact?.associations).toMatchObject({
          emails: [expect.any(String)],
          tasks: [expect.any(String)],
          companies: [expect.any(String)],
        });
      }
      expect(attempts).toBeGreaterThan(12);
    },
  );

  test.each([400, 403, 404, 415] as const)('%s for the contact or engagement is final', async (status) => {
    for (const match of [/contacts\/batch/, /emails\/batch/]) {
      simulator.reset();
      connector = connect();
      simulator.failNext(3, status, { match });
      expect(await write()).toMatchObject({
        status: 'error',
        retry: 'never',
        disconnected: false,
        error: { httpStatus: status },
      });
    }
  });

  test.each([502, 504, 524, 477] as const)('%s is retryable; the caller chooses the delay', async (status) => {
    simulator.failNext(1, status);
    expect(await write()).toMatchObject({ status: 'error', retry: { afterMs: null }, error: { code: 'unavailable' } });
  });

  test('after a 409 the next attempt finds the record of the other writer', async () => {
    simulator.failNext(1, 409, { match: /contacts\/batch\/upsert/ });
    expect(await write()).toMatchObject({ status: 'error', retry: { afterMs: null }, error: { code: 'conflict' } });
    expect(await write()).toMatchObject({ status: 'success' });
  });

  test('a 404 for the association is retryable', async () => {
    simulator.failNext(1, 404, { match: /associate/ });
    expect(await write()).toMatchObject({ status: 'error', retry: { afterMs: null } });
    expect(await write()).toMatchObject({ status: 'success' });
  });

  test('a timeout is retryable', async () => {
    simulator.failNext(1, 'hang');
    connector = connect({ timeoutMs: 50 });
    expect(await write()).toMatchObject({
      status: 'error',
      error: { code: 'timeout', httpStatus: null },
      retry: { afterMs: null },
    });
  });

  test.each(['html', 'reset', 'truncated', 503] as const)('%s says that HubSpot does not work', async (fault) => {
    simulator.failNext(1, fault);
    expect(await write()).toMatchObject({ status: 'error', isUnavailable: true });
  });

  test('stops when its signal aborts', async () => {
    simulator.failNext(1, 'hang');
    const stop = new AbortController();
    connector = connect({ signal: stop.signal });
    const outcome = write();
    stop.abort();
    expect(await outcome).toMatchObject({ status: 'error', error: { code: 'aborted' }, retry: { afterMs: null } });
    expect(await outcome).not.toHaveProperty('isUnavailable');
  });

  test('a refused connection is retryable', async () => {
    connector = connect({ baseUrl: 'http://127.0.0.1:1' });
    expect(await write()).toMatchObject({
      status: 'error',
      error: { code: 'network', httpStatus: null },
      retry: { afterMs: null },
    });
  });

  test('recreates a property that an admin deleted', async () => {
    await write();
    simulator.reset();
    batch = toBatch();
    expect(await write({}, { idempotencyKey: '12:k2' })).toMatchObject({ status: 'success' });
  });

  test('an answer that does not show the property says nothing about it: the event is tried again', async () => {
    const saysNothing: typeof fetch = async (input, init) => {
      const { method, url } = new Request(input, init);
      return method === 'GET' && url.includes('/properties/') ? Response.json({}) : fetch(input, init);
    };
    const connector = connect({ fetch: saysNothing });
    expect(await writeOne(connector, toWrite(), batch)).toMatchObject({
      status: 'error',
      retry: { afterMs: null },
      error: { code: 'unexpected_answer' },
    });
  });

  test('a property of that name without unique values is used, with a search before what is repeated', async () => {
    await send('POST', '/crm/properties/2026-09/emails', {
      name: 'svc_event_key',
      label: 'Mine',
      groupName: 'hubspot_defined',
      type: 'string',
      fieldType: 'text',
    });
    expect(await write()).toMatchObject({ status: 'success' });
    expect(simulator.engagements()).toHaveLength(1);
  });
});

describe('secrets', () => {
  test('the token is only in the Authorization header', async () => {
    await write(
      { eventType: 'EMAIL_REPLY' },
      { source: { createOrUpdateCompany: true, createOrUpdateTask: true, assignContactOwner: true } },
    );
    expect(simulator.requests().length).toBeGreaterThan(8);
    for (const { authorization, path, body } of simulator.requests()) {
      expect(authorization).toBe(`Bearer ${TOKEN}`);
      expect(path + JSON.stringify(body)).not.toContain(TOKEN);
    }
  });

  test('no error contains the token or payload even when the CRM repeats them', async () => {
    const answers: RequestListener = (_request, response) => {
      const message = `Refused ${TOKEN} for KIM@fjord.example.org: Hello Kim, Route planning`;
      response
        .writeHead(400, { 'Content-Type': 'application/json' })
        .end(JSON.stringify({ status: 'error', message, category: 'VALIDATION_ERROR', correlationId: 'c-1' }));
    };
    const outcome = await withServer(answers, (baseUrl) => writeOne(connect({ baseUrl }), toWrite(), batch));
    const text = JSON.stringify(outcome);
    expect(outcome).toMatchObject({
      status: 'error',
      error: { correlationId: 'c-1', message: expect.stringContaining('Refused') },
    });
    for (const secret of [TOKEN, 'kim@fjord', 'Hello Kim', 'Route planning'])
      expect(text.toLowerCase()).not.toContain(secret.toLowerCase());
  });

  test('does not follow redirects', async () => {
    let followed = 0;
    const target: RequestListener = (_request, response) => {
      followed += 1;
      response.end('{}');
    };
    const outcome = await withServer(target, (targetUrl) =>
      withServer(
        (_request, response) => void response.writeHead(307, { Location: targetUrl }).end(),
        (baseUrl) => writeOne(connect({ baseUrl }), toWrite(), batch),
      ),
    );
    expect(outcome).toMatchObject({
      status: 'error',
      retry: 'never',
      error: { code: 'unexpected_answer', httpStatus: 307 },
    });
    expect(followed).toBe(0);
  });

  test('truncates an endless answer', async () => {
    const endless: RequestListener = (_request, response) => {
      response.writeHead(200, { 'Content-Type': 'application/json' });
      const chunk = ' '.repeat(256 * 1024);
      const more = () => {
        while (!response.destroyed && response.write(chunk));
        if (!response.destroyed) response.once('drain', more);
      };
      more();
    };
    const outcome = await withServer(endless, (baseUrl) =>
      writeOne(connect({ baseUrl, timeoutMs: 20_000 }), toWrite(), batch),
    );
    expect(outcome).toMatchObject({
      status: 'error',
      error: { code: 'answer_too_large', message: expect.stringContaining('has more than 8388608 bytes') },
    });
  });
});

test("truncates bodies to HubSpot's limits", async () => {
  const long = {
    subject: 's'.repeat(5_000),
    bodyHtml: `<p>${'😀'.repeat(90_000)}</p>`,
    bodyText: '😀&'.repeat(90_000),
  };
  for (const [index, eventType] of ['EMAIL_SENT', 'MESSAGE_SENT', 'EMAIL_BOUNCE', 'CALL_COMPLETED'].entries()) {
    expect(await write({ ...long, eventType }, { idempotencyKey: `12:k${index}` })).toMatchObject({
      status: 'success',
    });
  }
  for (const { properties } of simulator.engagements()) {
    for (const value of Object.values(properties)) {
      expect(value.length).toBeLessThanOrEqual(65_536);
      expect(value.isWellFormed()).toBe(true);
    }
  }
});

async function send(method: string, path: string, body: unknown): Promise<void> {
  const response = await fetch(`${simulator.url}${path}`, {
    method,
    headers: { Authorization: `Bearer ${TOKEN}` },
    body: JSON.stringify(body),
  });
  expect(response.ok).toBe(true);
}

function seedContact(properties: object): Promise<void> {
  return send('POST', '/crm/objects/2026-09/contacts', { properties, associations: [] });
}

async function withServer(listener: RequestListener, run: (url: string) => Promise<CrmOutcome>): Promise<CrmOutcome> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  try {
    return await run(`http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}
