/** Runs the samples of docs/testing-with-the-mock.md: the pytest fixture, and the GitHub Actions job with it. */
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { root, run, type RunResult } from '../../../scripts/processes.ts';
import { blocksOf } from '../../../scripts/readme-blocks.ts';
import { leaveOut } from '../../../scripts/vitest/lacking.ts';

const SAMPLES = join(root, 'docs/samples');
const DOCUMENT = readFileSync(join(root, 'docs/testing-with-the-mock.md'), 'utf8');
const VERSION = JSON.parse(readFileSync(join(root, 'packages/mock/package.json'), 'utf8')).version as string;
const MAIN = join(root, 'packages/mock/src/main.ts');

const hasPytest = (await run('python3', ['-m', 'pytest', '--version'])).code === 0;
if (!hasPytest) {
  leaveOut({
    what: 'pytest',
    untested: 'the pytest fixture of docs/samples',
    remedy: 'apt-get install python3-pytest',
  });
}

let folder: string;
/** Holds the process ids of all mocks that were started. */
const pids = () =>
  existsSync(join(folder, 'pids')) ? readFileSync(join(folder, 'pids'), 'utf8').trim().split('\n') : [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-mock-ci-'));
  mkdirSync(join(folder, 'bin'));
  writeProgram('svc-mock', `echo $$ >>'${folder}/pids'\nexec '${process.execPath}' '${MAIN}' "$@"`);
  for (const name of ['conftest.py', 'blocklists.py', 'test_blocklists.py']) {
    copyFileSync(join(SAMPLES, name), join(folder, name));
  }
});
afterEach(() => {
  for (const pid of pids()) if (isRunning(pid)) process.kill(Number(pid));
  rmSync(folder, { recursive: true });
});

function writeProgram(name: string, text: string): void {
  writeFileSync(join(folder, 'bin', name), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
}

function isRunning(pid: string): boolean {
  try {
    return process.kill(Number(pid), 0);
  } catch {
    return false;
  }
}

function shell(script: string, env: Readonly<Record<string, string>> = {}): Promise<RunResult> {
  // npm puts the svc-mock of this checkout on the PATH.
  const others = (process.env.PATH ?? '').split(':').filter((it) => !it.endsWith('node_modules/.bin'));
  const path = [join(folder, 'bin'), ...others].join(':');
  return run('bash', ['-e', '-c', script], { cwd: folder, env: { PATH: path, PYTHONDONTWRITEBYTECODE: '1', ...env } });
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

describe.skipIf(!hasPytest)('pytest', () => {
  test('starts one mock, gives each test a world, and stops the mock', async () => {
    const { code, output } = await shell('python3 -m pytest -v');
    expect([code, output]).toEqual([0, expect.stringContaining('4 passed')]);
    expect(pids()).toHaveLength(1);
    expect(pids().filter(isRunning)).toEqual([]);
  });

  test('a failed verification shows the message of the mock', async () => {
    const body = 'def test_it(svc):\n    svc.control("POST", "/verify", {"operation": "getMe", "times": 1})\n';
    writeFileSync(join(folder, 'test_other.py'), body);
    const { code, output } = await shell('python3 -m pytest test_other.py');
    expect([code, output]).toEqual([1, expect.stringContaining('Expected exactly 1 call(s) of operation')]);
  });

  test('says why svc-mock did not start', async () => {
    writeProgram('svc-mock', "echo 'svc-mock needs Node 22.19 or newer; this is 20.20.2.' >&2\nexit 1");
    const { code, output } = await shell('python3 -m pytest');
    const why = 'did not start: svc-mock needs Node 22.19 or newer; this is 20.20.2.';
    expect([code, output]).toEqual([1, expect.stringContaining(why)]);
    expect(output).not.toContain('Traceback');
  });

  test('says so when svc-mock is not installed', async () => {
    rmSync(join(folder, 'bin/svc-mock'));
    const { code, output } = await shell('python3 -m pytest');
    expect([code, output]).toEqual([1, expect.stringContaining('svc-mock is not on the PATH: npm install')]);
    expect(output).not.toContain('FileNotFoundError');
  });

  test('says so when no mock answers at SVC_MOCK_URL, and accepts a slash at its end', async () => {
    // No test listens on a port this low, while a free one may be taken meanwhile.
    const url = 'http://127.0.0.1:1';
    const without = await shell('python3 -m pytest', { SVC_MOCK_URL: url });
    expect([without.code, without.output]).toEqual([1, expect.stringContaining(`No mock answers at ${url}: `)]);
    const script = `svc-mock --port 0 >mock.log & until grep -q ready mock.log; do kill -0 $!; done
      SVC_MOCK_URL=$(awk '{ print $NF "/" }' mock.log) python3 -m pytest; kill $!`;
    const { code, output } = await shell(script);
    expect([code, output]).toEqual([0, expect.stringContaining('4 passed')]);
  });

  test('the example in the document is part of the sample', () => {
    const [block = ''] = blocksOf(DOCUMENT, 'python');
    const lines = block.trim().split('\n');
    const sample = readFileSync(join(SAMPLES, 'test_blocklists.py'), 'utf8').split('\n');
    expect(lines.filter((line) => !sample.includes(line))).toEqual([]);
  });
});

describe('GitHub Actions', () => {
  interface Step {
    readonly uses?: string;
    readonly run?: string;
    readonly if?: string;
    readonly env?: Readonly<Record<string, string>>;
  }
  const workflow: {
    readonly permissions: object;
    readonly jobs: { readonly test: { readonly steps: readonly Step[] } };
  } = parse(readFileSync(join(SAMPLES, 'mock-tests.yml'), 'utf8'));
  const { steps } = workflow.jobs.test;

  test('reads only, and pins its actions', () => {
    expect(workflow.permissions).toEqual({ contents: 'read' });
    for (const { uses } of steps) if (uses !== undefined) expect(uses).toMatch(/^actions\/[a-z-]+@[0-9a-f]{40}$/);
  });

  test.skipIf(!hasPytest)('every step succeeds; the tests use the mock that the job has started', async () => {
    const program = join(folder, 'bin/svc-mock');
    await run('mv', [program, `${program}.hidden`]);
    // Only the install of the tarball that `npm run release` writes for this version makes svc-mock available.
    writeProgram(
      'npm',
      `[ "$*" = 'install --global ./svc-mock-${VERSION}.tgz' ] && mv '${program}.hidden' '${program}'`,
    );
    const port = await freePort();
    const withPort = (text: string) => text.replaceAll('4010', String(port));
    const commands = steps.filter((step) => step.run !== undefined);
    expect(commands.map((step) => step.if)).toEqual([undefined, undefined, undefined, '${{ failure() }}']);
    for (const step of commands) {
      const env = Object.entries(step.env ?? {}).map(([name, value]) => [name, withPort(value)]);
      const { code, output } = await shell(withPort(step.run ?? ''), Object.fromEntries(env));
      expect([step.run, code, code === 0 ? '' : output]).toEqual([step.run, 0, '']);
    }
    expect(pids().filter(isRunning)).toHaveLength(1);
    const worlds = await fetch(`http://127.0.0.1:${port}/__svc/worlds`).then((response) => response.json());
    expect(JSON.stringify(worlds)).toContain('default');
    expect(readFileSync(join(folder, 'mock.log'), 'utf8')).toContain('svc-mock is ready');
    expect(readFileSync(join(folder, 'mock.log'), 'utf8')).toMatch(
      /^POST \/api\/v1\/blocklists\/1\/resync 200 resyncBlocklist, world (?!default)/m,
    );
  });
});

describe('the shell lines of the README', () => {
  const README = readFileSync(join(root, 'packages/mock/README.md'), 'utf8');
  const [lines = ''] = blocksOf(README, 'sh').filter((block) => block.includes('svc-mock wait'));

  test('wait until the mock answers', async () => {
    const script = lines.replaceAll('4010', String(await freePort()));
    const port = /127\.0\.0\.1:(\d+)/.exec(script)?.[1];
    const started = script.replace('svc-mock ', `svc-mock --port ${port} `);
    const { code, stdout } = await shell(`${started}\necho begins; kill $!`);
    expect([code, stdout]).toEqual([0, `http://127.0.0.1:${port}/health/ready answers.\nbegins\n`]);
  });

  test('end with the reason when it does not start', async () => {
    const script = lines
      .replaceAll('4010', String(await freePort()))
      .replace('--verbose', '--verbos')
      // The shell waits for the end of the failed start, so that its reason is in mock.log however slow the machine is.
      .replace('svc-mock wait ', 'wait $! || true\nsvc-mock wait --timeout 300ms ');
    const { code, output } = await shell(script);
    expect([code, output]).toEqual([1, expect.stringContaining("unknown option '--verbos'")]);
  });
});
