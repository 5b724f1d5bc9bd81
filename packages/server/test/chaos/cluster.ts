/**
 * The installation that chaos runs share: server processes and a pair of databases on hosts of their own, and what they call. One
 * installation serves the runs of several seeds, because starting it takes longer than a run.
 */
import { createSecretBox, generateEncryptionKey } from '@svc/engine/secrets/secret-box';
import { writeGrant } from '@svc/engine/crm/grants';
import type { Database } from '@svc/engine/store/database/db';
import { createNetwork, hasNamespaces } from '../support/cluster/network.ts';
import { openWorldDatabase } from '../support/cluster/pair-database.ts';
import { type PostgresPair, startPostgresPair } from '../support/cluster/postgres.ts';
import { createServerNode, type ServerNode } from '../support/cluster/servers.ts';
import { type Outside, startOutside } from './outside.ts';
import type { SentEvent } from './traffic.ts';
import { chaosWorld, CRM_TOKENS } from './world.ts';

export interface ChaosCluster {
  readonly servers: readonly ServerNode[];
  having(role: 'api' | 'inbound' | 'worker'): readonly ServerNode[];
  /** Null when the database is the caller's, and no fault concerns it. */
  readonly pair: PostgresPair | null;
  readonly hasLinks: boolean;
  readonly db: Database;
  readonly outside: Outside;
  readonly clock: ChaosClock;
  /** The events of all runs so far. */
  readonly events: SentEvent[];
  close(): Promise<void>;
}

/** The clock of the servers and of the CRMs. It runs faster than the machine's, and is moved ahead over long waits. */
export interface ChaosClock {
  readonly epochMs: number;
  readonly rate: number;
  offsetMs: number;
  now(): Date;
}

export interface ClusterOptions {
  /** The roles of each process. Default: 2 api, 2 inbound, 3 worker. */
  roles?: readonly string[];
  /** An empty database on loopback. Default: a pair of servers on hosts of their own. */
  databaseUrl?: string;
  /**
   * How much faster the clocks run. Default 5: a lease of 15 s takes 3 s, which is long enough for a busy machine, and short enough for a
   * fault that outlasts it.
   */
  rate?: number;
  /** Size of each database's disk. Default 256. */
  diskMb?: number;
}

const ROLES = ['api', 'api', 'inbound', 'inbound', 'worker', 'worker', 'worker'];

/** What a chaos run with faults of links and disks needs; null when this machine has it. */
export function whyNoChaos(): string | null {
  return hasNamespaces() ? null : 'a right of root, iproute2 or nsenter';
}

export async function startCluster({
  roles = ROLES,
  databaseUrl,
  rate = 5,
  diskMb = 256,
}: ClusterOptions = {}): Promise<ChaosCluster> {
  const cleanUps: (() => unknown)[] = [];
  const close = async () => {
    for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
  };
  try {
    const network = createNetwork({ isLoopback: databaseUrl !== undefined });
    cleanUps.push(() => network.close());
    const { hasLinks } = network;
    const pair = databaseUrl === undefined ? await startPostgresPair(network, hasLinks ? { diskMb } : {}) : null;
    if (databaseUrl === undefined && pair === null) throw new Error('This machine has no PostgreSQL.');
    cleanUps.push(() => pair?.close());
    const clock = createClock(rate);
    const world = chaosWorld();
    const outside = await startOutside(network, world, () => clock.now());
    cleanUps.push(() => outside.close());
    const env = {
      ...{ DATABASE_URL: databaseUrl ?? pair?.url('postgres') ?? '', SVC_ENCRYPTION_KEY: generateEncryptionKey() },
      ...{ SVC_RATE_LIMIT: 'off', SVC_LOG_LEVEL: 'warn', ...outside.env },
    };
    const db = await openWorldDatabase(env, world);
    cleanUps.push(() => db.close());
    await db.query(RECORD_TAKEOVERS);
    await connectOutside(db, outside, env.SVC_ENCRYPTION_KEY);
    const servers = roles.map((role, index) =>
      createServerNode({ host: network.addHost(`${role.slice(0, 3)}${index}`), roles: role, ...clock, env }),
    );
    cleanUps.push(() => Promise.all(servers.map((server) => server.signal('SIGKILL'))));
    await Promise.all(servers.map((server) => server.start()));
    const having = (role: string) => servers.filter((server) => server.roles.split(',').includes(role));
    return { servers, having, pair, hasLinks, db, outside, clock, events: [], close };
  } catch (error) {
    await close();
    throw error;
  }
}

/**
 * Records which event's job was taken from a worker that still held it: one that died, hung, had no link or a wrong clock. Only such a worker
 * may go on writing beside its successor.
 */
const RECORD_TAKEOVERS = `
create table chaos_takeovers (event_id bigint not null);
create function chaos_record_takeover() returns trigger language plpgsql as $$
begin insert into chaos_takeovers values (new.ref::bigint); return null; end $$;
create trigger chaos_record_takeover after update on jobs for each row
  when (old.is_leased and old.fence <> new.fence and new.kind = 'write-crm') execute function chaos_record_takeover();
`;

function createClock(rate: number): ChaosClock {
  const epochMs = Date.now();
  const clock: ChaosClock = {
    ...{ epochMs, rate, offsetMs: 0 },
    now: () => new Date(epochMs + (Date.now() - epochMs) * rate + clock.offsetMs),
  };
  return clock;
}

/** What the world cannot say: addresses of this run, and the address of the Salesforce org, which is part of its grant. */
async function connectOutside(db: Database, { receiverUrl, salesforceUrl }: Outside, key: string): Promise<void> {
  await db.query(`update destinations set url = $1 || '/' || id`, [receiverUrl]);
  await db.query(`update webhooks set url = $1 || '/webhook'`, [receiverUrl]);
  const { rows } = await db.query<{ id: number }>(`select id from connections where crm = 'SALESFORCE'`);
  for (const { id } of rows) {
    const grant = writeGrant({
      ...{ type: 'client_credentials', accessToken: CRM_TOKENS[id - 1] ?? '', expiresAt: null, apiUrl: salesforceUrl },
      ...{ loginUrl: salesforceUrl, clientId: 'app', clientSecret: 'app-secret' },
    });
    const sealed = createSecretBox([key]).encrypt(grant, { kind: 'CRM token', id });
    await db.query('update connections set crm_token = $2 where id = $1', [id, sealed]);
  }
}
