/**
 * The reference server as a target: the application and its workers in the test's process, on a real port, with a manual clock,
 * simulated CRM and sequencers, and customers' endpoints on loopback. It uses parts that the package does not export.
 */
import { connect, type Socket } from 'node:net';
import { bindServer, createManualClock, readConfig, startServer } from '@svc/server';
import type { MaterializedWorld } from '@svc/domain/world';
import { pino } from 'pino';
import { createSecretBox, generateEncryptionKey } from '@svc/engine/secrets/secret-box';
import { createOutbound, type Dial } from '@svc/engine/outbound/outbound';
import {
  seedLists,
  startHubspotSimulator,
  startMailSimulator,
  startPipedriveSimulator,
  startSalesforceSimulator,
  startSequencerSimulator,
} from '@svc/simulators';
import type { Database } from '@svc/engine/store/database/db';
import { loadWorld } from '@svc/engine/world/load-world';
import { type Backend, backends } from '@svc/engine/test/backends';
import { NOW, WORLD } from '../world.ts';
import { controlSimulator, MAIL_FROM } from './mails.ts';
import { startReceivers } from './receivers.ts';
import type { RunningTarget, StartOptions, Target } from './target.ts';

/** A public address; it is never dialled. */
const SOME_PUBLIC_ADDRESS = '93.184.215.14';

export const serverOnPglite: Target = serverOn('server on PGlite', 'pglite');
export const serverOnPostgres: Target = serverOn('server on PostgreSQL', 'postgres');

/** One key for all servers, because databases with encrypted secrets are copied. */
const secrets = createSecretBox([generateEncryptionKey()]);

/** Who waits for a CRM's short window would wait for ever while the clock stands still. */
const WITHOUT_WAITS = { window: null, search: null, daily: { limit: 1_000_000_000, unit: 'calls' } } as const;

function serverOn(name: string, backendName: Backend['name']): Target {
  const backend = backends.find((it) => it.name === backendName);
  if (backend === undefined) throw new Error(`There is no backend ${backendName}.`);
  return {
    name,
    isAvailable: backend.isAvailable,
    resolvesHostNames: true,
    acceptsRawRequests: true,
    start: (world, options) => startOn(backend, world, options),
  };
}

/** Copies a database with the suite's world; loads any other world. */
async function openDatabase(backend: Backend, world: MaterializedWorld, now: Date): Promise<Database> {
  const load = (db: Database) => loadWorld({ db, secrets, now }, world);
  if (world === WORLD && now === NOW) return backend.open({ name: 'conformance', load });
  const db = await backend.open();
  await load(db);
  return db;
}

async function startOn(
  backend: Backend,
  world: MaterializedWorld,
  { now, rateLimit = 'off', trustedProxies = 0, workers = 'on' }: StartOptions,
): Promise<RunningTarget> {
  const db = await openDatabase(backend, world, now);
  const clock = createManualClock(now);
  const receivers = await startReceivers();
  const crm = await startCrm(world);
  const sequencer = await startSequencerSimulator();
  const mail = await startMailSimulator();
  const names = new Map<string, string>();
  const configured = readConfig({
    SVC_PORT: '0',
    SVC_SMARTLEAD_URL: sequencer.url,
    SVC_INSTANTLY_URL: sequencer.url,
    SVC_SMTP_URL: mail.url,
    SVC_MAIL_FROM: MAIL_FROM,
    SVC_RATE_LIMIT: rateLimit,
    SVC_TRUST_PROXY: trustedProxies === 0 ? undefined : String(trustedProxies),
  });
  const config = { ...configured, crmUrls: crm.urls };
  const running = await startServer(
    {
      bound: await bindServer(config),
      config,
      db,
      secrets,
      clock,
      log: pino({ level: 'silent' }),
      outbound: createOutbound({
        resolve: async (host) => [names.get(host) ?? SOME_PUBLIC_ADDRESS],
        dial: dialLoopback(receivers.port),
        allowedCidrs: [],
        clock,
      }),
      fetch: onlyTo(...Object.values(crm.urls), sequencer.url),
      dashboardFolder: new URL('../../../../server/test/support/dashboard-page/', import.meta.url),
    },
    { startWorkers: workers === 'on', limitsOf: () => WITHOUT_WAITS, idleConnectionsMs: 0 },
  );
  return {
    baseUrl: running.url,
    fetch: globalThis.fetch,
    clock: { now: () => clock.now(), advance: async (ms) => clock.advance(ms) },
    crm: crm.control,
    mail: controlSimulator(mail),
    openReceiver: async (host) => receivers.open(host),
    setHostAddress: (host, address) => names.set(host, address),
    settle: async () => {
      await running.runner.runDue();
    },
    async close() {
      await receivers.close();
      await running.close();
      await crm.close();
      await sequencer.close();
      await mail.close();
    },
  };
}

/** Starts HubSpot's simulator, which can fail in some or all parts of a write. */
/** The CRM types that the target can write to: each has a simulator. */
export const SIMULATED_CRMS: readonly string[] = ['HUBSPOT', 'SALESFORCE', 'PIPEDRIVE'];

async function startCrm(world: MaterializedWorld) {
  let failing: { status: number; path: RegExp } | null = null;
  const fail = async (status: number, path: RegExp) => {
    failing = { status, path };
  };
  const faults = ({ path }: { path: string }) => (failing?.path.test(path) ? failing.status : null);
  const simulator = await startHubspotSimulator({ tokens: 'any', faults });
  const salesforce = await startSalesforceSimulator({ faults });
  const pipedrive = await startPipedriveSimulator({ faults });
  seedLists(simulator, world);
  return {
    urls: { HUBSPOT: simulator.url, SALESFORCE: salesforce.url, PIPEDRIVE: pipedrive.url },
    control: {
      failWith: (status: number) => fail(status, /^/),
      refuseParts: () => fail(400, /companies|tasks/),
      recover: async () => {
        failing = null;
      },
    },
    close: async () => {
      await Promise.all([simulator.close(), salesforce.close(), pipedrive.close()]);
    },
  };
}

function dialLoopback(port: number): Dial {
  return ({ signal }) =>
    new Promise<Socket>((resolve, reject) => {
      const socket = connect({ host: '127.0.0.1', port }, () => resolve(socket));
      socket.once('error', reject);
      signal.addEventListener('abort', () => socket.destroy(), { once: true });
    });
}

/** Returns a `fetch` that calls only the given URLs. */
function onlyTo(...urls: readonly string[]): typeof globalThis.fetch {
  return async (input, init) => {
    const address = input instanceof Request ? input.url : String(input);
    if (!urls.some((url) => address.startsWith(`${url}/`))) throw new TypeError('Only the simulators may be called.');
    return fetch(input, init);
  };
}
