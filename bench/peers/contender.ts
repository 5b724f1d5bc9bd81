import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { createTestDatabase } from '../../scripts/vitest/database.ts';
import { freePort, startPostgresCluster } from '../../scripts/vitest/postgres-cluster.ts';
import { deploy } from '../support/deployment.ts';
import { type BenchProcess, startProcess } from '../support/process.ts';

/** The contenders of `peers.bench.ts`: each takes posts of Smartlead and writes them to a simulated HubSpot of its own. */
export type Contender = {
  readonly name: string;
  /** `crm-server.ts`. */
  readonly crm: BenchProcess;
  /** Where it takes posts. */
  webhook: () => string;
  /** The first process of it and of its PostgreSQL. */
  pids: () => number[];
  /** Kills it with SIGKILL and starts it again with the same command, as its supervisor would. */
  killAndRestart: () => Promise<void>;
  close: () => Promise<void>;
};

/** A running process that takes posts at `webhook`. */
type Running = { readonly pid: number; readonly webhook: string; ended: () => Promise<void> };

/** How long HubSpot takes for a call. */
const CRM_DELAY_MS = 50;
/** n8n makes its tables at its first start. */
const START_LIMIT_MS = 180_000;

export async function startSvcServer(name: string, database: 'PostgreSQL' | 'embedded'): Promise<Contender | null> {
  const crm = await startProcess('../peers/crm-server.ts', String(CRM_DELAY_MS));
  const deployment = await deploy(database, { connections: 1, crmUrl: crm.ready });
  if (deployment === null) {
    crm.stop();
    return null;
  }
  const postgresPids = deployment.postgres === null ? [] : [deployment.postgres.pid];
  const start = async (): Promise<Running> => {
    const server = await deployment.startServer('api,inbound,worker');
    return { pid: server.pid, webhook: `${server.url}/webhooks/bench-1`, ended: () => server.stop() };
  };
  return contend({ name, crm, postgresPids, start, close: () => deployment.close() });
}

/** How to run a peer. */
export type Peer = {
  readonly name: string;
  /** Path of its webhook. */
  readonly path: string;
  /** Prepares its database, and returns how Node starts it on a port. */
  prepare: (place: { databaseUrl: string; crmUrl: string; port: string }) => Promise<{
    readonly args: readonly string[];
    readonly env: NodeJS.ProcessEnv;
    cleanUp?: () => void;
  }>;
};

/** Starts a peer with a PostgreSQL of its own, whose commits wait for the disk. */
export async function startPeer({ name, path, prepare }: Peer): Promise<Contender | null> {
  const cluster = await startPostgresCluster({ isDurable: true });
  if (cluster === null) return null;
  const crm = await startProcess('../peers/crm-server.ts', String(CRM_DELAY_MS));
  const { url: databaseUrl } = await createTestDatabase(cluster.url);
  const port = String(await freePort());
  const { args, env, cleanUp } = await prepare({ databaseUrl, crmUrl: crm.ready, port });
  let child: ChildProcess | null = null;
  const start = async (): Promise<Running> => {
    child = await startNode(args, env, `http://127.0.0.1:${port}/healthz`);
    const exited = once(child, 'exit');
    return {
      pid: child.pid ?? Number.NaN,
      webhook: `http://127.0.0.1:${port}${path}`,
      ended: async () => void (await exited),
    };
  };
  const close = async () => {
    if (child !== null && child.exitCode === null && child.signalCode === null) {
      child.kill('SIGTERM');
      await once(child, 'exit');
    }
    cluster.stop();
    cleanUp?.();
  };
  return contend({ name, crm, postgresPids: [cluster.pid], start, close });
}

type Parts = {
  readonly name: string;
  readonly crm: BenchProcess;
  readonly postgresPids: readonly number[];
  start: () => Promise<Running>;
  close: () => Promise<void>;
};

async function contend({ name, crm, postgresPids, start, close }: Parts): Promise<Contender> {
  const closeAll = async () => {
    await close();
    crm.stop();
  };
  try {
    let running = await start();
    return {
      name,
      crm,
      webhook: () => running.webhook,
      pids: () => [running.pid, ...postgresPids],
      async killAndRestart() {
        process.kill(running.pid, 'SIGKILL');
        await running.ended();
        running = await start();
      },
      close: closeAll,
    };
  } catch (error) {
    await closeAll();
    throw error;
  }
}

/** @throws Error with its output when it ends, or does not answer 200 in time */
async function startNode(args: readonly string[], env: NodeJS.ProcessEnv, url: string): Promise<ChildProcess> {
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output = (output + text).slice(-10_000);
    });
  }
  const started = performance.now();
  while ((await fetch(url).catch(() => null))?.status !== 200) {
    if (child.exitCode !== null || performance.now() - started > START_LIMIT_MS) {
      child.kill('SIGKILL');
      throw new Error(`${args.join(' ')} did not answer at ${url}:\n${output}`);
    }
    await wait(50);
  }
  return child;
}
