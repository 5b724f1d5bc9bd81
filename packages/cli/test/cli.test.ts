import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { ACCOUNT_STATUS, CONNECTIONS, createSync, createSyncLog, ME, SOURCES } from './support/contract-answers.ts';
import {
  API_KEY,
  type ContractServer,
  type Reaction,
  refusal,
  startContractServer,
} from './support/contract-server.ts';
import { BIN, buildCli, type CliResult, runCli } from './support/run-cli.ts';
import { runInProcess } from './support/run-in-process.ts';

let server: ContractServer;
const syncs = createSyncLog(120, Date.now() - 60_000, 24 * 60 * 60 * 1000);

beforeAll(async () => {
  await buildCli();
  server = await startContractServer({ syncs });
});
afterAll(() => server.close());
beforeEach(() => {
  server.reactions.clear();
  server.requests.length = 0;
});

const svc = (...argv: string[]): Promise<CliResult> => runInProcess(argv, { server });

test('--version prints the same on the fast path as oclif', async () => {
  const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  const fast = await runCli(['--version']);
  // A second argument keeps it off the fast path.
  const slow = await runCli(['--version', '--json']);
  expect(fast.stdout).toBe(slow.stdout);
  expect(fast.stdout).toBe(`@svc/cli/${version} ${process.platform}-${process.arch} node-${process.version}\n`);
  expect([fast.code, fast.stderr]).toEqual([0, '']);
});

test('401 says where the key came from without showing it', async () => {
  const { stderr } = await runInProcess(['whoami'], { server, env: { SVC_API_KEY: 'osapi_wrong' } });
  expect(stderr).toBe(
    `Error: Invalid API key (401)\n  The key comes from SVC_API_KEY and was sent to ${server.url}.\n  Request id: ${/req-\d+/.exec(stderr)?.[0]}\n`,
  );
});

test('temporary failures are retried silently', async () => {
  const faults: (Reaction | null)[] = [refusal(500, 'oops'), 'reset', null];
  server.reactions.set('/api/v1/me', () => {
    const fault = faults.shift();
    return typeof fault === 'function' || fault === undefined ? null : fault;
  });
  const { code, stdout, stderr } = await svc('whoami', '--json');
  expect([code, stderr]).toEqual([0, '']);
  expect(JSON.parse(stdout)).toEqual(ME);
  expect(server.requests).toHaveLength(3);
});

describe('status', () => {
  test('--long prints a table, and explains it', async () => {
    const { stdout, stderr, code } = await svc('status', '--long');
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toBe(
      `Not ready (checked 2026-03-15T12:00:00.000Z)

ID  CRM         ORGANIZATION        READY  CONNECTION    SOURCES         DESTINATIONS    BLOCK LISTS     PLATFORMS
11  HUBSPOT     acme.example        yes    ready         ready (3)       ready (3)       error (2)       instantly, smartlead
12  SALESFORCE  acme-sales.example  yes    ready         ready (1)       not_configured  disabled        salesloft
13  PIPEDRIVE   acme-labs.example   no     disconnected  not_configured  not_configured  not_configured

READY: whether events can be written to the CRM. disabled: switched off for this connection.

Blockers
  crm_disconnected on 13 PIPEDRIVE
    The CRM token of this connection is missing, so nothing can be written.
    Fix: Open https://app.example.com/connections/13 and connect the CRM again as its administrator.
    https://docs.example.com/status#crm-disconnected

Problems
  BLOCK LISTS error (2) on 11 HUBSPOT
    At least one list fails (2 are enabled): its new entries may not reach the sequencer. READY is yes because events are still written to the CRM.
    Last error: The list "Do not contact" is gone
    See: svc blocklists list --connection 11

Warnings
  destinations_not_configured on 12 SALESFORCE
    Destinations are enabled, but there is none.
    Fix: Add a destination, or leave it if events need not be forwarded.
    https://docs.example.com/status#destinations

Not ready: 1 blocker, 1 problem, 1 warning
`,
    );
  });

  test('ready with --exit-code exits with 0', async () => {
    const ready = await startContractServer({
      status: { ...ACCOUNT_STATUS, ready: true, connections: [], blockers: [], warnings: [] },
    });
    const { code, stdout } = await runInProcess(['status', '--exit-code'], { server: ready });
    await ready.close();
    expect([code, stdout]).toEqual([0, 'Ready (checked 2026-03-15T12:00:00.000Z)\n']);
  });

  test('chosen fields keep their nesting', async () => {
    const { stdout } = await svc('status', '--json', '--fields', 'ready,blockers.code,connections.sources.count');
    expect(JSON.parse(stdout)).toEqual({
      ready: false,
      blockers: [{ code: 'crm_disconnected' }],
      connections: [{ sources: { count: 3 } }, { sources: { count: 1 } }, { sources: { count: 0 } }],
    });
    expect((await svc('status', '--fields', 'ready,blockers.code')).stdout).toBe(
      'ready:\tfalse\nblockers.code:\tcrm_disconnected\n',
    );
  });

  test('colours only with FORCE_COLOR, never in JSON', async () => {
    const escape = '\u001b[';
    expect((await svc('status')).stdout).not.toContain(escape);
    const forced = await runInProcess(['status'], { server, env: { FORCE_COLOR: '1' } });
    expect(forced.stdout).toContain('\u001b[31mdisconnected\u001b[39m');
    expect((await runInProcess(['status', '--json'], { server, env: { FORCE_COLOR: '1' } })).stdout).not.toContain(
      escape,
    );
  });

  test('unknown fields and values of newer services pass through', async () => {
    const [first] = ACCOUNT_STATUS.connections;
    const status = {
      ...ACCOUNT_STATUS,
      plan: 'x',
      connections: [{ ...first, crm: 'ZOHO', crmConnection: { ...first?.crmConnection, status: 'paused' } }],
    };
    const newer = await startContractServer({ status });
    expect(JSON.parse((await runInProcess(['status', '--json'], { server: newer })).stdout)).toEqual(status);
    expect((await runInProcess(['status'], { server: newer })).stdout).toContain('paused');
    await newer.close();
  });
});

describe('lists', () => {
  test('connections and sources', async () => {
    expect((await svc('connections', 'list', '--format', 'table')).stdout).toBe(
      `ID  CRM        STATUS        ORGANIZATION       CAPABILITIES                    CREATED
11  HUBSPOT    ready         acme.example       sync, destinations, blocklists  2025-01-02
13  PIPEDRIVE  disconnected  acme-labs.example  sync                            2025-06-02
`,
    );
    expect(JSON.parse((await svc('connections', 'list', '--json')).stdout)).toEqual(CONNECTIONS);
    expect(JSON.parse((await svc('sources', 'list', '--format', 'json')).stdout)).toEqual(SOURCES);
    expect((await svc('sources', 'list', '--format', 'csv', '--fields', 'id,replyRelay.ccEmail')).stdout).toBe(
      'id,replyRelay.ccEmail\n21,rep@acme.example\n22,\n',
    );
  });

  test('syncs list prints the newest rows and a note that more exist', async () => {
    const { stdout, stderr } = await svc('syncs', 'list', '--limit', '2', '--format', 'csv', '--fields', 'id');
    expect(stdout).toBe('id\n120\n119\n');
    expect(stderr).toBe('Showing the newest 2 syncs (last 7 days). More: --limit N, or --all for all time.\n');
    expect(server.requests).toEqual([expect.stringMatching(/^GET \/api\/v1\/syncs\?.*limit=3/)]);
    const json = await svc('syncs', 'list', '--limit', '2', '--json');
    expect(JSON.parse(json.stderr)).toEqual({ note: stderr.trimEnd(), shown: 2, moreExist: true });
  });

  test('syncs list --all, filtered', async () => {
    const { stdout, stderr } = await svc(
      'syncs',
      'list',
      '--all',
      '--status',
      'error',
      '--format',
      'ndjson',
      '--fields',
      'id',
    );
    expect(stdout.trim().split('\n')).toHaveLength(12);
    expect(stderr).toBe('');
  });

  test('no rows: a note for people, an empty list as JSON', async () => {
    const range = ['--from', '2020-01', '--to', '2020-01'];
    expect(await svc('syncs', 'list', ...range)).toMatchObject({
      code: 0,
      stdout: '',
      stderr: 'No syncs from 2020-01-01 to 2020-01-31.\n',
    });
    expect(await svc('syncs', 'list', ...range, '--json')).toMatchObject({ code: 0, stdout: '[]\n', stderr: '' });
    expect((await svc('syncs', 'list', ...range, '--format', 'csv', '--fields', 'id')).stdout).toBe('id\n');
  });

  test('control characters in values are removed', async () => {
    const hostile = createSync(1, {
      toEmail: '\u001b[2J\u001b]0;pwned\u0007x@example.com',
      createdAt: new Date(Date.now() - 1000).toISOString(),
    });
    const bad = await startContractServer({ syncs: [hostile] });
    const { stdout } = await runInProcess(['syncs', 'list'], { server: bad });
    await bad.close();
    expect(stdout).not.toContain('\u001b');
    expect(stdout).toContain('x@example.com');
  });
});

test('syncs get, metrics, whoami, health', async () => {
  expect(JSON.parse((await svc('syncs', 'get', '120', '--json')).stdout)).toEqual(syncs[0]);
  expect((await svc('syncs', 'get', '120', '--fields', 'status,error.code')).stdout).toBe(
    'status:\terror\nerror.code:\tVALIDATION\n',
  );
  expect(JSON.parse((await svc('metrics', 'syncs', '--json')).stdout)).toEqual({ success: 108, warning: 0, error: 12 });
  expect((await svc('metrics', 'syncs')).stdout).toMatch(/Success:\t108\nWarning:\t0\nError:\t12\nTotal:\t120\n$/);
  expect((await svc('whoami')).stdout).toContain('Key:\tCI, from SVC_API_KEY\n');
  const health = await runInProcess(['health'], { server, env: { SVC_API_KEY: '' } });
  expect(health).toMatchObject({ code: 0, stdout: 'platform:\tok\ndatabase:\tok\nqueue:\tok\n' });
});

test('health names the failed checks', async () => {
  server.reactions.set('/health/ready', {
    status: 503,
    body: { status: 'error', checks: { database: 'error', queue: 'ok' } },
  });
  const [plain, json] = await Promise.all([svc('health'), svc('health', '--json')]);
  expect([plain.code, json.code]).toEqual([8, 8]);
  expect(plain.stderr).toBe('Error: The platform is up but not ready: database failed\n');
  expect(JSON.parse(json.stderr).error).toMatchObject({ code: 'not_ready' });
  expect(server.requests).toHaveLength(2);
});

test('health --max-retries retries', async () => {
  let count = 0;
  server.reactions.set('/health/ready', () => {
    count += 1;
    return count === 1 ? refusal(503, 'starting') : null;
  });
  expect(await svc('health', '--max-retries', '1')).toMatchObject({ code: 0, stderr: '' });
  expect(count).toBe(2);
});

describe('login', () => {
  test('checks the key, stores it for its owner only, and makes it the default', async () => {
    const SVC_CONFIG_DIR = mkdtempSync(join(tmpdir(), 'svc login '));
    const env = { SVC_CONFIG_DIR };
    const login = await runCli(['login', '--base-url', server.url], { env, stdin: `\n${API_KEY}\n` });
    expect(login).toMatchObject({
      code: 0,
      stdout: '',
      stderr: `Stored as profile default: owner@acme.example at ${server.url}\n`,
    });
    expect(statSync(join(SVC_CONFIG_DIR, 'profiles.json')).mode & 0o777).toBe(0o600);
    await runCli(['login', '--base-url', server.url, '--profile', 'second'], { env, stdin: API_KEY });

    const whoami = await runCli(['whoami'], { env });
    expect(whoami.stdout).toContain('from profile default');
    expect(whoami.stdout).toContain(server.url);
    expect((await runCli(['whoami', '--profile', 'second'], { env })).stdout).toContain('from profile second');
    expect((await runCli(['whoami'], { env: { ...env, SVC_PROFILE: 'second' } })).stdout).toContain(
      'from profile second',
    );
  });

  test('no command sends a stored key to another address', async () => {
    const SVC_CONFIG_DIR = mkdtempSync(join(tmpdir(), 'svc-login-'));
    const profiles = { default: { apiKey: API_KEY, baseUrl: 'https://prod.example' } };
    writeFileSync(join(SVC_CONFIG_DIR, 'profiles.json'), JSON.stringify({ active: 'default', profiles }));
    const env = { SVC_CONFIG_DIR, SVC_BASE_URL: server.url };
    const commands = [['whoami'], ['api', '/me'], ['webhooks', 'listen', '--forward-to', 'http://x']];
    const runs = commands.map((argv) => runInProcess([...argv, '--json'], { env }));
    for (const { code, stderr } of await Promise.all(runs)) {
      expect(code).toBe(4);
      expect(JSON.parse(stderr).error).toMatchObject({ code: 'key_for_other_address' });
    }
    expect(server.requests).toEqual([]);
    expect((await runInProcess(['doctor'], { env })).stdout).toContain('is for https://prod.example and is not sent');
    expect(server.requests).not.toContain('GET /api/v1/me');
  });

  test.each([
    ['a key that is refused', 'osapi_wrong', 4],
    ['no key', '', 2],
  ])('%s is not stored', async (_name, stdin, code) => {
    const SVC_CONFIG_DIR = mkdtempSync(join(tmpdir(), 'svc-login-'));
    expect((await runInProcess(['login', '--base-url', server.url], { env: { SVC_CONFIG_DIR }, stdin })).code).toBe(
      code,
    );
    expect((await runInProcess(['whoami', '--base-url', server.url], { env: { SVC_CONFIG_DIR } })).code).toBe(4);
  });
});

test.each([
  // Node's recursive mkdir never ends here: each mkdir reports that its parent is missing.
  ['under /proc', '/proc/nope/svc', 2, 'the folder does not exist'],
  ['below a file', '/dev/null/svc', 2, 'part of the path is not a folder'],
])('login fails before sending the key when the folder cannot be created (%s)', async (...given) => {
  const [, SVC_CONFIG_DIR, code, reason] = given;
  expect(
    await runInProcess(['login', '--base-url', server.url], { env: { SVC_CONFIG_DIR }, stdin: API_KEY }),
  ).toMatchObject({
    code,
    stderr: `Error: Cannot write to ${SVC_CONFIG_DIR}/profiles.json: ${reason}\n`,
  });
  expect(server.requests).toEqual([]);
});

test('profile folders are created for their owner only', async () => {
  const SVC_CONFIG_DIR = join(mkdtempSync(join(tmpdir(), 'svc-login-')), 'new', 'svc');
  const login = await runInProcess(['login', '--base-url', server.url], { env: { SVC_CONFIG_DIR }, stdin: API_KEY });
  expect(login.code).toBe(0);
  expect(statSync(SVC_CONFIG_DIR).mode & 0o777).toBe(0o700);
});

test('the error about a broken profile file does not quote it', async () => {
  const SVC_CONFIG_DIR = mkdtempSync(join(tmpdir(), 'svc-broken-'));
  execFileSync('sh', ['-c', 'printf "{ osapi_secret" > "$1/profiles.json"', 'sh', SVC_CONFIG_DIR]);
  const { code, stderr } = await runInProcess(['status'], { env: { SVC_CONFIG_DIR } });
  expect(code).toBe(1);
  expect(stderr).toContain('is not a profile file');
  expect(stderr).not.toContain('osapi_secret');
});

test('every command has --help with at least two examples', async () => {
  const manifest = JSON.parse(readFileSync(new URL('../oclif.manifest.json', import.meta.url), 'utf8'));
  const commands: { id: string; examples: unknown[]; summary: string }[] = Object.values(manifest.commands);
  expect(commands.length).toBeGreaterThan(40);
  for (const { examples, summary } of commands) {
    expect(summary).toBeTruthy();
    expect(examples.length).toBeGreaterThanOrEqual(2);
  }
  expect((await svc('help', 'syncs', 'export')).stdout).toContain(
    '$ svc syncs export --since 7d --format csv --output syncs.csv',
  );
});

test('--help mentions the protection against spreadsheet formulas', async () => {
  for (const command of [
    ['syncs', 'export'],
    ['syncs', 'list'],
    ['sources', 'list'],
  ]) {
    const { stdout } = await svc(...command, '--help');
    expect(stdout.replaceAll(/\s+/g, ' ')).toContain(
      "In CSV, text that begins with = + - @, a tab or a line break gets a leading '",
    );
  }
});

test('bin/run.js says how to build when there is no bundle', () => {
  const copy = mkdtempSync(join(tmpdir(), 'svc-not-built-'));
  execFileSync('sh', [
    '-c',
    'mkdir "$2/bin" && cp "$1" "$2/bin/run.js" && echo "{\\"type\\":\\"module\\"}" > "$2/package.json"',
    'sh',
    BIN,
    copy,
  ]);
  const run = () =>
    execFileSync(process.execPath, [join(copy, 'bin', 'run.js'), 'status'], { stdio: 'pipe', encoding: 'utf8' });
  expect(run).toThrow(/npm run build/);
});
