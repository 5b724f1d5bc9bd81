import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AccountStatusResponse, MeResponse } from '@svc/contract/types';
import { build } from '../scripts/build.ts';
import { root } from '../scripts/processes.ts';
import { type Bench, interleave } from './measure.ts';

/**
 * Start-up of the CLI as it is published: the bundle, run by the real Node binary (the shim in `node_modules/.bin` is a shell
 * script of its own), against a server that answers at once.
 */
export const bench: Bench = {
  name: 'cli-startup',
  question: 'How much slower than `node -e 0` does `svc` start?',
  async run() {
    if (!(await build({ packages: ['cli'], quiet: true }))) throw new Error('the CLI could not be built');
    const home = mkdtempSync(join(tmpdir(), 'svc-bench-'));
    const server = await startServer();
    const env = {
      PATH: process.env.PATH,
      HOME: home,
      XDG_CONFIG_HOME: home,
      // Where the compile cache lives; a fresh one is filled by the warm-up rounds.
      TMPDIR: home,
      NO_COLOR: '1',
      SVC_BASE_URL: server.url,
      SVC_API_KEY: 'osapi_bench',
    };
    const svc = join(root, 'packages', 'cli', 'bin', 'run.js');
    try {
      const rows = await interleave(
        21,
        {
          'node -e 0': () => spawnTime(['-e', '0'], env, (text) => text === ''),
          'svc --version': () => spawnTime([svc, '--version'], env, (text) => /^@svc\/cli\/\d+\.\d+\.\d+ /.test(text)),
          'svc status --json': () => spawnTime([svc, 'status', '--json'], env, isStatus),
        },
        3,
      );
      return [{ title: 'from spawn to exit', unit: 'ms', floor: 'node -e 0', rows }];
    } finally {
      server.close();
      rmSync(home, { recursive: true, force: true });
    }
  },
};

function isStatus(text: string): boolean {
  const value: Partial<AccountStatusResponse> = JSON.parse(text);
  return value.ready === true;
}

/** @throws Error when it does not exit 0 with the right output: a fast failure must not look like a fast start */
function spawnTime(
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  isRight: (stdout: string) => boolean,
): Promise<number> {
  return new Promise((resolve, reject) => {
    const started = process.hrtime.bigint();
    const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
    let ended = started;
    let [stdout, stderr] = ['', ''];
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text;
    });
    child.on('error', reject);
    child.on('exit', () => {
      ended = process.hrtime.bigint();
    });
    child.on('close', (code) => {
      if (code === 0 && isRight(stdout)) resolve(Number(ended - started) / 1e6);
      else reject(new Error(`${args.join(' ')} exited with ${code}:\n${stdout}${stderr}`));
    });
  });
}

async function startServer(): Promise<{ url: string; close(): void }> {
  const server = createServer((request, response) => {
    const answer = answers[new URL(request.url ?? '/', 'http://localhost').pathname];
    response.writeHead(answer === undefined ? 404 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(answer ?? { statusCode: 404, message: 'Not Found', error: 'Not Found' }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return {
    url: `http://127.0.0.1:${address.port}`,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

const connection = { crm: 'HUBSPOT', organizationId: '24001', organizationDomain: 'example.com' };

const status: AccountStatusResponse = {
  ready: true,
  checkedAt: '2026-01-15T12:00:00.000Z',
  connections: [
    {
      connectionId: 1,
      crm: 'HUBSPOT',
      ready: true,
      crmConnection: { status: 'ready', ...connection },
      sources: { status: 'ready', count: 2, platforms: ['instantly', 'smartlead'] },
      destinations: { status: 'ready', count: 1, eventTypes: ['EMAIL_REPLY'], forwardingCount: 1, replyRelayCount: 0 },
      blocklists: { status: 'disabled', enabledCount: 0, lastError: null, lastFetchedAt: null },
    },
  ],
  blockers: [],
  warnings: [],
};

const link = { href: 'http://127.0.0.1/', description: 'somewhere' };

const me: MeResponse = {
  account: { id: 1, email: 'owner@example.com' },
  apiKey: { name: 'bench', scopes: ['read'], connectionScope: 'account', connectionId: null },
  connections: [{ id: 1, ...connection }],
  links: {
    accountStatus: link,
    accountMetrics: link,
    connections: link,
    destinations: link,
    requests: link,
    destinationsReplyRelays: link,
    sources: link,
    contactsOutreach: link,
    syncs: link,
    documentation: link,
    openapi: link,
  },
};

const answers: Readonly<Record<string, unknown>> = { '/api/v1/account/status': status, '/api/v1/me': me };
