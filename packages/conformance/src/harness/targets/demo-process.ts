/** Runs `svc-server start --demo` as a process, on real time, with its simulators. */
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { inject } from 'vitest';
import { createTestDatabase } from '../../../../../scripts/vitest/database.ts';
import { type Process, startServerProcess } from '../../../../server/test/support/processes.ts';

const postgresUrl = inject('databaseUrl');

export interface DemoProcess {
  readonly baseUrl: string;
  /** URL at which the demo's receiver lists the requests it got. */
  readonly receiverStateUrl: string;
  /** Sends SIGTERM; returns the exit code and the duration. */
  stop(): Promise<{ code: number | null; ms: number }>;
  /** Kills the process if it still runs, and removes its files. */
  remove(): Promise<void>;
}

/** A database whose connections can be cut. */
export interface DetachableDatabase {
  readonly url: string;
  detach(): Promise<void>;
  attach(): Promise<void>;
  remove(): Promise<void>;
}

/** @param databaseUrl default: the embedded database */
export async function startDemoProcess(databaseUrl?: string): Promise<DemoProcess> {
  const dataDir = await mkdtemp(path.join(tmpdir(), 'svc smoke '));
  const env = { SVC_RATE_LIMIT: 'off', ...(databaseUrl !== undefined && { DATABASE_URL: databaseUrl }) };
  const server = await startServerProcess(['--demo', '--port', '0', '--data-dir', dataDir], env);
  const receiverStateUrl = await waitForOutput(server, /^Webhook receiver on .*: (http:\S+)\)$/m);
  return {
    baseUrl: server.url,
    receiverStateUrl,
    async stop() {
      const startedMs = performance.now();
      const code = await server.stop('SIGTERM');
      return { code, ms: performance.now() - startedMs };
    },
    async remove() {
      await server.stop('SIGKILL');
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

/** Waits for a line on stdout and returns its first group. */
async function waitForOutput({ child, stdout }: Process, line: RegExp): Promise<string> {
  for (;;) {
    const said = line.exec(stdout())?.[1];
    if (said !== undefined) return said;
    if (child.stdout === null) throw new Error('The process has no stdout.');
    await once(child.stdout, 'data');
  }
}

export const hasPostgres = postgresUrl !== null;

/** Creates a PostgreSQL database behind a TCP proxy. */
export async function createDetachableDatabase(): Promise<DetachableDatabase> {
  if (postgresUrl === null) throw new Error('There is no PostgreSQL for tests.');
  const database = await createTestDatabase(postgresUrl);
  const { hostname, port } = new URL(database.url);
  const sockets = new Set<Socket>();
  const proxy = createServer((client) => {
    const upstream = connect(Number(port), hostname);
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.once('close', () => sockets.delete(socket));
    }
    client.pipe(upstream).pipe(client);
    client.once('close', () => upstream.destroy());
    upstream.once('close', () => client.destroy());
  });
  const listen = async (at: number) => {
    proxy.listen(at, '127.0.0.1');
    await once(proxy, 'listening');
    const address = proxy.address();
    if (address === null || typeof address === 'string') throw new Error('The proxy has no TCP address.');
    return address.port;
  };
  const proxyPort = await listen(0);
  const url = new URL(database.url);
  url.host = `127.0.0.1:${proxyPort}`;
  const detach = async () => {
    const closed = once(proxy, 'close');
    proxy.close();
    for (const socket of sockets) socket.destroy();
    await closed;
  };
  return {
    url: url.href,
    detach,
    attach: async () => {
      await listen(proxyPort);
    },
    async remove() {
      if (proxy.listening) await detach();
      await database.drop();
    },
  };
}
