/**
 * `npm start`: builds, runs the demo server, posts real-shaped payloads of two sequencers to it, waits until they are
 * written to the CRM (simulated on this machine), shows them through the CLI, and keeps serving.
 *
 * `npm start -- --help` lists the options.
 */
import './pinned-node.ts';
import './end-with-parent.ts';
import { type ChildProcess, spawn } from 'node:child_process';
import { createWriteStream, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Command, InvalidArgumentError } from 'commander';
import { build } from './build.ts';
import { type DemoPayload, INBOUND_PATHS, readDemoPayloads } from './demo-payloads.ts';
import { root } from './processes.ts';

const API_KEY = 'osapi_demo_read';
const SYNC_TIMEOUT_MS = 60_000;
const POLL_MS = 500;

interface DemoServer {
  child: ChildProcess;
  url: string;
  /** The lines printed once it was ready. */
  notes: string[];
  logFile: string;
}

const flags = new Command('npm start --')
  .description('Builds what changed, runs the demo of the whole service on this machine, and keeps it running.')
  .option('--once', 'stop after the demonstration, which then has a port and a data directory of its own')
  .option('--port <number>', 'port to listen on; 0 picks a free one (default: 4000)', parsePort)
  .option('--data-dir <dir>', 'folder of the demo data (default: .svc/demo)')
  .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : 2))
  .showHelpAfterError('(npm start -- --help lists the options)')
  .parse()
  .opts<{ once?: boolean; port?: string; dataDir?: string }>();

function parsePort(text: string): string {
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65_535)
    throw new InvalidArgumentError('It must be a port, 0 to 65535.');
  return text;
}

// The reader of the output is gone (`npm start | head`).
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));
process.exitCode = await main();

async function main(): Promise<number> {
  if (!(await build({ packages: ['server', 'cli'], declarations: false, quiet: true }))) return 1;
  const temporary =
    flags.once === true && flags.dataDir === undefined ? mkdtempSync(join(tmpdir(), 'svc-demo-')) : null;
  const dataDir = flags.dataDir ?? temporary ?? join(root, '.svc', 'demo');
  try {
    const server = await startServer(dataDir, flags.port ?? (flags.once ? '0' : '4000'));
    try {
      await demonstrate(server);
      if (flags.once) return 0;
      return await keepServing(server);
    } finally {
      await stop(server.child);
    }
  } catch (error) {
    process.stderr.write(`\n${error instanceof Error ? error.message : String(error)}\n`);
    return 1;
  } finally {
    if (temporary !== null) rmSync(temporary, { recursive: true, force: true });
  }
}

async function startServer(dataDir: string, port: string): Promise<DemoServer> {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const logFile = join(dataDir, 'server.log');
  const log = createWriteStream(logFile, { mode: 0o600 });
  const child = spawn(
    process.execPath,
    [join(root, 'packages/server/bin/svc-server.js'), 'start', '--demo', '--port', port, '--data-dir', dataDir],
    // The demo must not use a database from the caller's environment.
    { stdio: ['ignore', 'pipe', 'pipe'], cwd: root, env: withoutConfiguration(process.env) },
  );
  // The server must not outlive this script.
  process.once('exit', () => child.kill('SIGKILL'));
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => child.kill('SIGTERM'));
  let complaints = '';
  child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
    log.write(chunk);
    complaints = `${complaints}${chunk}`.slice(-4_000);
  });
  return new Promise((resolve, reject) => {
    const notes: string[] = [];
    let url: string | undefined;
    child.once('error', reject);
    child.once('exit', (code) => {
      if (url === undefined) reject(new Error(`The server did not start (exit ${code}).\n${complaints.trim()}`));
    });
    createInterface({ input: child.stdout }).on('line', (line) => {
      if (url !== undefined) {
        notes.push(line);
        return;
      }
      url = /http:\/\/\S+/.exec(line)?.[0];
      if (url !== undefined) resolve({ child, url, notes, logFile });
    });
  });
}

function withoutConfiguration(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const isConfiguration = (name: string) => name === 'DATABASE_URL' || name.startsWith('SVC_');
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !isConfiguration(name)));
}

async function demonstrate(server: DemoServer): Promise<void> {
  say(`The server is up on ${server.url}, with the demo world and simulated CRMs.`);
  const payloads = readDemoPayloads();
  const platforms = [...new Set(payloads.map((payload) => payload.platform))];
  const postedAt = new Date();
  for (const payload of payloads) await post(server.url, payload);
  const expected = payloads.reduce((sum, payload) => sum + payload.eventCount, 0);
  say(
    `Posted ${payloads.length} webhook payloads of ${platforms.join(' and ')}. Waiting for their ${expected} events ...`,
  );
  await waitForSyncs(server.url, postedAt, expected);
  say(`All ${expected} events are written to the CRM.`);
  await showCommand(server.url, ['status']);
  await showCommand(server.url, ['syncs', 'export', '--since', '1h', '--format', 'csv']);
}

async function post(url: string, payload: DemoPayload): Promise<void> {
  const response = await fetch(`${url}/webhooks/${INBOUND_PATHS[payload.platform]}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...payload.headers },
    body: payload.body,
  });
  if (!response.ok) throw new Error(`An inbound post was answered ${response.status}: ${await response.text()}`);
}

async function waitForSyncs(url: string, since: Date, expected: number): Promise<void> {
  const range = new URLSearchParams({
    from: since.toISOString(),
    to: new Date(since.getTime() + 3_600_000).toISOString(),
  });
  const deadline = Date.now() + SYNC_TIMEOUT_MS;
  let found = 0;
  while (Date.now() < deadline) {
    const response = await fetch(`${url}/api/v1/syncs/metrics?${range}`, {
      headers: { authorization: `Bearer ${API_KEY}` },
    });
    const metrics: Record<string, number> = JSON.parse(await response.text());
    const errors = metrics['error'] ?? 0;
    if (errors > 0)
      throw new Error(
        `${errors} of ${expected} events could not be written to the CRM: see svc syncs list --status error`,
      );
    found = (metrics['success'] ?? 0) + (metrics['warning'] ?? 0);
    if (found >= expected) return;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  throw new Error(`Only ${found} of ${expected} events were synced within ${SYNC_TIMEOUT_MS / 1000} seconds.`);
}

async function showCommand(url: string, args: string[]): Promise<void> {
  process.stdout.write(`\n$ svc ${args.join(' ')}\n`);
  const child = spawn(process.execPath, [join(root, 'packages/cli/bin/run.js'), ...args], {
    stdio: ['ignore', 'inherit', 'inherit'],
    env: { ...withoutConfiguration(process.env), SVC_BASE_URL: url, SVC_API_KEY: API_KEY },
  });
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', resolve);
  });
  if (code !== 0) throw new Error(`svc ${args.join(' ')} ended with exit code ${code}.`);
}

async function keepServing(server: DemoServer): Promise<number> {
  process.stdout.write(`
The demo keeps running; Ctrl-C stops it. Logs: ${server.logFile}
${server.notes.join('\n')}

In a second terminal, in this folder:

  export SVC_BASE_URL=${server.url} SVC_API_KEY=${API_KEY}
  export PATH="$PWD/bin:$PATH"
  svc status
  svc syncs export --since 7d --format ndjson --output syncs.ndjson
  curl -H "Authorization: Bearer $SVC_API_KEY" "$SVC_BASE_URL/api/v1/me"
  curl -d '{"event_type": "EMAIL_REPLY", "to_email": "you@example.org", "reply_body": "Yes!"}' "$SVC_BASE_URL/webhooks/demo-smartlead"
  svc syncs list --limit 1

To retry, resync and change, use the key that may write: export SVC_API_KEY=osapi_demo_write
`);
  const interrupted = new Promise<boolean>((resolve) => {
    server.child.once('exit', () => resolve(false));
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve(true));
  });
  if (await interrupted) return 0;
  process.stderr.write(`The server ended by itself; its log is ${server.logFile}\n`);
  return 1;
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  await exited;
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
