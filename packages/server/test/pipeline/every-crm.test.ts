/**
 * What every CRM can do, from a sequencer's post to the records in the CRM and back, through the server. A CRM is one
 * entry of `CRMS`.
 */
import { readFile } from 'node:fs/promises';
import { createCrmConnectors } from '@svc/crm';
import { startHubspotSimulator, startPipedriveSimulator, startSalesforceSimulator } from '@svc/simulators';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Grant, writeGrant } from '@svc/engine/crm/grants';
import { performAdmin } from '@svc/operations/perform';
import { anyBackend } from '@svc/engine/test/backends';
import { startTestServer, type TestServer } from '../support/harness.ts';

const reply = JSON.parse(
  await readFile(new URL('../../../../fixtures/payloads/smartlead/email-reply.json', import.meta.url), 'utf8'),
);
const LEAD: string = reply.sl_lead_email;
/** The mailbox that received the reply: its user owns the contact. */
const OWNER: string = reply.from_email;

/** What a CRM holds. */
interface CrmContent {
  /** Addresses of people. */
  people: string[];
  /** Names of people, in the same order. */
  names: string[];
  companies: number;
  engagements: number;
  /** To-dos for the reply. */
  tasks: number;
  /** Whether the user of the mailbox owns the person. */
  isOwned: boolean;
}

interface StartedCrm {
  url: string;
  content(): CrmContent;
  /** Makes the next calls fail with this status. */
  failNext(count: number, status: number): void;
  /** Accepts the token no longer, nor a renewed one. */
  refuseToken(): void;
  /** Creates a list of these people; returns its id. */
  createList(emails: readonly string[]): string;
  reset(): void;
  close(): Promise<void>;
}

interface CrmCase {
  crm: string;
  /** How its connection is accessed. */
  grantOf?: (url: string) => Grant;
  /** Connection of the demo world. */
  connectionId: number;
  /** Whether `POST /syncs/:id/retry` works for it. */
  canRetry: boolean;
  start(): Promise<StartedCrm>;
}

const CRMS: readonly CrmCase[] = [
  {
    crm: 'HUBSPOT',
    connectionId: 1,
    canRetry: true,
    async start() {
      const crm = await startHubspotSimulator({ owners: [OWNER] });
      return {
        ...crm,
        content: () => ({
          people: crm.contacts().map(({ properties }) => properties['email'] ?? ''),
          names: crm.contacts().map(({ properties }) => `${properties['firstname']} ${properties['lastname']}`),
          companies: crm.companies().length,
          engagements: crm.engagements().length,
          tasks: crm.tasks().length,
          isOwned: crm.contacts().every(({ properties }) => properties['hubspot_owner_id'] !== undefined),
        }),
        refuseToken: () => crm.failNext(1_000, 401),
        createList: (members) => crm.createList({ name: 'Customers', objectType: 'contacts', members }),
      };
    },
  },
  {
    crm: 'SALESFORCE',
    connectionId: 2,
    canRetry: true,
    grantOf: (url) => ({
      type: 'client_credentials',
      accessToken: 'a-token',
      expiresAt: null,
      apiUrl: url,
      loginUrl: url,
      clientId: 'app',
      clientSecret: 'secret',
    }),
    async start() {
      const crm = await startSalesforceSimulator({ users: [{ email: OWNER }] });
      const ownerId = crm.records('User').find(({ values }) => values['Email'] === OWNER)?.id;
      const content = (): CrmContent => {
        const { contacts, leads, accounts, tasks } = crm.state();
        const people = [...contacts, ...leads];
        const isOpen = (values: Record<string, unknown>) => values['Status'] !== 'Completed';
        return {
          people: people.map(({ values }) => String(values['Email'])),
          names: people.map(({ values }) => `${String(values['FirstName'])} ${String(values['LastName'])}`),
          companies: accounts.length,
          engagements: tasks.filter(({ values }) => !isOpen(values)).length,
          tasks: tasks.filter(({ values }) => isOpen(values)).length,
          isOwned: people.every(({ values }) => values['OwnerId'] === ownerId),
        };
      };
      return {
        ...crm,
        content,
        refuseToken: () => {
          crm.failNext(1_000, 'session', { match: /services\/data/ });
          crm.oauth.failNextToken(10, 'invalid_grant');
        },
        createList: (emails) => crm.createCampaign(emails),
      };
    },
  },
  {
    crm: 'PIPEDRIVE',
    connectionId: 3,
    canRetry: false,
    async start() {
      const crm = await startPipedriveSimulator({ users: ['admin@example.com', OWNER] });
      const content = (): CrmContent => {
        const { persons, organizations, activities } = crm.state();
        return {
          people: persons.map((person) => person.emails[0]?.value ?? ''),
          names: persons.map(({ name }) => name),
          companies: organizations.length,
          engagements: activities.filter(({ done }) => done).length,
          tasks: activities.filter(({ done }) => !done).length,
          // The token belongs to the first user, 501.
          isOwned: persons.every((person) => person.owner_id === 502),
        };
      };
      return {
        ...crm,
        content,
        refuseToken: () => crm.failNext(1_000, 401),
        createList: (members) => crm.createFilter({ name: 'Customers', type: 'people', members }),
      };
    },
  },
];

const PRIVATE_TOKEN: Grant = { type: 'private', accessToken: 'a-token' };

describe.each(CRMS)('$crm', ({ crm: type, connectionId, canRetry, start, grantOf = () => PRIVATE_TOKEN }) => {
  let server: TestServer;
  let crm: StartedCrm;
  let posted = 0;
  beforeAll(async () => {
    server = await startTestServer(anyBackend);
    crm = await start();
    const { ctx } = server.running;
    const { clock } = server;
    const connectors = createCrmConnectors({
      fetch: globalThis.fetch,
      timeoutMs: 60_000,
      now: () => clock.now(),
      baseUrls: { [type]: crm.url },
    });
    ctx.crmConnector = (name) => connectors.get(name);
    await server.db.query('delete from jobs');
    await server.db.query(
      `insert into sources (connection_id, platform, path, create_or_update_company, create_or_update_task,
          assign_contact_owner, salesforce_object_type, created_at)
        values ($1, 'smartlead', 'every-crm', true, true, true, 'Contact', $2)`,
      [connectionId, clock.now()],
    );
    await server.db.query(
      'update connections set capability_blocklists = true, capability_sync = true, recorded_error = null where id = $1',
      [connectionId],
    );
  });
  afterAll(async () => {
    await server.close();
    await crm.close();
  });
  beforeEach(async () => {
    server.clock.advance(60_000);
    await connect();
  });
  afterEach(async () => {
    crm.reset();
    await server.db.query('truncate crm_records');
  });

  const connect = async () => {
    const { secrets } = server.running.ctx;
    const token = secrets.encrypt(writeGrant(grantOf(crm.url)), { kind: 'CRM token', id: connectionId });
    await server.db.query('update connections set crm_token = $2 where id = $1', [connectionId, token]);
  };
  const post = async (changes: object = {}) => {
    posted += 1;
    const answer = await server.post('/webhooks/every-crm', { ...reply, stats_id: `every-${posted}`, ...changes });
    expect(answer.status).toBe(200);
    return answer.json.requestId as number;
  };
  /** Runs what is due, and what comes due within half a minute. */
  const settle = async () => {
    for (let second = 0; second < 30; second += 1) {
      await server.running.runner.runDue();
      server.clock.advance(1_000);
    }
  };
  const syncsOf = async (requestId: number) =>
    (
      await server.db.query<{ id: number; status: string; code: string | null }>(
        `select id, status, error->>'code' as code from syncs where payload_id = $1 order by id`,
        [requestId],
      )
    ).rows;

  test('a post becomes a person with its company and owner, an engagement and a task, and a sync', async () => {
    const request = await post();
    await settle();
    expect(await syncsOf(request)).toMatchObject([{ status: 'success', code: null }]);
    const names = ['Maren Holt'];
    expect(crm.content()).toEqual({ people: [LEAD], names, companies: 1, engagements: 1, tasks: 1, isOwned: true });
  });

  test('more events of the person add engagements, and neither a person nor a company', async () => {
    const requests = [await post(), await post(), await post()];
    await settle();
    for (const request of requests) expect(await syncsOf(request)).toMatchObject([{ status: 'success' }]);
    expect(crm.content()).toMatchObject({ people: [LEAD], companies: 1, engagements: 3, tasks: 3 });
  });

  test('a reply of a colleague is on the record of the lead, which gets no name of another; the colleague has no record', async () => {
    const leadCorrespondence = { targetLeadEmail: LEAD, replyReceivedFrom: 'bo.stern@fjordfreight.example.org' };
    const to = { to_email: leadCorrespondence.replyReceivedFrom, to_name: 'Bo Stern' };
    const request = await post({ ...to, leadCorrespondence });
    await settle();
    expect(await syncsOf(request)).toMatchObject([{ status: 'success' }]);
    expect(crm.content()).toMatchObject({ people: [LEAD], engagements: 1, tasks: 1 });
    expect(crm.content().names.join()).not.toMatch(/Bo|Stern/);
  });

  test('a call that fails for a moment leaves one success', async () => {
    crm.failNext(1, 503);
    const request = await post();
    await settle();
    expect(await syncsOf(request)).toMatchObject([{ status: 'success' }]);
    expect(crm.content()).toMatchObject({ people: [LEAD], engagements: 1, tasks: 1 });
  });

  test('a refused event fails, and is written by a retry where the CRM supports it', async () => {
    crm.failNext(1_000, 403);
    const request = await post();
    await settle();
    const [failed] = await syncsOf(request);
    expect(failed).toMatchObject({ status: 'error' });
    crm.reset();
    const authorization = 'Bearer osapi_demo_write';
    const answer = await server.post(`/api/v1/syncs/${failed?.id}/retry`, '', { authorization });
    expect(answer.status).toBe(canRetry ? 200 : 409);
    await settle();
    expect((await syncsOf(request)).map(({ status }) => status)).toEqual(canRetry ? ['error', 'success'] : ['error']);
    expect(crm.content().engagements).toBe(canRetry ? 1 : 0);
  });

  test('a refused token disconnects; after a new one events are written again', async () => {
    crm.refuseToken();
    const refused = await post();
    await settle();
    expect(await syncsOf(refused)).toMatchObject([{ status: 'error' }]);
    const disconnected = await post();
    await settle();
    expect(await syncsOf(disconnected)).toMatchObject([{ status: 'error', code: 'crm_disconnected' }]);
    crm.reset();
    await connect();
    const again = await post();
    await settle();
    expect(await syncsOf(again)).toMatchObject([{ status: 'success' }]);
    expect(crm.content()).toMatchObject({ people: [LEAD], engagements: 1 });
  });

  test('a reply is mailed to the owner whom it names', async () => {
    const { ctx } = server.running;
    await server.db.query('update connections set capability_destinations = true where id = $1', [connectionId]);
    const input = { connectionId, ccEmail: 'desk@example.com', delayMinutes: 1, routes: ['crm-owner'] };
    const { replyRelay } = await performAdmin(ctx, 'relays/add', input, 'a test');
    const { rows } = await server.db.query<{ id: number }>(`select id from sources where path = 'every-crm'`);
    const binding = { relayId: replyRelay.id, sourceId: rows[0]?.id };
    await performAdmin(ctx, 'relays/bind', binding, 'a test');
    await post();
    await settle();
    // What is remembered of the person does not decide.
    await server.db.query('truncate crm_records');
    await settle();
    await settle();
    expect(server.mail.mails().map(({ recipients }) => recipients)).toEqual([[OWNER]]);
    await performAdmin(ctx, 'relays/unbind', binding, 'a test');
  });

  test('a block list is read from it', async () => {
    const members = ['one@example.org', 'two@example.org'];
    const listId = crm.createList(members);
    const { rows } = await server.db.query<{ id: number }>(
      `insert into blocklists (connection_id, list_name, crm, crm_list_id, platform, block_type, status, is_enabled,
          created_at)
        values ($1, 'Customers', $2, $3, 'smartlead', 'ADDRESS', 'CREATED', true, $4) returning id`,
      [connectionId, type, listId, server.clock.now()],
    );
    const id = rows[0]?.id ?? 0;
    await server.db.query('update blocklists set sequencer_token = $2 where id = $1', [
      id,
      server.running.ctx.secrets.encrypt('key', { kind: 'sequencer token', id }),
    ]);
    const authorization = 'Bearer osapi_demo_write';
    expect((await server.post(`/api/v1/blocklists/${id}/resync`, '', { authorization })).status).toBe(200);
    await settle();
    const { rows: entries } = await server.db.query<{ value: string }>(
      'select value from blocklist_entries where blocklist_id = $1 order by value',
      [id],
    );
    expect(entries.map(({ value }) => value)).toEqual(members);
  });
});
