import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { Client } from 'undici';

/** How to start a server on a port. */
export type MockServer = {
  readonly args: (port: string) => readonly string[];
  readonly env: NodeJS.ProcessEnv;
};

export type MockProcess = {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Milliseconds from the spawn to the end of the first answer with status 200. */
  readonly startedInMs: number;
  /** @throws Error for any other status */
  get(path: string): Promise<string>;
  residentMegabytes(): number;
  stop(): Promise<void>;
};

const HEADERS = { authorization: 'Bearer osapi_demo_read' };
const START_LIMIT_MS = 60_000;
/** Pause between two attempts to reach it. */
const PAUSE_MS = 2;

/**
 * Starts a server with this Node and waits until it answers. All servers are polled in the same way, because not all of
 * them report when they are ready.
 *
 * @param path requested until it answers 200
 */
export async function startMock({ args, env }: MockServer, path: string): Promise<MockProcess> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const started = performance.now();
  const child = spawn(process.execPath, args(String(port)), { env, stdio: ['ignore', 'ignore', 'pipe'] });
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const exited = once(child, 'exit');
  for (;;) {
    if ((await ask(url, path).catch(() => null))?.status === 200) break;
    if (child.exitCode !== null || performance.now() - started > START_LIMIT_MS) {
      child.kill('SIGKILL');
      throw new Error(`${args(String(port)).join(' ')} never answered 200:\n${stderr}`);
    }
    await wait(PAUSE_MS);
  }
  const startedInMs = performance.now() - started;
  return {
    url,
    headers: HEADERS,
    startedInMs,
    async get(wanted) {
      const { status, text } = await ask(url, wanted);
      if (status !== 200) throw new Error(`${wanted} answered ${status}: ${text}`);
      return text;
    },
    residentMegabytes: () => residentMegabytes(child.pid),
    async stop() {
      child.kill('SIGTERM');
      await exited;
    },
  };
}

async function ask(url: string, path: string): Promise<{ status: number; text: string }> {
  const client = new Client(url);
  try {
    const { statusCode, body } = await client.request({ path, method: 'GET', headers: HEADERS });
    return { status: statusCode, text: await body.text() };
  } finally {
    await client.destroy();
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}

function residentMegabytes(pid: number | undefined): number {
  const { stdout } = spawnSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' });
  const kilobytes = Number(stdout.trim());
  if (!(kilobytes > 0)) throw new Error(`the memory of process ${pid} is not known`);
  return kilobytes / 1_024;
}
