/**
 * Fields, last values, outcomes and associations of a policy, from `connections prepare` and a sequencer's posts to the records in each CRM.
 * A CRM is one entry of `CRMS`.
 */
import { readFile } from 'node:fs/promises';
import { createCrmConnectors, createCrmSetups } from '@svc/crm';
import { startHubspotSimulator, startPipedriveSimulator, startSalesforceSimulator } from '@svc/simulators';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Grant, writeGrant } from '@svc/engine/crm/grants';
import { anyBackend } from '@svc/engine/test/backends';
import { AdminError } from '@svc/operations/implemented/admin-error';
import { type AdminInput, type AdminOperationName, type AdminResult, performAdmin } from '@svc/operations/perform';
import { startTestServer, type TestServer } from '../support/harness.ts';

const read = async (name: string) =>
  JSON.parse(await readFile(new URL(`../../../../fixtures/payloads/smartlead/${name}.json`, import.meta.url), 'utf8'));
const reply = await read('email-reply');
const open = await read('email-open');
const LEAD = 'kim@parts.example.org';

/** What is written of the one person. */
interface Written {
  region: unknown;
  replies: unknown;
  opens: unknown;
  status: unknown;
  deals: number;
  todos: number;
}

interface StartedCrm {
  url: string;
  written(): Written;
  close(): Promise<void>;
}

interface CrmCase {
  crm: string;
  /** Connection of the demo world. */
  connectionId: number;
  /** What the policy names. */
  names: { region: string; status: string; stage: string };
  start(): Promise<StartedCrm>;
  expected: Partial<Written>;
}

const post = (url: string, body: object) =>
  fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: 'Bearer a-token', 'x-api-token': 'a-token' },
    body: JSON.stringify(body),
  });

const CRMS: readonly CrmCase[] = [
  {
    crm: 'HUBSPOT',
    connectionId: 1,
    names: { region: 'region', status: 'CONNECTED', stage: 'Appointment scheduled' },
    expected: { region: 'DACH', replies: '2', opens: '2', status: 'CONNECTED' },
    async start() {
      const crm = await startHubspotSimulator({ owners: ['rep@example.org'] });
      const properties = `${crm.url}/crm/properties/2026-09/contacts`;
      await post(`${properties}/groups`, { name: 'own', label: 'Own' });
      const region = { name: 'region', label: 'Region', groupName: 'own', type: 'string', fieldType: 'text' };
      expect((await post(properties, region)).status).toBe(201);
      return {
        url: crm.url,
        close: () => crm.close(),
        written: () => {
          const [{ properties: values } = { properties: {} as Record<string, unknown> }] = crm.contacts();
          return {
            ...{ region: values['region'], replies: values['svc_reply_count'], opens: values['svc_open_count'] },
            ...{ status: values['hs_lead_status'], deals: crm.deals().length },
            todos: crm.tasks().filter(({ properties: task }) => task['hs_task_subject'] === 'Call back').length,
          };
        },
      };
    },
  },
  {
    crm: 'SALESFORCE',
    connectionId: 2,
    names: { region: 'Region__c', status: 'Working', stage: 'Prospecting' },
    expected: { region: 'DACH', replies: 2, opens: 2 },
    async start() {
      const custom = { name: 'Region__c', type: 'string', length: 255 } as const;
      const crm = await startSalesforceSimulator({
        org: {
          customFields: [{ objectType: 'Contact', ...custom }],
          hasLastValueFields: false,
          hasDealKeyField: false,
        },
      });
      return {
        url: crm.url,
        close: () => crm.close(),
        written: () => {
          const { contacts, tasks } = crm.state();
          const [{ values } = { values: {} as Record<string, unknown> }] = contacts;
          return {
            ...{
              region: values['Region__c'],
              replies: values['Svc_Reply_Count__c'],
              opens: values['Svc_Open_Count__c'],
            },
            ...{ status: null, deals: crm.records('Opportunity').length },
            todos: tasks.filter((task) => task.values['Subject'] === 'Call back').length,
          };
        },
      };
    },
  },
  {
    crm: 'PIPEDRIVE',
    connectionId: 3,
    names: { region: 'Region', status: 'Hot lead', stage: 'Qualified' },
    expected: { region: 'DACH', replies: 2, opens: 2, status: 1 },
    async start() {
      const crm = await startPipedriveSimulator({});
      expect((await post(`${crm.url}/api/v2/personFields`, { field_name: 'Region', field_type: 'varchar' })).ok).toBe(
        true,
      );
      return {
        url: crm.url,
        close: () => crm.close(),
        written: () => {
          const { persons, personFields, deals, activities } = crm.state();
          const codeOf = (name: string) => personFields.find(({ field_name }) => field_name === name)?.field_code ?? '';
          const [person] = persons;
          return {
            region: person?.custom_fields[codeOf('Region')],
            replies: person?.custom_fields[codeOf('Sequencer: replies')],
            opens: person?.custom_fields[codeOf('Sequencer: opens')],
            status: person?.label_ids.length,
            deals: deals.length,
            todos: activities.filter(({ subject }) => subject === 'Call back').length,
          };
        },
      };
    },
  },
];

describe.each(CRMS)('the parts of a policy in $crm', ({ crm: type, connectionId, names, start, expected }) => {
  let server: TestServer;
  let crm: StartedCrm;
  let sourceId = 0;
  beforeAll(async () => {
    server = await startTestServer(anyBackend);
    crm = await start();
    const { clock, db } = server;
    const { ctx } = server.running;
    const options = {
      ...{ fetch: globalThis.fetch, timeoutMs: 60_000, now: () => clock.now() },
      baseUrls: { [type]: crm.url },
    };
    const [connectors, setups] = [createCrmConnectors(options), createCrmSetups(options)];
    ctx.crmConnector = (name) => connectors.get(name);
    ctx.crmSetup = (name) => setups.get(name);
    const grant: Grant =
      type === 'SALESFORCE'
        ? {
            ...{
              type: 'client_credentials',
              accessToken: 'a-token',
              expiresAt: null,
              apiUrl: crm.url,
              loginUrl: crm.url,
            },
            ...{ clientId: 'app', clientSecret: 'secret' },
          }
        : { type: 'private', accessToken: 'a-token' };
    const token = ctx.secrets.encrypt(writeGrant(grant), { kind: 'CRM token', id: connectionId });
    await db.query('delete from jobs');
    await db.query(
      'update connections set crm_token = $2, capability_sync = true, recorded_error = null where id = $1',
      [connectionId, token],
    );
    const { rows } = await db.query<{ id: number }>(
      `insert into sources (connection_id, platform, path, create_or_update_company, create_or_update_task,
          assign_contact_owner, salesforce_object_type, created_at)
        values ($1, 'smartlead', 'policy-parts', false, false, false, 'Contact', $2) returning id`,
      [connectionId, clock.now()],
    );
    sourceId = rows[0]?.id ?? 0;
  });
  afterAll(async () => {
    await server.close();
    await crm.close();
  });

  const perform = async <Name extends AdminOperationName>(name: Name, input: AdminInput<Name>) =>
    (await performAdmin(server.running.ctx, name, input, 'a test')) as AdminResult<Name>;
  const receive = async (payload: object, id: string) => {
    const body = { ...payload, stats_id: id, to_email: LEAD, sl_lead_email: LEAD, region: 'DACH' };
    expect((await server.post('/webhooks/policy-parts', body)).status).toBe(200);
  };
  /** Runs what is due, and what comes due within half a minute. */
  const settle = async () => {
    for (let second = 0; second < 30; second += 1) {
      await server.running.runner.runDue();
      server.clock.advance(1_000);
    }
  };

  test('prepare makes what is missing, once', async () => {
    const states = async (isDryRun: boolean) =>
      new Set((await perform('connections/prepare', { id: connectionId, isDryRun })).items.map(({ state }) => state));
    expect([...(await states(true))]).toContain('missing');
    const made = await states(false);
    expect([...made]).toContain('made');
    expect([...made]).not.toContain('refused');
    expect([...(await states(false))]).toEqual(['exists']);
  });

  test('a policy that the CRM cannot carry out is refused', async () => {
    const policy = { fields: [{ to: `${names.region}x`, from: 'payload:region' }], outcomes: [] };
    const refusal = await perform('sources/set-policy', { id: sourceId, policy }).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(AdminError);
    expect(String(refusal)).toContain(`did you mean ${names.region}?`);
  });

  test('replies and opens in any order: fields, values, status, one deal, a to-do for each reply', async () => {
    await perform('sources/set-policy', {
      id: sourceId,
      policy: {
        fields: [{ to: names.region, from: 'payload:region' }],
        lastValues: ['replyCount', 'openCount', 'lastRepliedAt', 'lastReplyText'],
        associations: { company: true, deal: true },
        outcomes: [
          {
            when: { types: ['EMAIL_REPLY'] },
            leadStatus: names.status,
            deal: { stage: names.stage },
            task: { subject: 'Call back', due: '4h' },
          },
        ],
      },
    });
    await receive(open, 'open 1');
    await settle();
    await receive(reply, 'reply 1');
    await receive(open, 'open 2');
    await settle();
    await receive(reply, 'reply 2');
    await receive(reply, 'reply 2');
    await settle();
    const { rows } = await server.db.query<{ row: string }>(
      `select event_type || ' ' || status || coalesce(' ' || (error ->> 'message'), '') as row from syncs
        where to_email = $1 order by id`,
      [LEAD],
    );
    expect(rows.map(({ row }) => row)).toEqual([
      ...['EMAIL_OPEN success', 'EMAIL_REPLY success', 'EMAIL_OPEN success', 'EMAIL_REPLY success'],
    ]);
    expect(crm.written()).toMatchObject({ ...expected, deals: 1, todos: 2 });
  });

  test('selftest: nothing differs, and nothing is left', async () => {
    const before = crm.written();
    const selfTest = perform('connections/selftest', { id: connectionId });
    const report = await selfTest.catch((error: unknown) => {
      if (error instanceof AdminError && error.message.includes('no self-test')) return null;
      throw error;
    });
    if (report === null) return;
    expect(report.statements.filter(({ result }) => result === 'differs')).toEqual([]);
    expect(report.statements.some(({ result }) => result === 'holds')).toBe(true);
    expect(crm.written()).toEqual(before);
  });
});
