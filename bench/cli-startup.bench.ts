import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AccountStatusResponse, MeResponse, Page, Sync } from '@svc/contract/types';
import { build } from '../scripts/build.ts';
import { fetchPackages } from '../scripts/fetched-packages.ts';
import { root } from '../scripts/processes.ts';
import { type Bench, interleave } from './measure.ts';

/** A CLI with many commands that uses the same framework, for comparison. */
const PEER = 'twilio-cli@6.2.4';

/**
 * Start-up time of the published CLI bundle, run directly by the Node binary (`node_modules/.bin/node` is a shell
 * script) against a server that answers at once.
 */
export const bench: Bench = {
  name: 'cli-startup',
  question: 'How much slower than `node -e 0` does `svc` start, and how does it compare with other CLIs?',
  async run() {
    if (!(await build({ packages: ['cli'], quiet: true }))) throw new Error('the CLI could not be built');
    const home = mkdtempSync(join(tmpdir(), 'svc-bench-'));
    const server = await startServer();
    const env = {
      PATH: process.env.PATH,
      HOME: home,
      XDG_CONFIG_HOME: home,
      // Folder of the compile caches; the warm-up rounds fill these caches.
      XDG_CACHE_HOME: home,
      TMPDIR: home,
      NO_COLOR: '1',
      SVC_BASE_URL: server.url,
      SVC_API_KEY: 'osapi_bench',
    };
    const svc = join(root, 'packages', 'cli', 'bin', 'run.js');
    try {
      const node = (args: readonly string[], isRight: (text: string) => boolean) => () =>
        spawnTime(process.execPath, args, env, isRight);
      const rows = await interleave(
        21,
        {
          'node -e 0': node(['-e', '0'], (text) => text === ''),
          'svc --version': node([svc, '--version'], (text) => /^@svc\/cli\/\d+\.\d+\.\d+ /.test(text)),
          svc: node([svc], (text) => text.includes('TOPICS')),
          'svc --help': node([svc, '--help'], (text) => text.includes('TOPICS')),
          'svc help': node([svc, 'help'], (text) => text.includes('TOPICS')),
          'svc syncs list --help': node([svc, 'syncs', 'list', '--help'], (text) => text.includes('GLOBAL FLAGS')),
          'svc status --json': node([svc, 'status', '--json'], isStatus),
          'svc syncs list': node([svc, 'syncs', 'list'], (text) => text.includes('contact-1@example.com')),
          ...peers(await findPeer(), env),
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

type Contenders = Readonly<Record<string, () => Promise<number>>>;

/** Other CLIs that this machine has. */
function peers(oclifBin: string | null, env: NodeJS.ProcessEnv): Contenders {
  const isVersion = (text: string) => /\d+\.\d+\.\d+/.test(text);
  const contenders: Record<string, () => Promise<number>> = {};
  if (spawnSync('gh', ['--version']).status === 0) {
    contenders['gh --version'] = () => spawnTime('gh', ['--version'], env, isVersion);
  } else process.stderr.write('gh is not installed: measured without it.\n');
  if (oclifBin !== null) {
    for (const flag of ['--version', '--help']) {
      contenders[`${PEER} ${flag}`] = () => spawnTime(process.execPath, [oclifBin, flag], env, isVersion);
    }
  }
  return contenders;
}

async function findPeer(): Promise<string | null> {
  const fetched = await fetchPackages(PEER.replace('@', '-'), [PEER]);
  if ('folder' in fetched) return join(fetched.folder, 'node_modules', 'twilio-cli', 'bin', 'run');
  process.stderr.write(`${PEER} cannot be installed: measured without it.\n${fetched.problem}\n`);
  return null;
}

function isStatus(text: string): boolean {
  const value: Partial<AccountStatusResponse> = JSON.parse(text);
  return value.ready === true;
}

/** @throws Error unless it exits with 0 and the right output, because a fast failure must not count as a fast start */
function spawnTime(
  program: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  isRight: (stdout: string) => boolean,
): Promise<number> {
  return new Promise((resolve, reject) => {
    const started = process.hrtime.bigint();
    const child = spawn(program, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
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
      else reject(new Error(`${program} ${args.join(' ')} exited with ${code}:\n${stdout}${stderr}`));
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

const syncs: Page<Sync> = {
  data: Array.from({ length: 50 }, (_unused, index) => ({
    id: 50 - index,
    status: 'success',
    connectionId: 1,
    sourceId: 11,
    eventType: 'EMAIL_SENT',
    toEmail: `contact-${index}@example.com`,
    platform: 'smartlead',
    payloadId: 50 - index,
    error: null,
    createdAt: new Date(Date.UTC(2026, 0, 15) - index * 1_000).toISOString(),
  })),
  hasMore: false,
  nextCursor: null,
};

const answers: Readonly<Record<string, unknown>> = {
  '/api/v1/account/status': status,
  '/api/v1/me': me,
  '/api/v1/syncs': syncs,
};
