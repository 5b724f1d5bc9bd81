/** `svc-mock` run from its sources as a process: options, signals, exit codes and loaded modules. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import packageJson from '../package.json' with { type: 'json' };

const MAIN = join(import.meta.dirname, '../src/main.ts');
const READY = /^svc-mock is ready on (http:\/\/\S+)\n/;

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc mock '));
});
afterAll(() => rmSync(folder, { recursive: true }));
const children: ChildProcess[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

interface Started {
  readonly child: ChildProcess;
  readonly output: { stdout: string; stderr: string };
  readonly exit: Promise<number | null>;
}

function run(
  args: readonly string[],
  { env = {}, nodeArgs = [] }: { env?: Record<string, string>; nodeArgs?: string[] } = {},
): Started {
  const child = spawn(process.execPath, [...nodeArgs, MAIN, ...args], {
    env: { PATH: process.env['PATH'] ?? '', NODE_NO_WARNINGS: '1', ...env },
  });
  children.push(child);
  const output = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => (output[name] += text));
  }
  return { child, output, exit: new Promise((resolve) => child.once('close', resolve)) };
}

/** Starts `svc-mock` and waits for the line that says its URL. */
async function start(args: readonly string[], options: Parameters<typeof run>[1] = {}) {
  const started = run(['--port', '0', ...args], options);
  await expect.poll(() => READY.test(started.output.stdout) || started.child.exitCode !== null).toBe(true);
  const url = READY.exec(started.output.stdout)?.[1];
  if (url === undefined) throw new Error(started.output.stderr);
  const json = async (path: string, { headers }: { headers?: Record<string, string> } = {}) => {
    const response = await fetch(url + path, { headers: { authorization: 'Bearer osapi_demo_read', ...headers } });
    return { status: response.status, json: JSON.parse(await response.text()) };
  };
  return { ...started, url, json };
}

describe('started', () => {
  test('without options: serves the demo world, prints its keys to stderr and ends on SIGTERM', async () => {
    const { child, output, url, json, exit } = await start([]);
    expect(output.stdout).toBe(`svc-mock is ready on ${url}\n`);
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    await expect.poll(() => output.stderr).toContain('osapi_demo_write');
    expect(output.stderr).not.toContain('osapi_demo_revoked');
    const me = await json('/api/v1/me');
    expect([me.status, me.json.links.sources.href]).toEqual([200, `${url}/api/v1/sources`]);
    expect((await json('/__svc/clock')).json.mode).toBe('running');
    child.kill('SIGTERM');
    expect(await exit).toBe(0);
  });

  test('--verbose writes each call to stderr, and hints are written without it', async () => {
    const verbose = await start(['--verbose', '--now', '2026-01-15']);
    await verbose.json('/api/v1/me');
    await expect
      .poll(() => verbose.output.stderr)
      .toMatch(/^GET \/api\/v1\/me 200 getMe, world default, key "Dashboard", \d+ ms$/m);
    const plain = await start([]);
    await plain.json('/api/v1/me');
    await plain.json('/api/v1/me', { headers: { authorization: 'Bearer osapi_wrong' } });
    await expect
      .poll(() => plain.output.stderr)
      .toMatch(/^hint: GET \/api\/v1\/me was answered 401: .*osapi_demo_write/m);
    expect(plain.output.stderr).not.toContain(' 200 getMe');
  });

  test('with many options: applies each one, and ends on SIGINT', async () => {
    const file = join(folder, 'world.json');
    const world = JSON.parse(readFileSync(new URL('../../../fixtures/demo-world.json', import.meta.url), 'utf8'));
    world.accounts[0].email = 'own@example.com';
    writeFileSync(file, JSON.stringify(world));
    const args = [
      '--world',
      file,
      '--now',
      '2026-01-15',
      '--scenario',
      'slow',
      '--scenario',
      'empty',
      '--latency',
      '0',
      '--seed',
      '42',
    ];
    const more = [
      '--rate-limit',
      'spec',
      '--receiver',
      'Hooks.example.com=http://localhost:9000',
      '--host',
      'localhost',
    ];
    const { child, json, exit, url } = await start([...args, ...more], { env: { SVC_MOCK_CONTROL_TOKEN: 'secret' } });
    expect(url).toMatch(/^http:\/\/localhost:/);
    expect((await json('/__svc/clock')).status).toBe(401);
    const headers = { 'svc-control-token': 'secret' };
    expect((await json('/__svc/clock', { headers })).json).toEqual({ now: '2026-01-15T00:00:00.000Z', mode: 'frozen' });
    expect((await json('/__svc/settings', { headers })).json).toMatchObject({
      scenarios: ['slow', 'empty'],
      rateLimit: 'spec',
      latencyMs: 1_500,
      receivers: { 'hooks.example.com': 'http://localhost:9000' },
    });
    expect((await json('/api/v1/me')).json.account.email).toBe('own@example.com');
    child.kill('SIGINT');
    expect(await exit).toBe(0);
  });

  test('with custom prefixes: printed keys, accepted keys and headers have them', async () => {
    const { output, url, json } = await start(['--header-prefix', 'Acme', '--key-prefix', 'acme_']);
    await expect.poll(() => output.stderr).toContain('acme_demo_write');
    expect(output.stderr).not.toContain('osapi_');
    const response = await fetch(`${url}/api/v1/me`, { headers: { authorization: 'Bearer acme_demo_read' } });
    expect([response.status, response.headers.has('acme-request-id')]).toEqual([200, true]);
    expect((await json('/api/v1/me')).status).toBe(401);
  });

  test('listening on every address: answers show one that can be called', async () => {
    const { url, json } = await start(['--host', '0.0.0.0']);
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect((await json('/api/v1/me')).json.links.sources.href).toBe(`${url}/api/v1/sources`);
  });

  test('with --base-url: answers show that address', async () => {
    const { url, json } = await start(['--base-url', 'https://api.example.com/svc/']);
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    const { sources } = (await json('/api/v1/sources')).json;
    expect(sources[0].url).toMatch(/^https:\/\/api\.example\.com\/svc\/webhooks\//);
  });

  test('--scenario large: prints the time to the first answer', async () => {
    const startedMs = performance.now();
    const { json } = await start(['--scenario', 'large', '--now', '2026-03-31T12:00:00Z']);
    console.log(`svc-mock --scenario large, from sources: ${Math.round(performance.now() - startedMs)} ms`);
    const { json: counts } = await json('/api/v1/syncs/metrics?from=2026-03-01&to=2026-03-31T12:00:00Z');
    expect(counts.success + counts.warning + counts.error).toBeGreaterThan(100_000);
  });

  /** Requests these paths and returns what the process has loaded: module URLs and Node's built-ins. */
  async function loadedBy(...paths: readonly string[]): Promise<{ modules: string[]; builtins: string[] }> {
    const list = join(folder, 'loaded.json');
    const preload = `import { registerHooks } from 'node:module'; import { writeFileSync } from 'node:fs';
      const modules = []; registerHooks({ load(url, context, next) { modules.push(url); return next(url, context); } });
      process.on('exit', () => writeFileSync(${JSON.stringify(list)}, JSON.stringify({ modules, builtins: process.moduleLoadList })));`;
    const nodeArgs = ['--import', `data:text/javascript,${encodeURIComponent(preload)}`];
    const { child, json, exit } = await start([], { nodeArgs });
    for (const path of paths) expect((await json(path)).status).toBe(200);
    child.kill('SIGTERM');
    await exit;
    return JSON.parse(readFileSync(list, 'utf8'));
  }

  test('loads neither MSW nor a framework nor what only in-process tests use', async () => {
    const { modules } = await loadedBy('/api/v1/me', '/__svc/health');
    expect(modules.filter((url) => url.includes('packages/mock/src/service/')).length).toBeGreaterThan(10);
    expect(modules.some((url) => url.endsWith('/control/handle-control.ts'))).toBe(true);
    expect(
      modules.filter(
        (url) =>
          /node_modules|\/(skins\/msw|mock|db\/(db|query))\.ts$/.test(url) &&
          !/\/(zod|ipaddr\.js|@noble\/hashes|commander|fastest-levenshtein)[/@]/.test(url),
      ),
    ).toEqual([]);
  });

  test('before the first control call, loads neither the control endpoints nor schemas nor fetch', async () => {
    const { modules, builtins } = await loadedBy('/api/v1/me');
    expect(modules.filter((url) => url.includes('packages/mock/src/service/')).length).toBeGreaterThan(10);
    expect(modules.filter((url) => /\/src\/control\/(?!prefix\.ts$)/.test(url))).toEqual([]);
    expect(modules.filter((url) => /\/schemas?(\/|\.ts$)|-schemas\.ts$|\/world\/parse\.ts$/.test(url))).toEqual([]);
    expect(builtins).toContain('NativeModule http');
    expect(builtins.filter((name) => name.includes('undici'))).toEqual([]);
  });
});

describe('wait', () => {
  test('ends with 0 when the service answers, at its address or at a path', async () => {
    const { url } = await start([]);
    const waits = [
      run(['wait', url]),
      run(['wait', `${url}/__svc/health`]),
      run(['wait', '--live', new URL(url).host]),
    ];
    expect(await Promise.all(waits.map(({ exit }) => exit))).toEqual([0, 0, 0]);
    expect(waits.map(({ output }) => output)).toEqual([
      { stdout: `${url}/health/ready answers.\n`, stderr: '' },
      { stdout: `${url}/__svc/health answers.\n`, stderr: '' },
      { stdout: `${url}/health/live answers.\n`, stderr: '' },
    ]);
  });

  test('ends with 1 and the reason when the time is over', async () => {
    const { url } = await start(['--jobs', 'off']);
    const { output, exit } = run(['wait', url, '--timeout', '10s']);
    expect(await exit).toBe(1);
    expect(output.stderr).toMatch(
      /^Waiting for \S+\/health\/ready: (it answers 503, because these checks fail: \w+)\.\nsvc-mock: \S+ did not answer with a success within 10s: \1\.\n$/,
    );
  });

  test('ends with 2 for an invalid option', async () => {
    const { output, exit } = run(['wait', '--timout', '3s']);
    expect(await exit).toBe(2);
    expect(output.stderr).toContain("unknown option '--timout'");
    expect(output.stderr).toContain('(svc-mock wait --help lists the options)');
  });
});

describe('started wrongly', () => {
  test('an unknown option: exit 2, naming the option and --help', async () => {
    const { output, exit } = run(['--prot', '1']);
    expect(await exit).toBe(2);
    expect(output.stdout).toBe('');
    expect(output.stderr).toContain("unknown option '--prot'");
    expect(output.stderr).toContain('svc-mock --help');
    expect(output.stderr).not.toMatch(/\n\s+at /);
  });

  test('a port that is taken: exit 1, saying what to do', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const address = other.address();
    const port = typeof address === 'object' ? address?.port : 0;
    const { output, exit } = run(['--port', String(port)]);
    expect(await exit).toBe(1);
    expect(output.stderr).toBe(
      `svc-mock: Port ${port} is in use: stop the other process, or choose another port with --port (0 chooses a free one).\n`,
    );
    other.close();
  });

  test('an address that this machine does not have: exit 1', async () => {
    const { output, exit } = run(['--port', '0', '--host', '192.0.2.1']);
    expect(await exit).toBe(1);
    expect(output.stderr).toContain('192.0.2.1: see --host');
  });
});

test.each([
  ['record --help', ['help record', 'record help', 'record -h']],
  ['replay --help', ['help replay', 'replay help', 'replay -h']],
  ['wait --help', ['help wait', 'wait help', 'wait -h']],
  ['--version', ['-v', 'version', 'record -v', 'replay version', 'wait -v']],
])('%s in other words', async (line, others) => {
  const first = run(line.split(' '));
  expect([await first.exit, first.output.stdout]).not.toEqual([0, '']);
  for (const other of others) {
    const { output, exit } = run(other.split(' '));
    expect([other, await exit, output]).toEqual([other, 0, first.output]);
  }
});

test('help and version', async () => {
  const [help, version] = [run(['--help']), run(['--version'])];
  expect([await help.exit, await version.exit]).toEqual([0, 0]);
  expect(version.output.stdout).toBe(`${packageJson.version}\n`);
  for (const option of [
    '--port',
    '--scenario',
    '--world',
    '--now',
    '--rate-limit',
    '--receiver',
    '--control-token',
    'flaky',
  ]) {
    expect(help.output.stdout).toContain(option);
  }
});
