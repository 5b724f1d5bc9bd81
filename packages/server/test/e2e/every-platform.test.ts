/**
 * Every platform from its posts, which carry a secret, to all that becomes of them, over real HTTP and SMTP: the CRM, the
 * syncs, the forwarded posts, the mails of replies, the outreach of each contact, and the metrics. Each posts its
 * ordinary payloads of `fixtures/payloads`. Of the platforms without an adapter, one is read by its ready mapping and one by a mapping
 * of the source.
 */
import { createHmac } from 'node:crypto';
import type { EventMapping } from '@svc/domain/mappings/event-mapping';
import { readPayloads } from '@svc/fixtures/payloads.ts';
import { API_PREFIX, PLATFORMS, SEQUENCER_EVENT_TYPES, type TouchFlags } from '@svc/contract/vocabulary';
import { documentedCheck } from '@svc/sequencers/authenticity';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { performAdmin } from '@svc/operations/perform';
import { backends } from '@svc/engine/test/backends';
import { startTestServer, type TestServer } from '../support/harness.ts';
import { settleWithin } from '../support/replies.ts';
import { growthOf, parseScrape, type Scrape } from '../support/scrape.ts';

interface ExpectedEvent {
  eventType: string;
  /** Address, or profile URL. */
  toEmail: string;
}

interface Payload {
  body: string;
  headers: Readonly<Record<string, string>>;
  events: readonly ExpectedEvent[];
}

/** The platform's ordinary payloads, without those that repeat an event in another shape. */
function payloadsOf(platform: string): Payload[] {
  const own = readPayloads().filter(
    (vector) =>
      vector.platform === platform &&
      vector.kind === 'ordinary' &&
      vector.expect.outcome === 'events' &&
      !/own-mailbox|alias/.test(vector.name),
  );
  return own.map(({ text, headers, expect: { events = [] } }) => ({ body: text, headers, events }));
}

interface Case {
  platform: string;
  mapping?: EventMapping;
  payloads: readonly Payload[];
}

/** An invented dialer, whose posts are lists of calls and mails. */
const DIALER: Case = {
  platform: 'my-dialer',
  mapping: {
    items: ['activities'],
    fields: {
      eventName: 'kind',
      eventKey: 'uuid',
      email: 'person.mail',
      profileUrl: 'person.profiles[type=linkedin].href',
      firstName: 'person.given',
      occurredAt: 'when',
      bodyText: 'words',
      fromEmail: 'rep',
    },
    eventTypes: { 'call.ended': 'CALL_COMPLETED', 'mail.answered': 'EMAIL_REPLY', 'profile.viewed': 'PROFILE_VIEWED' },
  },
  payloads: [
    {
      headers: {},
      body: JSON.stringify({
        activities: [
          {
            uuid: 'a-000001',
            kind: 'call.ended',
            when: 1772359200,
            person: { mail: 'Ada@dial.example.org', given: 'Ada' },
          },
          {
            uuid: 'a-000002',
            kind: 'profile.viewed',
            person: { profiles: [{ type: 'linkedin', href: 'https://www.linkedin.com/in/Bo-Dial/' }] },
          },
        ],
      }),
      events: [
        { eventType: 'CALL_COMPLETED', toEmail: 'ada@dial.example.org' },
        { eventType: 'PROFILE_VIEWED', toEmail: 'https://www.linkedin.com/in/bo-dial' },
      ],
    },
    {
      headers: {},
      body: JSON.stringify({
        activities: [
          {
            uuid: 'a-000003',
            kind: 'Mail.Answered',
            words: 'Yes, call me.',
            rep: 'rep@example.com',
            person: { mail: 'ada@dial.example.org' },
          },
        ],
      }),
      events: [{ eventType: 'EMAIL_REPLY', toEmail: 'ada@dial.example.org' }],
    },
  ],
};

/** A platform with a ready mapping. */
const WOODPECKER: Case = {
  platform: 'woodpecker',
  payloads: readPayloads(['woodpecker']).flatMap(({ text, headers, expect: { events } }) =>
    events === undefined ? [] : [{ body: text, headers, events }],
  ),
};

const cases: readonly Case[] = [
  ...PLATFORMS.map((platform) => ({ platform, payloads: payloadsOf(platform) })),
  WOODPECKER,
  DIALER,
];

const SECRET = 'secret-of-the-source';
/** For platforms that document no way of their own. */
const SECRET_HEADER = 'x-webhook-secret';

/** Adds the secret as the platform sends it. */
function withSecret(platform: string, payload: Payload): Payload {
  const { check, name } = documentedCheck(platform) ?? { check: 'header', name: SECRET_HEADER };
  if (check === 'body') return { ...payload, body: JSON.stringify({ ...JSON.parse(payload.body), [name]: SECRET }) };
  const hmac = (algorithm: string) => createHmac(algorithm, SECRET).update(payload.body).digest('hex');
  const value = check === 'header' ? SECRET : hmac(check === 'hmac-sha1' ? 'sha1' : 'sha256');
  return { ...payload, headers: { ...payload.headers, [name]: value } };
}

const [backend] = backends.filter(({ isAvailable }) => isAvailable).toReversed();
if (!backend) throw new Error('There is no database.');

describe('every platform', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer(backend);
    await server.db.query('delete from jobs');
  });
  afterAll(() => server.close());

  test.each(cases)(
    '$platform: from its posts to the CRM, the syncs, the destination, the mails, the look-up of each contact and the metrics',
    async ({ platform, mapping, payloads: unsigned }) => {
      expect(unsigned.length).toBeGreaterThan(0);
      server.crm.reset();
      server.receiver.reset();
      server.mail.reset();
      const customer = await makeCustomer(server, platform, mapping);
      const before = await scrape(server);
      for (const { body, headers } of unsigned) {
        expect((await server.post(customer.path, body, headers)).status).toBe(401);
      }
      const posted = await postAll(
        server,
        customer,
        unsigned.map((payload) => withSecret(platform, payload)),
      );
      await settleWithin(server, 60_000);

      await expectSyncs(server, posted);
      expectCrmContent(server, posted);
      await expectForwarded(server, posted);
      expectRelayed(server, posted);
      await expectOutreach(server, posted);
      await expectMetrics(server, posted);
      expect(growthOf(before, await scrape(server), 'svc_crm_writes_total')).toEqual({
        'crm="HUBSPOT",status="success"': posted.events.length,
      });
    },
  );
});

/** A customer of its own, so that nothing else is in its log. */
interface Customer {
  platform: string;
  key: string;
  sourceId: number;
  /** Path of the inbound URL. */
  path: string;
}

async function makeCustomer(server: TestServer, platform: string, mapping?: EventMapping): Promise<Customer> {
  type Operation = Parameters<typeof performAdmin>[1];
  const admin = async (name: Operation, input: object): Promise<ReturnType<typeof JSON.parse>> =>
    performAdmin(server.running.ctx, name, input, 'a test');
  const { account } = await admin('accounts/create', { email: `${platform}@example.com` });
  const { token } = await admin('keys/create', { accountId: account.id, name: 'test' });
  const { connection } = await admin('connections/add', {
    ...{ accountId: account.id, crm: 'HUBSPOT', crmToken: 'a-token', canUseApi: true, sync: true, destinations: true },
    ...{ organizationId: `of ${platform}`, organizationDomain: `${platform}.example.com` },
  });
  const switches = { createOrUpdateCompany: true, createOrUpdateTask: true };
  const { source } = await admin('sources/add', { connectionId: connection.id, platform, ...switches, mapping });
  const header = documentedCheck(platform) === null ? { header: SECRET_HEADER } : {};
  await admin('sources/set-secret', { id: source.id, secret: SECRET, ...header });
  const url = `https://hooks.example.com/${platform}`;
  const { destination } = await admin('destinations/add', { connectionId: connection.id, url });
  const eventTypes = Object.keys(SEQUENCER_EVENT_TYPES);
  await admin('destinations/bind', { destinationId: destination.id, sourceId: source.id, eventTypes });
  const relay = { connectionId: connection.id, ccEmail: repOf(platform) };
  const { replyRelay } = await admin('relays/add', relay);
  await admin('relays/bind', { relayId: replyRelay.id, sourceId: source.id });
  return { platform, key: token, sourceId: source.id, path: new URL(source.url).pathname };
}

/** What was posted, and what is expected of it. */
interface Posted extends Customer {
  payloads: readonly Payload[];
  events: readonly (ExpectedEvent & { payloadId: number })[];
  /** Addresses, and profile URLs of contacts without one. */
  identities: readonly string[];
  /** `from` and `to`, as query. */
  range: string;
}

async function postAll(server: TestServer, customer: Customer, payloads: readonly Payload[]): Promise<Posted> {
  server.clock.advance(60_000);
  const from = server.clock.now().toISOString();
  const events: Posted['events'][number][] = [];
  for (const { body, headers, events: expected } of payloads) {
    const answer = await server.post(customer.path, body, headers);
    expect(answer).toMatchObject({ status: 200, json: { received: true } });
    events.push(...expected.map((event) => ({ ...event, payloadId: answer.json.requestId })));
    await server.running.runner.runDue();
    server.clock.advance(1_000);
  }
  const to = new Date(server.clock.now().getTime() + 60_000).toISOString();
  const identities = [...new Set(events.map(({ toEmail }) => toEmail))];
  return { ...customer, payloads, events, identities, range: `from=${from}&to=${to}` };
}

async function expectSyncs(server: TestServer, { events, platform, sourceId, range, key }: Posted): Promise<void> {
  const path = `${API_PREFIX}/sources/${sourceId}/syncs?${range}&limit=100`;
  const { json } = await server.get('listSourceSyncs', path, key);
  const expected = events.map(({ eventType, toEmail, payloadId }) => ({
    ...{ eventType, toEmail, payloadId, platform, sourceId, status: 'success', error: null },
  }));
  expect(sorted(json.data)).toMatchObject(sorted(expected));
}

/** One contact for each identity, one engagement for each event, one task for each reply. */
function expectCrmContent({ crm }: TestServer, { events, identities }: Posted): void {
  const contacts = crm.contacts().map(({ properties }) => properties['email'] ?? properties['svc_profile_url']);
  expect(contacts.toSorted()).toEqual(identities.toSorted());
  expect(crm.engagements()).toHaveLength(events.length);
  expect(crm.tasks()).toHaveLength(events.filter(({ eventType }) => flagsOf(eventType).replied).length);
}

/** The destination got the bytes of each post once, labelled with its first event that a binding can name. */
async function expectForwarded(server: TestServer, posted: Posted): Promise<void> {
  const { payloads, platform, sourceId, range, key } = posted;
  const events = forwardedOf(posted);
  const received = server.receiver.posts();
  const bodies = payloads.flatMap(({ body, events: own }) => (own.some(canBeForwarded) ? [body] : []));
  expect(received.map(({ body }) => body).toSorted()).toEqual(bodies.toSorted());
  for (const { host, path } of received) expect(host + path).toBe(`hooks.example.com/${platform}`);
  const { json } = await server.get('listDeliveries', `${API_PREFIX}/deliveries?${range}&limit=100`, key);
  const expected = events.map(({ eventType, toEmail, payloadId }) => ({
    ...{ eventType, toEmail, payloadId, sourceId, status: 'success', httpStatus: 200 },
  }));
  expect(sorted(json.data)).toMatchObject(sorted(expected));
}

const repOf = (platform: string) => `rep@${platform}.example.com`;

/** The sales rep got a mail of each reply, which is answered to the lead. */
function expectRelayed({ mail }: TestServer, { events, platform }: Posted): void {
  const replies = events.filter(({ eventType }) => flagsOf(eventType).replied);
  const mails = mail.mails();
  for (const { recipients } of mails) expect(recipients).toEqual([repOf(platform)]);
  expect(new Set(mails.map(({ headers }) => headers['message-id'])).size).toBe(replies.length);
  const answeredTo = mails.map(({ headers }) => /[^\s<>"]+@[^\s<>"]+/.exec(headers['reply-to'] ?? '')?.[0] ?? '');
  const leads = replies.map(({ toEmail }) => (toEmail.includes('@') ? toEmail : ''));
  expect(answeredTo.toSorted()).toEqual(leads.toSorted());
}

/** A look-up of each contact finds its events. */
async function expectOutreach(server: TestServer, { events, identities, platform, key }: Posted): Promise<void> {
  for (const identity of identities) {
    const own = events.filter(({ toEmail }) => toEmail === identity).map(({ eventType }) => eventType);
    const has = (flag: keyof TouchFlags) => own.some((eventType) => flagsOf(eventType)[flag] === true);
    const query = new URLSearchParams({ [identity.includes('@') ? 'email' : 'profileUrl']: identity });
    const { json } = await server.get('getContactOutreach', `${API_PREFIX}/contacts/outreach?${query}`, key);
    expect(json).toMatchObject({
      found: true,
      summary: {
        ...{ everContacted: has('contacted'), everEmailed: has('emailed'), everOpened: has('opened') },
        ...{ everCalled: has('called'), everSocialTouched: has('social'), totalEvents: own.length },
      },
      platforms: [{ platform }],
      doNotContact: { value: has('bounced') || has('unsubscribed') },
    });
    const countOf = (eventType: string) => own.filter((other) => other === eventType).length;
    const counts = [...new Set(own)].toSorted().map((eventType) => ({ eventType, count: countOf(eventType) }));
    expect(json.eventTypes).toMatchObject(counts);
  }
}

async function expectMetrics(server: TestServer, posted: Posted): Promise<void> {
  const { payloads, events, range, key } = posted;
  const forwarded = forwardedOf(posted);
  const { json } = await server.get('getAccountMetrics', `${API_PREFIX}/account/metrics?${range}`, key);
  expect(json).toMatchObject({
    requests: { count: payloads.length },
    syncs: { success: events.length, warning: 0, error: 0 },
    destinationDeliveries: { success: forwarded.length, error: 0, http2xx: forwarded.length },
  });
}

async function scrape({ url }: TestServer): Promise<Scrape> {
  return parseScrape(await (await fetch(`${url}/metrics`)).text());
}

/** The events that label the forwarded posts. */
function forwardedOf({ events }: Posted): Posted['events'] {
  const first = new Map(
    events
      .filter(canBeForwarded)
      .toReversed()
      .map((event) => [event.payloadId, event]),
  );
  return [...first.values()];
}

/** A binding names types of the vocabulary only. */
function canBeForwarded({ eventType }: ExpectedEvent): boolean {
  return Object.hasOwn(SEQUENCER_EVENT_TYPES, eventType);
}

function flagsOf(eventType: string): TouchFlags {
  return Object.entries(SEQUENCER_EVENT_TYPES).find(([name]) => name === eventType)?.[1] ?? {};
}

interface LogRow {
  payloadId: number;
  eventType: string;
  toEmail: string;
}

function sorted<Row extends LogRow>(rows: readonly Row[]): Row[] {
  const keyOf = ({ payloadId, eventType, toEmail }: LogRow) => `${payloadId} ${eventType} ${toEmail}`;
  return rows.toSorted((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1));
}
