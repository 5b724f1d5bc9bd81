/**
 * A CRM that does the work and whose answer cannot be used: it is lost, cut in half, endless, sent byte by byte, or is JSON that says
 * nothing; sometimes it refuses a part of a call too. Every event is written in the end, and nothing twice. Real HTTP, through the whole
 * server.
 */
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createCrmConnectors } from '@svc/crm';
import { startHubspotSimulator, startPipedriveSimulator, startSalesforceSimulator } from '@svc/simulators';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createRandom } from '../chaos/random.ts';
import { sized } from '../../../../scripts/vitest/size.ts';
import { type Grant, writeGrant } from '@svc/engine/crm/grants';
import { anyBackend } from '@svc/engine/test/backends';
import { startTestServer, type TestServer } from '../support/harness.ts';

const SEEDS = sized(10);
/** The answers of this many first calls of a seed may be replaced. */
const CALLS = 60;
/** How long a call to a CRM may take. */
const TIMEOUT_MS = 400;
const OWNER = 'rep@example.com';
const LEADS = ['ann@one.example', 'ben@two.example', 'cat@three.example'];

interface CrmContent {
  /** Addresses of people. */
  people: string[];
  companies: number;
  engagements: number;
  tasks: number;
}

interface StartedCrm {
  url: string;
  content(): CrmContent;
  /** Refuses one record of the next call that writes several. */
  refuseOne?(): void;
  reset(): void;
  close(): Promise<void>;
}

interface CrmCase {
  crm: string;
  connectionId: number;
  grantOf(url: string): Grant;
  start(): Promise<StartedCrm>;
}

const privateToken = (): Grant => ({ type: 'private', accessToken: 'a-token' });

const CRMS: readonly CrmCase[] = [
  {
    crm: 'HUBSPOT',
    connectionId: 1,
    grantOf: privateToken,
    async start() {
      let refusals = 0;
      const crm = await startHubspotSimulator({
        owners: [OWNER],
        validationRule: (type) => (type === 'emails' && refusals-- > 0 ? 'refused by a rule' : null),
      });
      return {
        ...crm,
        content: () => ({
          people: crm.contacts().map(({ properties }) => properties['email'] ?? ''),
          companies: crm.companies().length,
          engagements: crm.engagements().length,
          tasks: crm.tasks().length,
        }),
        refuseOne: () => {
          refusals = 1;
        },
      };
    },
  },
  {
    crm: 'SALESFORCE',
    connectionId: 2,
    grantOf: (url) => ({
      ...{ type: 'client_credentials', accessToken: 'a-token', expiresAt: null, apiUrl: url, loginUrl: url },
      ...{ clientId: 'app', clientSecret: 'secret' },
    }),
    async start() {
      const crm = await startSalesforceSimulator({ users: [{ email: OWNER }] });
      return {
        ...crm,
        content: () => {
          const { contacts, leads, accounts, tasks } = crm.state();
          const done = tasks.filter(({ values }) => values['Status'] === 'Completed');
          return {
            people: [...contacts, ...leads].map(({ values }) => String(values['Email'])),
            companies: accounts.length,
            engagements: done.length,
            tasks: tasks.length - done.length,
          };
        },
        refuseOne: () => crm.failRecords(1, { objectType: 'Task', errorCode: 'UNABLE_TO_LOCK_ROW' }),
      };
    },
  },
  {
    crm: 'PIPEDRIVE',
    connectionId: 3,
    grantOf: privateToken,
    async start() {
      const crm = await startPipedriveSimulator({ users: ['admin@example.com', OWNER] });
      return {
        ...crm,
        content: () => {
          const { persons, organizations, activities, notes } = crm.state();
          const done = activities.filter((activity) => activity.done);
          return {
            people: persons.map(({ emails }) => emails[0]?.value ?? ''),
            companies: organizations.length,
            engagements: done.length + notes.length,
            tasks: activities.length - done.length,
          };
        },
      };
    },
  },
];

/** What comes instead of the CRM's answer, of which the CRM knows nothing. */
const ANSWERS = {
  lost: (response) => response.destroy(),
  half: (response, text) => response.end(text.slice(0, text.length / 2)),
  html: (response) => response.end('<html><body>OK</body></html>'),
  object: (response) => response.end('{}'),
  array: (response) => response.end('[]'),
  null: (response) => response.end('null'),
  text: (response) => response.end('"OK"'),
  nulls: (response) => response.end('{"results": null, "records": null, "data": null, "id": null, "success": null}'),
  endless(response) {
    const chunk = Buffer.alloc(64 * 1024, ' ');
    const more = () => {
      while (!response.destroyed && response.write(chunk));
      if (!response.destroyed) response.once('drain', more);
    };
    more();
  },
  slow(response) {
    const more = () => {
      if (!response.destroyed) response.write(' ', () => setImmediate(more));
    };
    more();
  },
} satisfies Record<string, (response: ServerResponse, text: string) => void>;
type AnswerKind = keyof typeof ANSWERS;
const KINDS = Object.keys(ANSWERS) as AnswerKind[];

/** Stands between connector and CRM, and answers instead of the CRM when `draw` says how. */
async function startGate(crmUrl: () => string) {
  const state = { calls: 0, draw: (_call: number): AnswerKind | null => null };
  const http = createServer((request, response) => {
    void (async () => {
      state.calls += 1;
      const kind = state.draw(state.calls);
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(Buffer.from(chunk));
      const { authorization = '', 'x-api-token': apiToken = '', 'content-type': type } = request.headers;
      const answer = await fetch(crmUrl() + (request.url ?? ''), {
        method: request.method ?? 'GET',
        headers: {
          authorization,
          'x-api-token': String(apiToken),
          ...(type === undefined ? {} : { 'content-type': type }),
        },
        ...(chunks.length === 0 ? {} : { body: Buffer.concat(chunks) }),
      });
      const text = await answer.text();
      response.writeHead(answer.status, { 'content-type': 'application/json' });
      // A refusal has done no work, and is understood by its status alone.
      if (kind === null || !answer.ok) {
        response.end(text);
        return;
      }
      ANSWERS[kind](response, text);
    })();
  }).listen(0, '127.0.0.1');
  await once(http, 'listening');
  const { port } = http.address() as AddressInfo;
  return {
    state,
    url: `http://127.0.0.1:${port}`,
    close() {
      http.close();
      http.closeAllConnections();
    },
  };
}

describe.each(CRMS)('answers of $crm that cannot be used', ({ crm: type, connectionId, grantOf, start }) => {
  let server: TestServer;
  let crm: StartedCrm;
  let gate: Awaited<ReturnType<typeof startGate>>;
  let posted = 0;
  beforeAll(async () => {
    server = await startTestServer(anyBackend);
    crm = await start();
    gate = await startGate(() => crm.url);
    const { ctx } = server.running;
    const { clock } = server;
    const connectors = createCrmConnectors({
      ...{ fetch: globalThis.fetch, timeoutMs: TIMEOUT_MS, now: () => clock.now(), baseUrls: { [type]: gate.url } },
    });
    ctx.crmConnector = (name) => connectors.get(name);
    await server.db.query('delete from jobs');
    await server.db.query(
      `insert into sources (connection_id, platform, path, create_or_update_company, create_or_update_task,
          assign_contact_owner, salesforce_object_type, created_at)
        values ($1, 'smartlead', 'crm-answers', true, true, true, 'Contact', $2)`,
      [connectionId, clock.now()],
    );
    const token = ctx.secrets.encrypt(writeGrant(grantOf(gate.url)), { kind: 'CRM token', id: connectionId });
    await server.db.query(
      'update connections set capability_sync = true, recorded_error = null, crm_token = $2 where id = $1',
      [connectionId, token],
    );
  });
  afterAll(async () => {
    await server.close();
    gate.close();
    await crm.close();
  });
  beforeEach(() => begin());

  /** An empty CRM, and a server that knows nothing of it. */
  const begin = async () => {
    gate.state.draw = () => null;
    crm.reset();
    await server.db.script('truncate crm_records, crm_outages');
    server.clock.advance(60_000);
  };
  const post = async (eventType: string, lead: string) => {
    posted += 1;
    const body = {
      ...{ event_type: eventType, to_email: lead, to_name: 'Kim Lee', from_email: OWNER, stats_id: `answer-${posted}` },
      ...{ campaign_name: 'Spring', subject: `Subject ${posted}`, reply_message: { text: 'Yes, please.' } },
    };
    const answer = await server.post('/webhooks/crm-answers', body);
    expect(answer.status).toBe(200);
    return answer.json.requestId as number;
  };
  /** Runs jobs, moving the clock to the next one, until none is left. */
  const settle = async () => {
    for (let round = 0; round < 300; round += 1) {
      await server.running.runner.runDue();
      const { rows } = await server.db.query<{ due: Date | null }>('select min(due_at) as due from jobs');
      const due = rows[0]?.due ?? null;
      if (due === null) return;
      server.clock.advance(Math.max(0, due.getTime() - server.clock.now().getTime()));
    }
    expect.fail('jobs are left');
  };
  const newestSyncs = async (requests: readonly number[]) =>
    (
      await server.db.query<{ id: number; status: string; error: object | null }>(
        `select distinct on (payload_id) id, status, error from syncs where payload_id = any($1) order by payload_id, id desc`,
        [requests],
      )
    ).rows;

  /** Writes events of new and of known leads; the calls for them are answered as `draw` says. */
  const write = async (draw: (call: number) => AnswerKind | null, isPartRefused: boolean) => {
    await begin();
    const [known = ''] = LEADS;
    await post('EMAIL_SENT', known);
    await settle();
    // As in a process that remembers nothing: what is there has to be found.
    await server.db.script('truncate crm_records');
    gate.state.calls = 0;
    gate.state.draw = draw;
    if (isPartRefused) crm.refuseOne?.();
    const requests: number[] = [];
    for (const lead of LEADS) {
      for (const eventType of ['EMAIL_SENT', 'EMAIL_REPLY']) requests.push(await post(eventType, lead));
    }
    await settle();
    const refused = (await newestSyncs(requests)).filter(({ status }) => status === 'error');
    expect(refused.length).toBeLessThanOrEqual(isPartRefused ? 1 : 0);
    for (const { id } of refused) {
      const authorization = 'Bearer osapi_demo_write';
      expect((await server.post(`/api/v1/syncs/${id}/retry`, '', { authorization })).status).toBe(200);
      await settle();
    }
    return requests;
  };

  test(`${SEEDS} seeds, a third of the answers cannot be used: every event is written, nothing twice`, async () => {
    const drawn = new Set<AnswerKind>();
    for (let seed = 1; seed <= SEEDS; seed += 1) {
      const random = createRandom(seed);
      const draw = (call: number) => {
        if (call > CALLS || random.between(1, 3) > 1) return null;
        const kind = random.pick(KINDS);
        drawn.add(kind);
        return kind;
      };
      const requests = await write(draw, seed % 2 === 0);
      const syncs = await newestSyncs(requests);
      expect(syncs, `seed ${seed}`).toHaveLength(requests.length);
      for (const sync of syncs) expect(sync, `seed ${seed}`).toMatchObject({ status: 'success' });
      const { people, ...counts } = crm.content();
      expect(people.toSorted(), `seed ${seed}`).toEqual(LEADS);
      expect(counts, `seed ${seed}`).toEqual({ companies: 3, engagements: 7, tasks: 3 });
    }
    expect(drawn.size).toBeGreaterThan(2);
  });
});
