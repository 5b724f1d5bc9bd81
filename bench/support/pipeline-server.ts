/**
 * The parts of `pipeline.bench.ts`, each in its own process: `node pipeline-server.ts crm CRM [DELAY_MS]`,
 * `node pipeline-server.ts server CRM CRM_URL CONNECTIONS [DATABASE_URL]`, `node pipeline-server.ts loop CRM_URL` and
 * `node pipeline-server.ts collector`.
 *
 * - `crm` is the simulator of a CRM, which answers after DELAY_MS (default 0). `reset` empties it, `counts` answers what it got, and `limit` turns HubSpot's real
 *   limits on.
 * - `server` answers `rest` and `work` (stops and starts its workers), `drained` once no job is left, `latencies` with the
 *   milliseconds until the sync of each post (`watch` begins), and `check N` when N events are written.
 * - `collector` takes traces, and answers how many bytes it got.
 * - `loop` makes the calls of N events in full batches without a database, and answers how many events per second.
 */
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { SOURCE_CONFIG_DEFAULTS } from '@svc/contract/schemas';
import { type CrmAccess, type CrmRecord, createCrmConnectors } from '../../packages/crm/src/index.ts';
import { hashBody, normalize } from '../../packages/sequencers/src/events/index.ts';
import { planWrite } from '@svc/domain/policy/plan-write';
import { startHubspotSimulator, startPipedriveSimulator, startSalesforceSimulator } from '@svc/simulators';
import { writeGrant } from '@svc/engine/crm/grants';
import type { RunningServer } from '../../packages/server/src/main/server.ts';
import { answerLines } from './process.ts';
import { serve } from './serve.ts';

/** What HubSpot allows a private app: requests in ten seconds, and searches in one. */
const REAL_LIMITS = { max: 190, intervalMs: 10_000, searchesPerSecond: 5, daily: 1_000_000 };

const [kind = '', ...args] = process.argv.slice(2);
if (kind === 'crm') await startCrm(args[0] ?? '', Number(args[1] ?? '0'));
else if (kind === 'loop') startLoop(args[0] ?? '');
else if (kind === 'collector') startCollector();
else await startPipeline(args);

async function startCrm(crm: string, delayMs: number): Promise<void> {
  if (crm !== 'HUBSPOT') return startCountedCrm(crm);
  const simulator = await startHubspotSimulator({ tokens: 'any', delayMs });
  let refused = 0;
  let requestsBefore = 0;
  const answer = async (line: string) => {
    if (line === 'limit') simulator.setRateLimit(REAL_LIMITS);
    else if (line === 'free') simulator.setRateLimit(null);
    else if (line === 'reset') simulator.reset();
    else {
      const { counts } = simulator.state();
      const all = simulator.requests().filter(({ status }) => status === 429).length;
      const answered = {
        engagements: counts.engagements,
        requests: counts.requests - requestsBefore,
        refused: all - refused,
      };
      refused = all;
      requestsBefore = counts.requests;
      return JSON.stringify(answered);
    }
    refused = 0;
    requestsBefore = simulator.state().counts.requests;
    return 'done';
  };
  answerLines(simulator.url, answer, () => void simulator.close());
}

/** A CRM without limits whose calls are counted. */
async function startCountedCrm(crm: string): Promise<void> {
  const simulator = await (crm === 'SALESFORCE' ? startSalesforceSimulator() : startPipedriveSimulator());
  let before = 0;
  const answer = async (line: string) => {
    if (line === 'reset') simulator.reset();
    const { requests } = simulator.state().counts;
    const counted = JSON.stringify({ requests: requests - before });
    before = requests;
    return counted;
  };
  answerLines(simulator.url, answer, () => void simulator.close());
}

/** Nothing waits for a CRM that is not HubSpot: only its calls are counted. */
const UNLIMITED = { window: null, search: null, daily: { limit: 1_000_000_000, unit: 'calls' } } as const;

/** A collector of traces that reads and forgets them; answers the bytes that it got. */
function startCollector(): void {
  let bytes = 0;
  const server = createServer((request, response) => {
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
    });
    request.on('end', () => response.end());
  });
  server.listen(0, '127.0.0.1', () => {
    const { port } = server.address() as AddressInfo;
    answerLines(
      `http://127.0.0.1:${port}`,
      async () => String(bytes),
      () => server.close(),
    );
  });
}

function telemetryVariables(): Record<string, string> {
  return Object.fromEntries(
    Object.entries(process.env).flatMap(([name, value]) => (name.startsWith('OTEL_') && value ? [[name, value]] : [])),
  );
}

async function startPipeline([crm = '', crmUrl = '', connections = '1', databaseUrl = '']: string[]): Promise<void> {
  const { running, cleanUp } = await serve({
    databaseUrl,
    startWorkers: true,
    env: { ...telemetryVariables(), [`SVC_${crm}_URL`]: crmUrl },
    ...(crm !== 'HUBSPOT' && { limitsOf: () => UNLIMITED }),
  });
  await addConnections(running, Number(connections));
  if (crm !== 'HUBSPOT') await setCrm(running, crm, crmUrl);
  let stopWatching = async (): Promise<Map<string, number>> => new Map();
  const answer = async (line: string) => {
    if (line === 'rest') await running.runner.stop();
    else if (line === 'work') running.runner.start();
    else if (line === 'drained') await untilDrained(running);
    else if (line === 'watch') stopWatching = watch(running);
    else if (line === 'latencies') return JSON.stringify([...(await stopWatching())]);
    else if (line.startsWith('check ')) await check(running, Number(line.slice('check '.length)));
    return 'done';
  };
  answerLines(running.url, answer, cleanUp);
}

/** Adds connections with a source each: `bench-2`, `bench-3`, ... beside the one of the minimal world, `bench-1`. */
async function addConnections({ ctx }: RunningServer, count: number): Promise<void> {
  const { db, secrets, clock } = ctx;
  await db.query(`update sources set path = 'bench-1' where id = 1`);
  for (let id = 2; id <= count; id += 1) {
    await db.query(
      `insert into connections (id, account_id, crm, organization_id, organization_domain, can_use_api, crm_token, created_at)
        values ($1, 1, 'HUBSPOT', $2, 'example.com', true, $3, $4)`,
      [id, String(1_000_000 + id), secrets.encrypt('any-text', { kind: 'CRM token', id }), clock.now()],
    );
    await db.query(
      `insert into sources (id, connection_id, platform, path, created_at) values ($1, $1, 'smartlead', $2, $3)`,
      [id, `bench-${id}`, clock.now()],
    );
  }
}

/** Makes the connection of the minimal world one to another CRM. */
async function setCrm({ ctx: { db, secrets } }: RunningServer, crm: string, url: string): Promise<void> {
  const grant = writeGrant(
    crm === 'SALESFORCE'
      ? {
          type: 'client_credentials',
          accessToken: 'any-text',
          expiresAt: null,
          apiUrl: url,
          loginUrl: url,
          clientId: 'app',
          clientSecret: 'secret',
        }
      : { type: 'private', accessToken: 'any-text' },
  );
  const organizationId = crm === 'SALESFORCE' ? '00D000000000001EAA' : '7000001';
  await db.query('update connections set crm = $1, organization_id = $2, crm_token = $3 where id = 1', [
    crm,
    organizationId,
    secrets.encrypt(grant, { kind: 'CRM token', id: 1 }),
  ]);
}

async function untilDrained({ ctx: { db } }: RunningServer): Promise<void> {
  // From the end of the index, because the place of the finished jobs is still to be vacuumed.
  while ((await db.query('select from jobs order by id desc limit 1')).rowCount > 0) await wait(10);
}

/** Looks for new syncs all the time; returns a function that ends it and returns when each event was seen. */
function watch({ ctx: { db } }: RunningServer): () => Promise<Map<string, number>> {
  const seenAt = new Map<string, number>();
  let isOver = false;
  const watching = (async () => {
    let lastId = (await db.query<{ id: number }>('select coalesce(max(id), 0) as id from syncs')).rows[0]?.id ?? 0;
    for (let isLast = false; !isLast; ) {
      isLast = isOver;
      const { rows } = await db.query<{ id: number; key: string }>(
        {
          name: 'bench-new-syncs',
          text: `select syncs.id, to_email as key from syncs where id > $1 order by id`,
        },
        [lastId],
      );
      for (const { id, key } of rows) {
        lastId = id;
        seenAt.set(key, Date.now());
      }
      await wait(5);
    }
  })();
  return async () => {
    isOver = true;
    await watching;
    return seenAt;
  };
}

/** @throws Error unless exactly this many events have one successful sync each */
async function check({ ctx: { db } }: RunningServer, events: number): Promise<void> {
  const { rows } = await db.query<{ events: number; syncs: number }>(
    `select count(distinct inbound_event_id) as events, count(*) as syncs from syncs
      where inbound_event_id is not null and status = 'success'`,
  );
  const [found] = rows;
  if (found?.events !== events || found.syncs !== events) throw new Error(`${events} events: ${JSON.stringify(found)}`);
}

function startLoop(crmUrl: string): void {
  const newConnector = () => {
    const connector = createCrmConnectors({
      fetch: globalThis.fetch,
      timeoutMs: 10_000,
      now: () => new Date(),
      baseUrls: { HUBSPOT: crmUrl },
    }).get('HUBSPOT');
    if (connector === undefined) throw new Error('There is no connector for HubSpot.');
    return connector;
  };
  const access: CrmAccess = {
    accessToken: 'any-text',
    tokenType: 'private',
    apiUrl: null,
    quota: { take: async () => null, report: async () => {} },
  };
  const known = new Map<string, CrmRecord>();
  const records = {
    read: async (identities: readonly string[]) =>
      new Map(
        identities.flatMap((identity) => {
          const record = known.get(identity);
          return record === undefined ? [] : [[identity, record] as const];
        }),
      ),
    write: async (written: readonly CrmRecord[]) => {
      for (const record of written) known.set(record.identity, record);
    },
    delete: async (identities: readonly string[]) => {
      for (const identity of identities) known.delete(identity);
    },
  };
  const payload = JSON.parse(
    readFileSync(new URL('../../fixtures/payloads/smartlead/email-reply.json', import.meta.url), 'utf8'),
  );
  const config = { ...SOURCE_CONFIG_DEFAULTS, writeStateFields: false };
  let made = 0;
  const answer = async (line: string) => {
    const count = Number(line);
    // The simulator was emptied, so nothing that a connector knows of it is right.
    const connector = newConnector();
    known.clear();
    const events = Array.from({ length: count }, () => {
      made += 1;
      const body = { ...payload, stats_id: `loop-${made}`, sl_lead_email: `loop-${made}@example.org` };
      const result = normalize(
        { platform: 'smartlead', mapping: null },
        {
          headers: {},
          body,
          bodyHash: hashBody(Buffer.from(JSON.stringify(body))),
        },
      );
      const [event] = result.outcome === 'events' ? result.events : [];
      if (event === undefined) throw new Error('The payload has no event.');
      return {
        plan: planWrite(config, {}, event),
        event,
        idempotencyKey: `loop-${made}`,
        receivedAt: new Date(),
        fields: [],
        lastValues: null,
        isRepeated: false,
      };
    });
    const started = performance.now();
    for (let from = 0; from < count; from += connector.batchSize) {
      const batch = events.slice(from, from + connector.batchSize);
      const outcomes = await connector.writeEvents({ access, organizationId: '1000001', records, events: batch });
      const failed = outcomes.find(({ status }) => status === 'error');
      if (failed !== undefined) throw new Error(JSON.stringify(failed));
    }
    return String((count * 1_000) / (performance.now() - started));
  };
  answerLines('ready', answer, () => {});
}
