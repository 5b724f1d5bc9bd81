/** Starts the whole server inside the test's process: real HTTP, a real database, a simulated CRM and a manual clock. */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { OperationId } from '@svc/contract/operations';
import { publishedLimits } from '@svc/crm';
import { createResponseValidator } from '@svc/contract/strict';
import type { CrmLimits } from '@svc/domain/syncs/crm-quota';
import { brandWorld } from '@svc/domain/pages/branding';
import { type MaterializedWorld, materializeWorld, parseWorld } from '@svc/domain/world';
import { type Logger, pino } from 'pino';
import { expect } from 'vitest';
import { type Clock, createManualClock, type ManualClock } from '@svc/engine/runtime/clock';
import { type Config, readConfig } from '@svc/engine/config/config';
import { createSecretBox, generateEncryptionKey, type SecretBox } from '@svc/engine/secrets/secret-box';
import { bindAdminServer, bindServer } from '../../src/http/listen.ts';
import { type RunningServer, startServer } from '../../src/main/server.ts';
import { createOutbound } from '@svc/engine/outbound/outbound';
import type { RegisteredCrm } from '@svc/crm';
import type { HubspotSimulator, PipedriveSimulator } from '@svc/simulators';
import type { ReceiverSimulator } from '@svc/simulators';
import type { MailSimulator, SequencerSimulator } from '@svc/simulators';
import { toMailConfig } from '@svc/engine/config/mail-config';
import { startSimulatedWorld } from '@svc/simulators';
import type { Tracing } from '@svc/engine/runtime/tracing';
import type { ClockWatch } from '@svc/engine/store/database/database-clock';
import type { Database } from '@svc/engine/store/database/db';
import type { Replicas } from '@svc/engine/store/database/replicas';
import { loadWorld } from '@svc/engine/world/load-world';
import type { Backend } from '@svc/engine/test/backends';
import type { Content } from '@svc/engine/test/database-content';

export const NOW = new Date('2026-03-31T12:00:00.000Z');

const demoWorld = parseWorld(
  JSON.parse(await readFile(new URL('../../../../fixtures/demo-world.json', import.meta.url), 'utf8')),
);
const findProblems = createResponseValidator();
/** One key for all servers, because restored databases contain secrets that it sealed. */
export const ENCRYPTION_KEY = generateEncryptionKey();
const secrets = createSecretBox([ENCRYPTION_KEY]);

export interface TestServer {
  url: string;
  /** The URL of the administrative listener; null without one. */
  adminUrl: string | null;
  db: Database;
  clock: ManualClock;
  world: MaterializedWorld;
  crm: HubspotSimulator;
  pipedrive: PipedriveSimulator;
  sequencer: SequencerSimulator;
  receiver: ReceiverSimulator;
  mail: MailSimulator;
  running: RunningServer;
  /** GETs with a demo key; every answer is validated against the contract. */
  get(operationId: OperationId, path: string, key?: string | null): Promise<Answer>;
  post(path: string, body: string | object, headers?: Record<string, string>): Promise<Answer>;
  /**
   * Starts another server on the same database and simulators, as a second process does. The caller closes it.
   *
   * @param itsClock default: the same clock
   */
  startAnother(
    overrides?: Partial<Config>,
    wrap?: (db: Database) => Database,
    itsClock?: Clock,
  ): Promise<RunningServer>;
  close(): Promise<void>;
}

export interface Answer {
  status: number;
  headers: Headers;
  text: string;
  /** Parsed JSON; its shape was validated against the contract. */
  json: ReturnType<typeof JSON.parse>;
}

export async function startTestServer(
  backend: Backend,
  options: {
    rateLimit?: 'on' | 'off';
    /** Runs maintenance when the clock passes its time. Default false, because it takes longer than most tests. */
    startMaintenance?: boolean;
    log?: Logger;
    fetch?: typeof globalThis.fetch;
    /** Starts with published keys, as `start --demo` does. */
    hasPublishedKeys?: boolean;
    env?: Readonly<Record<string, string>>;
    /** Overrides the environment and the simulators. */
    config?: Partial<Config>;
    /** Default: the CRMs of this release. */
    crmRegistry?: readonly RegisteredCrm[];
    /** How long the mail server may take to answer. */
    mailTimeoutMs?: number;
    /** Default: nothing is traced. The caller stops it. */
    tracing?: Tracing;
    /** Default: none. */
    replicas?: Replicas;
    /** Default: the clock is right. */
    clockWatch?: ClockWatch;
    /** Default: those of `ENCRYPTION_KEY`. */
    secrets?: SecretBox;
    /** The built dashboard. Default: a small page for tests. */
    dashboardFolder?: URL;
  } = {},
): Promise<TestServer> {
  const clock = createManualClock(NOW);
  const env = { SVC_PORT: '0', SVC_RATE_LIMIT: options.rateLimit ?? 'off', ...options.env };
  const configured = readConfig(env);
  const world = materializeWorld(brandWorld(demoWorld, configured.branding), NOW);
  const db = await backend.open(contentOf(world, configured.branding));
  const simulated = await startSimulatedWorld(world);
  const { crm, pipedrive, sequencer, receiver, mail } = simulated;
  const config = {
    ...configured,
    ...simulated.config,
    mail: toMailConfig(simulated.mailSettings),
    inboundBodyLimitBytes: 64 * 1024,
    ...options.config,
  };
  const log = options.log ?? pino({ level: 'silent' });
  const outbound = createOutbound({ resolve: receiver.resolve, dial: receiver.dial, allowedCidrs: [] });
  const adminBound = await bindAdminServer(configured);
  const start = async (database: Database, overrides: Partial<Config> = {}, itsClock: Clock = clock) =>
    startServer(
      {
        bound: await bindServer(configured),
        adminBound: database === db ? adminBound : null,
        db: database,
        ...{
          outbound,
          config: { ...config, ...overrides },
          secrets: options.secrets ?? secrets,
          clock: itsClock,
          log,
          fetch: options.fetch ?? globalThis.fetch,
          dashboardFolder: options.dashboardFolder ?? new URL('./dashboard-page/', import.meta.url),
        },
        ...(options.tracing === undefined ? {} : { tracing: options.tracing }),
        ...(options.replicas === undefined ? {} : { replicas: options.replicas }),
        ...(options.clockWatch === undefined ? {} : { clockWatch: options.clockWatch }),
        ...(options.crmRegistry === undefined ? {} : { crmRegistry: options.crmRegistry }),
      },
      {
        startWorkers: false,
        startMaintenance: options.startMaintenance ?? false,
        hasPublishedKeys: options.hasPublishedKeys ?? false,
        limitsOf: withoutWindows,
        idleConnectionsMs: 0,
        mailbox: () => mail.mails(),
        ...(options.mailTimeoutMs === undefined ? {} : { mailTimeoutMs: options.mailTimeoutMs }),
      },
    );
  const running = await start(db);
  return {
    url: running.url,
    adminUrl: adminBound?.url ?? null,
    db,
    clock,
    world,
    crm,
    pipedrive,
    sequencer,
    receiver,
    mail,
    running,
    async get(operationId, path, key = 'osapi_demo_read') {
      const headers: Record<string, string> = key === null ? {} : { authorization: `Bearer ${key}` };
      const answer = await read(await fetch(running.url + path, { headers }));
      expect(findProblems(operationId, answer.status, answer.headers, answer.json ?? answer.text)).toEqual([]);
      return answer;
    },
    post: async (path, body, headers = {}) =>
      read(
        await fetch(running.url + path, {
          method: 'POST',
          headers: { 'content-type': 'application/json', ...headers },
          body: typeof body === 'string' ? body : JSON.stringify(body),
        }),
      ),
    startAnother: (overrides, wrap = (own) => own, itsClock = clock) =>
      start(wrap({ ...db, close: async () => {} }), overrides, itsClock),
    async close() {
      await running.close();
      await simulated.close();
    },
  };
}

/** Who waits for a short window would wait for ever while the clock stands still. */
function withoutWindows(crm: string): CrmLimits {
  return { ...publishedLimits(crm), window: null, search: null };
}

/** All demo worlds of tests are made of the same file, at the same time. */
function contentOf(world: MaterializedWorld, branding: Config['branding']): Content {
  const name = `demo_${createHash('sha256').update(JSON.stringify(branding)).digest('hex').slice(0, 16)}`;
  return { name, load: (db) => loadWorld({ db, secrets, now: NOW }, world) };
}

async function read(response: Response): Promise<Answer> {
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.includes('json') ?? false;
  return { status: response.status, headers: response.headers, text, json: isJson ? JSON.parse(text) : undefined };
}
