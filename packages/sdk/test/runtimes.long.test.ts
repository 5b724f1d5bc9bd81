/** The tarball with runtimes outside the workspace: Node 22, Bun, Deno, Workers, and TypeScript 5. */
import { join } from 'node:path';
import { build } from 'tsdown';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findPackages } from '../../../scripts/fetched-packages.ts';
import { folderOf, type Runtime } from '../../../scripts/runtimes.ts';
import { run } from '../../../scripts/processes.ts';
import { type Installation, installPacked } from './packed/install.ts';
import { type Service, startService } from './packed/service.ts';
import { compileConsumer } from './packed/types.ts';

const isLong = process.env.SVC_TEST_LONG === '1';

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
   * Node or TypeScript is a failure.
   */
  function testWith(name: Runtime, prove: (folder: string) => Promise<void>): void {
    test(`in ${name}`, async (context) => {
      const folder = findPackages(folderOf(name));
      if (folder !== null) {
        await prove(folder);
        return;
      }
      const notice = `${name} was not fetched: the SDK is NOT tested with it in this run.`;
      if (process.env.CI === 'true' && (name === 'node' || name === 'typescript')) throw new Error(notice);
      process.stderr.write(`\n${'!'.repeat(100)}\n${notice}\n${'!'.repeat(100)}\n\n`);
      context.skip(notice);
    });
  }

  const program = (folder: string, name: string) => join(folder, 'node_modules', '.bin', name);
  async function expectProofOf(command: string, args: readonly string[], userAgent: RegExp): Promise<void> {
    const all = [...args, 'main.js', service.url, service.apiKey];
    const { code, stdout, output } = await run(command, all, { cwd: installation.folder });
    expect([code, output]).toEqual([0, stdout]);
    service.expectProof(JSON.parse(stdout), userAgent);
  }

  testWith('node', (folder) => expectProofOf(program(folder, 'node'), [], /^svc-sdk\/[\d.]+ Node\.js\/22$/));

  testWith('bun', (folder) => expectProofOf(program(folder, 'bun'), ['--no-install'], /^svc-sdk\/[\d.]+ Bun\/1\./));

  // Deno may only reach the service and read the files of the program; not even the environment.
  testWith('deno', (folder) => {
    const rights = [`--allow-net=${new URL(service.url).host}`, '--allow-read=.', '--no-prompt'];
    const offline = ['--no-remote', '--cached-only', '--node-modules-dir=manual', '--no-lock', '--quiet'];
    return expectProofOf(program(folder, 'deno'), ['run', ...rights, ...offline], /^svc-sdk\/[\d.]+ Deno\/2\./);
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
});
