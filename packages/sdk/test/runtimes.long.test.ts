/** The tarball with runtimes outside the workspace: Node 22, Bun, Deno, Workers, TypeScript 5, and in an application of Next.js. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { PassThrough, type Readable } from 'node:stream';
import { build } from 'tsdown';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findPackages } from '../../../scripts/fetched-packages.ts';
import { blocksOf } from '../../../scripts/readme-blocks.ts';
import { folderOf, type Runtime } from '../../../scripts/runtimes.ts';
import { run } from '../../../scripts/processes.ts';
import { leaveOut } from '../../../scripts/vitest/lacking.ts';
import { REQUIRED, requireAll } from './packed/commonjs.ts';
import { type Installation, installPacked } from './packed/install.ts';
import { type Service, startService } from './packed/service.ts';
import { compileConsumer } from './packed/types.ts';
import { createWebhookHeaders } from '../src/webhooks/index.ts';
import { eventBody } from './webhook-vectors.ts';

const isLong = process.env.SVC_TEST_LONG === '1';
/** The recipes of the README: the first line of a block names its file. */
const recipes = blocksOf(readFileSync(new URL('../README.md', import.meta.url), 'utf8'), 'ts');
const routes = recipes.filter((block) => block.startsWith('// app/'));
const REQUIRED_IN_CI: ReadonlySet<Runtime> = new Set(['node', 'typescript', 'next']);

describe.skipIf(!isLong)('runtimes', { timeout: 10 * 60_000 }, () => {
  let installation: Installation;
  let service: Service;

  beforeAll(async () => {
    [installation, service] = await Promise.all([installPacked(), startService()]);
  }, 180_000);
  afterAll(async () => {
    installation.remove();
    await service.close();
  });

  /**
   * Adds a test with a program that `npm run test:long` has fetched. A missing program skips the test with a notice; in CI a missing
   * Node, TypeScript or Next.js is a failure.
   */
  function testWith(name: Runtime, prove: (folder: string) => Promise<void>): void {
    test(`in ${name}`, async (context) => {
      const folder = findPackages(folderOf(name));
      if (folder !== null) {
        await prove(folder);
        return;
      }
      const lacking = {
        what: name,
        untested: `the SDK in ${name}`,
        remedy: 'run npm run test:long with a package registry',
      };
      leaveOut(lacking, { mayLackInCi: !REQUIRED_IN_CI.has(name) });
      context.skip();
    });
  }

  const program = (folder: string, name: string) => join(folder, 'node_modules', '.bin', name);
  async function expectProofOf(command: string, args: readonly string[], userAgent: RegExp): Promise<void> {
    const all = [...args, 'main.js', service.url, service.apiKey];
    const { code, stdout, output } = await run(command, all, { cwd: installation.folder });
    expect([code, output]).toEqual([0, stdout]);
    service.expectProof(JSON.parse(stdout), userAgent);
  }

  testWith('node', async (folder) => {
    const node = program(folder, 'node');
    await expectProofOf(node, [], /^svc-sdk\/[\d.]+ Node\.js\/22$/);
    expect(await requireAll(node, installation, service)).toEqual(REQUIRED);
  });

  /** Starts a server with the recipe that uses `api`, and asserts that it takes deliveries and calls the service. */
  async function expectRecipeWorks(api: string, command: string, args: readonly string[]): Promise<void> {
    writeFileSync(join(installation.folder, 'server.ts'), recipes.find((block) => block.includes(api)) ?? '');
    await expectServes(command, [...args, 'server.ts'], installation.folder, /Listening on/);
  }

  /** Starts a server that reads its secret, address and key from the environment; ends it afterwards. */
  async function expectServes(
    command: string,
    args: readonly string[],
    cwd: string,
    ready: RegExp,
    env: Record<string, string> = {},
  ): Promise<void> {
    const secret = 'oswhsec_recipe';
    const own = { PORT: '0', SVC_WEBHOOK_SECRET: secret, SVC_BASE_URL: service.url, SVC_API_KEY: service.apiKey };
    const child = spawn(command, args, {
      cwd,
      env: { ...process.env, NO_COLOR: '1', ...env, ...own },
      // Deno says on stderr where it listens.
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const ended = once(child, 'exit');
    try {
      const url = await findUrl(child.stdout, child.stderr, ready);
      const body = eventBody({ summary: 'Jürgen 🚀' });
      const headers = await createWebhookHeaders({ payload: body, secret });
      const post = async (payload: string) => {
        const response = await fetch(`${url}/hooks`, { method: 'POST', headers, body: payload });
        return `${response.status} ${await response.text()}`;
      };
      expect([await post(body), await post(body), await post('{}')]).toEqual([
        '200 ok',
        '200 duplicate',
        '400 no_match',
      ]);
      const contact = await fetch(`${url}/contacts/kim%40example.org`);
      expect([contact.status, await contact.json()]).toEqual([200, expect.objectContaining({ value: false })]);
    } finally {
      child.kill();
      await ended;
    }
  }

  testWith('bun', async (folder) => {
    const bun = program(folder, 'bun');
    await expectProofOf(bun, ['--no-install'], /^svc-sdk\/[\d.]+ Bun\/1\./);
    await expectRecipeWorks('Bun.serve', bun, ['--no-install']);
  });

  // Deno may only reach the service and read the files of the program; not even the environment.
  testWith('deno', async (folder) => {
    const deno = program(folder, 'deno');
    const rights = [`--allow-net=${new URL(service.url).host}`, '--allow-read=.', '--no-prompt'];
    const offline = ['--no-remote', '--cached-only', '--node-modules-dir=manual', '--no-lock', '--quiet'];
    await expectProofOf(deno, ['run', ...rights, ...offline], /^svc-sdk\/[\d.]+ Deno\/2\./);
    // `--quiet` would hide where the server listens.
    const loud = offline.filter((flag) => flag !== '--quiet');
    const more = ['--allow-net=127.0.0.1', '--allow-env', '--allow-read=.', '--no-prompt'];
    await expectRecipeWorks('Deno.serve', deno, ['run', ...more, ...loud]);
  });

  // Workers are uploaded as a bundle.
  testWith('miniflare', async (folder) => {
    await build({
      config: false,
      cwd: installation.folder,
      entry: { worker: join(installation.folder, 'worker.js') },
      outDir: join(installation.folder, 'bundle'),
      platform: 'neutral',
      inputOptions: { resolve: { conditionNames: ['workerd', 'worker', 'browser', 'import'] } },
      deps: { alwaysBundle: [/^(?!node:)/], onlyBundle: false },
      dts: false,
      logLevel: 'error',
      outExtensions: () => ({ js: '.js' }),
    });
    const script = `
      import { createRequire } from 'node:module';
      import { readdirSync } from 'node:fs';
      const { Miniflare } = createRequire(${JSON.stringify(join(folder, 'x.js'))})('miniflare');
      const files = readdirSync('bundle').filter((name) => name.endsWith('.js'));
      files.sort((a, b) => Number(b === 'worker.js') - Number(a === 'worker.js'));
      const modules = files.map((name) => ({ type: 'ESModule', path: 'bundle/' + name }));
      const miniflare = new Miniflare({ modules, modulesRoot: 'bundle', compatibilityDate: '2026-06-01', cf: false });
      const query = new URLSearchParams(process.argv.slice(1).map((value) => ['of', value]));
      const response = await miniflare.dispatchFetch('http://worker.example/?' + query);
      console.log(await response.text());
      await miniflare.dispose();
    `;
    const args = ['--input-type=module', '-e', script, '--', service.url, service.apiKey];
    const { code, stdout, stderr } = await run(process.execPath, args, { cwd: installation.folder });
    expect([code, stderr]).toEqual([0, '']);
    service.expectProof(JSON.parse(stdout), /^svc-sdk\/[\d.]+ Cloudflare-Workers$/);
  });

  testWith('typescript', async (folder) => {
    expect(await compileConsumer(program(folder, 'tsc'), installation.folder)).toBe('');
  });

  testWith('next', async (folder) => {
    // Inside the folder, so that Next.js finds its packages and their lockfile.
    const app = mkdtempSync(join(folder, 'app-'));
    try {
      cpSync(join(installation.folder, 'node_modules'), join(app, 'node_modules'), { recursive: true });
      writeFileSync(join(app, 'package.json'), '{ "private": true }');
      for (const route of routes) {
        const file = join(app, /^\/\/ (app\/\S+)/.exec(route)?.[1] ?? '');
        mkdirSync(dirname(file), { recursive: true });
        writeFileSync(file, route);
      }
      const next = join(folder, 'node_modules', 'next', 'dist', 'bin', 'next');
      const buildEnv = { NEXT_TELEMETRY_DISABLED: '1', SVC_WEBHOOK_SECRET: '', SVC_BASE_URL: '', SVC_API_KEY: '' };
      const built = await run(process.execPath, [next, 'build'], { cwd: app, env: buildEnv });
      expect([built.code, built.code === 0 ? '' : built.output]).toEqual([0, '']);

      const args = [next, 'start', '--hostname', '127.0.0.1', '--port', '0'];
      await expectServes(process.execPath, args, app, /Ready/, { NEXT_TELEMETRY_DISABLED: '1' });
    } finally {
      rmSync(app, { recursive: true, force: true });
    }
  });
});

/** Returns the address that a server has printed, as soon as it has also printed that it is ready. */
async function findUrl(stdout: Readable, stderr: Readable, ready: RegExp): Promise<string> {
  const lines = new PassThrough();
  stdout.pipe(lines);
  stderr.pipe(lines);
  let printed = '';
  for await (const line of createInterface({ input: lines })) {
    printed += `${line}\n`;
    const url = /http:\/\/127\.0\.0\.1:\d+/.exec(printed)?.[0];
    if (url !== undefined && ready.test(printed)) return url;
  }
  throw new Error(`The server ended without an address:\n${printed}`);
}
