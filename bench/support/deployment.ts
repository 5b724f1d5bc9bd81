import { execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { Agent } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';
import { parseScrape, type Scrape } from '../../packages/server/test/support/scrape.ts';
import { build } from '../../scripts/build.ts';
import { root } from '../../scripts/processes.ts';
import { createTestDatabase } from '../../scripts/vitest/database.ts';
import { startPostgresCluster } from '../../scripts/vitest/postgres-cluster.ts';
import type { Result } from '../measure.ts';
import { post } from './post.ts';
import { startProcess } from './process.ts';

/** Concurrent posts of the load. */
const POSTS_AT_ONCE = 64;
const SERVER = join(root, 'packages', 'server', 'bin', 'svc-server.js');

const fixture = (path: string) => JSON.parse(readFileSync(join(root, 'fixtures', path), 'utf8'));

/** The key of the API that the world of a deployment has. */
export const API_KEY = 'osapi_minimal';

/** A process of the built `svc-server`. */
export type ServerProcess = {
  readonly pid: number;
  /** The URL of its public listener, or of its administrative one when it has no other. */
  readonly url: string;
  /** What `/metrics` says. */
  scrape(): Promise<Scrape>;
  /** Sends SIGTERM, and waits until the process has ended. */
  stop(): Promise<void>;
};

/** The PostgreSQL of a deployment. */
export type DeployedPostgres = { readonly client: pg.Client; readonly pid: number };

export type Deployment = {
  /** Null with the embedded database. */
  readonly postgres: DeployedPostgres | null;
  /** @param roles value of `--role` */
  startServer(roles: string, env?: Readonly<Record<string, string>>): Promise<ServerProcess>;
  /** Posts an event of a new contact, from this process. Throws unless it is acknowledged. */
  post(url: string): Promise<void>;
  /** Posts as many over 64 connections. */
  postMany(url: string, count: number): Promise<void>;
  /** Number of events that were posted. */
  posted(): number;
  close(): Promise<void>;
};

/**
 * Runs a measurement on a deployment with PostgreSQL, beside a HubSpot that answers after `crmDelayMs`.
 *
 * @returns nothing without PostgreSQL
 */
export async function onPostgres(
  options: { connections: number; crmDelayMs: number },
  measure: (deployment: Deployment, postgres: DeployedPostgres) => Promise<Result[]>,
): Promise<Result[]> {
  const crm = await startProcess('pipeline-server.ts', 'crm', 'HUBSPOT', String(options.crmDelayMs));
  let deployment: Deployment | null = null;
  try {
    deployment = await deploy('PostgreSQL', { connections: options.connections, crmUrl: crm.ready });
    return deployment?.postgres ? await measure(deployment, deployment.postgres) : [];
  } finally {
    await deployment?.close();
    crm.stop();
  }
}

/**
 * Starts what an operator would run, from the built `svc-server`: on a PostgreSQL whose commits wait for the disk, or on
 * the embedded database.
 *
 * @param options.connections HubSpot connections with a source each, which take turns
 * @param options.crmUrl where HubSpot is
 * @returns null with a message when this machine has no PostgreSQL
 */
export async function deploy(
  database: 'PostgreSQL' | 'embedded',
  { connections, crmUrl }: { connections: number; crmUrl: string },
): Promise<Deployment | null> {
  if (!(await build({ packages: ['server'], quiet: true }))) throw new Error('the server could not be built');
  const directory = mkdtempSync(join(tmpdir(), 'svc-bench-'));
  const cleanUps: (() => unknown)[] = [() => rmSync(directory, { recursive: true, force: true })];
  const close = async () => {
    for (const cleanUp of cleanUps.splice(0).toReversed()) await cleanUp();
  };
  const env: Record<string, string> = {
    ...{ PATH: process.env.PATH ?? '', HOME: directory, SVC_DATA_DIR: join(directory, 'data') },
    ...{ SVC_HUBSPOT_URL: crmUrl, SVC_LOG_LEVEL: 'error', SVC_RATE_LIMIT: 'off', SVC_PORT: '0', SVC_ADMIN_PORT: '0' },
  };
  try {
    let postgres: DeployedPostgres | null = null;
    if (database === 'PostgreSQL') {
      const cluster = await startPostgresCluster({ isDurable: true });
      if (cluster === null) {
        process.stderr.write('PostgreSQL is not installed: not measured.\n');
        await close();
        return null;
      }
      cleanUps.push(() => cluster.stop());
      const { url } = await createTestDatabase(cluster.url);
      Object.assign(env, { DATABASE_URL: url, SVC_ENCRYPTION_KEY: randomBytes(32).toString('base64') });
      const client = new pg.Client(url);
      await client.connect();
      cleanUps.push(() => client.end());
      postgres = { client, pid: cluster.pid };
    }
    const world = join(directory, 'world.json');
    writeFileSync(world, JSON.stringify(worldWith(connections)));
    execFileSync(process.execPath, [SERVER, 'world', 'load', world], { env, stdio: ['ignore', 'ignore', 'inherit'] });
    const load = createLoad(connections);
    cleanUps.push(() => load.close());
    return {
      postgres,
      ...{ post: load.post, postMany: load.postMany, posted: load.posted, close },
      async startServer(roles, more = {}) {
        const server = await startServer(roles, { ...env, ...more });
        cleanUps.push(() => server.stop());
        return server;
      },
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Waits until no job is left. */
export async function untilDrained({ client }: DeployedPostgres): Promise<void> {
  // From the end of the index, because the place of the finished jobs is still to be vacuumed.
  while ((await client.query('select from jobs order by id desc limit 1')).rowCount !== 0) await wait(50);
}

/** @throws Error unless every event that was posted has one successful sync */
export async function checkSyncs({ client }: DeployedPostgres, posted: number): Promise<void> {
  const { rows } = await client.query(
    `select count(distinct inbound_event_id)::int as events, count(*)::int as syncs from syncs
      where inbound_event_id is not null and status = 'success'`,
  );
  const { events, syncs } = rows[0];
  if (events !== posted || syncs !== posted) throw new Error(`of ${posted} events, ${events} have ${syncs} syncs`);
}

async function startServer(roles: string, env: Readonly<Record<string, string>>): Promise<ServerProcess> {
  const child = spawn(process.execPath, [SERVER, 'start', '--world', '--role', roles], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env,
  });
  const exited = once(child, 'exit');
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const urls: string[] = [];
  // The ready line, and the one of the administrative listener.
  while (urls.length < 2) {
    const { value, done } = await lines.next();
    if (done === true) throw new Error(`svc-server --role ${roles} ended before it was ready`);
    urls.push(...(/http:\/\/127\.0\.0\.1:\d+/.exec(value)?.slice(0, 1) ?? []));
  }
  const [url = '', adminUrl = ''] = urls;
  const { pid } = child;
  if (pid === undefined) throw new Error('svc-server has no process id');
  return {
    pid,
    url,
    scrape: async () => parseScrape(await (await fetch(`${adminUrl}/metrics`)).text()),
    async stop() {
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGTERM');
      await exited;
    },
  };
}

/** Posts of Smartlead to the sources of the world, in turn. */
function createLoad(connections: number): Pick<Deployment, 'post' | 'postMany' | 'posted'> & { close(): void } {
  const payload = fixture('payloads/smartlead/email-reply.json');
  const agent = new Agent({ keepAlive: true, maxSockets: POSTS_AT_ONCE });
  let sent = 0;

  function postEvent(url: string): Promise<void> {
    sent += 1;
    const lead = `lead-${sent}@example.org`;
    const body = JSON.stringify({ ...payload, stats_id: `bench-${sent}`, sl_lead_email: lead });
    const target = `${url}/webhooks/bench-${1 + (sent % connections)}`;
    return post(target, agent, body);
  }

  return {
    post: postEvent,
    async postMany(url, count) {
      let left = count;
      const postSome = async () => {
        while (left > 0) {
          left -= 1;
          await postEvent(url);
        }
      };
      await Promise.all(Array.from({ length: POSTS_AT_ONCE }, postSome));
    },
    posted: () => sent,
    close: () => agent.destroy(),
  };
}

/** The minimal world with more connections, and a source `bench-N` of each. */
function worldWith(connections: number): object {
  const world = fixture('minimal-world.json');
  const [connection] = world.connections;
  const [source] = world.sources;
  const ids = Array.from({ length: connections }, (_, index) => index + 1);
  return {
    ...world,
    connections: ids.map((id) => ({ ...connection, id, organizationId: String(1_000_000 + id) })),
    sources: ids.map((id) => ({ ...source, id, connectionId: id, path: `bench-${id}` })),
    requests: [],
    syncs: [],
  };
}
