/** The tarball as a user installs it, with the runtimes of the workspace: this Node, chromium and TypeScript 7. */
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { run, tool } from '../../../scripts/processes.ts';
import { startChromium } from '../../../scripts/vitest/chromium.ts';
import { type Installation, installPacked } from './packed/install.ts';
import { type Service, startService } from './packed/service.ts';
import { REQUIRED, requireAll } from './packed/commonjs.ts';
import { compileConsumer } from './packed/types.ts';

const TIMEOUT_MS = 180_000;
let installation: Installation;
let service: Service;

beforeAll(async () => {
  [installation, service] = await Promise.all([installPacked(), startService()]);
}, TIMEOUT_MS);
afterAll(async () => {
  installation.remove();
  await service.close();
});

test('Node', { timeout: TIMEOUT_MS }, async () => {
  const args = ['main.js', service.url, service.apiKey];
  const { code, stdout, output } = await run(process.execPath, args, { cwd: installation.folder });
  expect([code, output]).toEqual([0, stdout]);
  service.expectProof(JSON.parse(stdout), /^svc-sdk\/\d+\.\d+\.\d+ Node\.js\/24$/);
});

test('CommonJS: require loads every entry, without a warning', { timeout: TIMEOUT_MS }, async () => {
  expect(await requireAll(process.execPath, installation, service)).toEqual(REQUIRED);
});

test.skipIf(inject('chromium') === null)('chromium', { timeout: TIMEOUT_MS }, async () => {
  const server = createServer(({ url = '' }, response) => {
    const { pathname } = new URL(url, 'http://127.0.0.1');
    response.setHeader('Content-Type', pathname.endsWith('.html') ? 'text/html' : 'text/javascript');
    response.end(pathname === '/favicon.ico' ? '' : readFileSync(join(installation.folder, pathname)));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const browser = await startChromium(inject('chromium') ?? '');
  try {
    const address = server.address();
    const origin = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`;
    const query = new URLSearchParams([service.url, service.apiKey].map((value): [string, string] => ['of', value]));
    const page = await browser.open(`${origin}/page.html?${query}`);
    await expect.poll(() => page.evaluate("'result' in globalThis")).toBe(true);
    service.expectProof(await page.evaluate('globalThis.result'), /^Mozilla/);
    // The browser's line about the one call that is meant to fail.
    expect(page.problems).toEqual([expect.stringContaining('404')]);
  } finally {
    await browser.close();
    server.closeAllConnections();
    server.close();
  }
});

test('docstrings name no file but the README that comes along, and its headings', () => {
  const folder = join(installation.folder, 'node_modules/@svc/sdk');
  const headings = [...readFileSync(join(folder, 'README.md'), 'utf8').matchAll(/^#+ (.*)$/gm)];
  const anchors = headings.map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^a-z ]/g, '')
      .replaceAll(' ', '-'),
  );
  const files = readdirSync(join(folder, 'dist')).filter((name) => name.endsWith('.d.ts'));
  const comments = files.flatMap(
    (name) => readFileSync(join(folder, 'dist', name), 'utf8').match(/\/\*\*[^]*?\*\//g) ?? [],
  );
  const named = comments.join('\n').match(/(?<![/\w])[\w-]+\.(?:md|tsx?|js|yaml)\b(?:#[\w-]+)?/g) ?? [];
  expect(named).toContain('README.md#recipes');
  expect(
    named.filter((name) => !['Next.js', 'README.md', ...anchors.map((anchor) => `README.md#${anchor}`)].includes(name)),
  ).toEqual([]);
  expect(comments.filter((text) => /specification/i.test(text))).toEqual([]);
});

test('AGENTS.md has at most 2 kB, and names only what is exported', async () => {
  const folder = join(installation.folder, 'node_modules/@svc/sdk');
  const text = readFileSync(join(folder, 'AGENTS.md'), 'utf8');
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(2_048);
  const sdk = await import(join(folder, 'dist/index.js'));
  const classes = [...text.matchAll(/`([A-Z]\w+Error)`/g)].map(([, name]) => name);
  expect(classes.length).toBeGreaterThan(3);
  expect(Object.keys(sdk)).toEqual(expect.arrayContaining(classes));
  const client = sdk.createClient({ baseUrl: service.url });
  const methods = [...text.matchAll(/\b(\w+)\.(list|outreach)\b/g)].filter(([, noun]) => noun !== 'client');
  expect(methods.length).toBeGreaterThan(2);
  for (const [call, noun = '', verb = ''] of methods)
    expect([call, typeof client[noun]?.[verb]]).toEqual([call, 'function']);
});

test('TypeScript 7', { timeout: TIMEOUT_MS }, async () => {
  expect(await run(tool('tsc'), ['--version'])).toMatchObject({ stdout: expect.stringMatching(/^Version 7\./) });
  expect(await compileConsumer(tool('tsc'), installation.folder)).toBe('');
});
