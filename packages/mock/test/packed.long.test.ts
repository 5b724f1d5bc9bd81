/** The packed tarball, installed alone, offline and without msw. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { build } from '../../../scripts/build.ts';
import { root, run, tool } from '../../../scripts/processes.ts';

const BYTES_MAX = 5_000_000;
let folder: string;
const processes: ChildProcess[] = [];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'svc mock packed '));
  expect(await build({ packages: ['mock'], quiet: true })).toBe(true);
  const packed = await run(tool('pnpm'), ['pack', '--pack-destination', folder], {
    cwd: join(root, 'packages', 'mock'),
  });
  expect([packed.code, packed.output]).toMatchObject([0, expect.any(String)]);
  const tarball = readdirSync(folder).find((name) => name.endsWith('.tgz')) ?? '';
  writeFileSync(join(folder, 'package.json'), '{ "type": "module", "private": true }');
  // Nothing listens there, so any download fails.
  const nowhere = ['--offline', '--registry', 'http://127.0.0.1:9/', '--cache', join(folder, 'cache')];
  const options = ['--ignore-scripts', '--no-audit', '--no-fund', ...nowhere];
  const installed = await run('npm', ['install', ...options, `./${tarball}`], { cwd: folder });
  expect([installed.code, installed.code === 0 ? '' : installed.output]).toEqual([0, '']);
}, 180_000);

afterAll(() => {
  for (const child of processes) child.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

test('one package, under 5 MB', () => {
  const modules = join(folder, 'node_modules');
  expect(readdirSync(modules).filter((name) => !name.startsWith('.'))).toEqual(['@svc']);
  expect(readdirSync(join(modules, '@svc'))).toEqual(['mock']);
  const files = readdirSync(modules, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const bytes = files.reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0);
  expect(bytes).toBeGreaterThan(1_000_000);
  expect(bytes).toBeLessThan(BYTES_MAX);
});

/** Returns the bundled files that a file loads, itself included, and the imports that leave the package. */
function importsOf(name: string, seen = new Set<string>()): { files: Set<string>; others: string[] } {
  seen.add(name);
  const text = readFileSync(join(folder, 'node_modules', '@svc', 'mock', 'dist', name), 'utf8');
  const specifiers = [...text.matchAll(/^(?:import|export)\b[^;'"]*?(?:from\s*)?["']([^"']+)["'];/gm)].map(
    (match) => match[1] ?? '',
  );
  const others = specifiers.filter((specifier) => !specifier.startsWith('./'));
  for (const specifier of specifiers) {
    const file = specifier.slice(2);
    if (specifier.startsWith('./') && !seen.has(file)) others.push(...importsOf(file, seen).others);
  }
  return { files: seen, others };
}

test('browser.js imports nothing from Node, svc-mock bundles no collections, and nothing imports msw', () => {
  expect(importsOf('browser.js').others).toEqual([]);
  const main = importsOf('main.js');
  expect(main.others.length).toBeGreaterThan(3);
  expect(main.others.filter((name) => !name.startsWith('node:'))).toEqual([]);
  const library = importsOf('index.js');
  expect(library.others.filter((name) => !name.startsWith('node:'))).toEqual([]);
  const holdsCollections = (name: string) =>
    readFileSync(join(folder, 'node_modules', '@svc', 'mock', 'dist', name), 'utf8').includes('Collection = class');
  expect([...library.files].filter(holdsCollections)).toHaveLength(1);
  expect([...main.files].filter(holdsCollections)).toEqual([]);
});

test('svc-mock serves the demo world and ends on SIGTERM', async () => {
  const program = join(folder, 'node_modules', '.bin', 'svc-mock');
  const child = spawn(process.execPath, [program, '--port', '0', '--scenario', 'not-ready'], { cwd: folder });
  processes.push(child);
  const exited = once(child, 'exit');
  const [line] = await once(createInterface({ input: child.stdout }), 'line');
  const url = /^svc-mock is ready on (http:\/\/127\.0\.0\.1:\d+)$/.exec(String(line))?.[1];
  const headers = { Authorization: 'Bearer osapi_demo_read' };
  const response = await fetch(`${url}/api/v1/account/status`, { headers });
  expect([response.status, await response.json()]).toMatchObject([200, { ready: false }]);
  expect((await fetch(`${url}/__svc/openapi.json`)).status).toBe(200);
  child.kill('SIGTERM');
  expect(await exited).toEqual([0, null]);
}, 600_000);

test.each([
  ['Node', '@svc/mock'],
  ['browsers', './node_modules/@svc/mock/dist/browser.js'],
])(
  'the library for %s works without msw',
  async (_name, specifier) => {
    const script = `
    import { createMock } from '${specifier}';
    const mock = createMock({ now: '2026-03-31T12:00:00Z' });
    const sync = await mock.db.syncs.create({ status: 'error' });
    const headers = { Authorization: 'Bearer ' + mock.keys.osapi_demo_read };
    const response = await mock.fetch('/api/v1/syncs/' + sync.id, { headers });
    console.log(response.status, (await response.json()).status, mock.handlers('https://api.example.com').length);
  `;
    const args = ['--input-type=module', '-e', script];
    const { code, output } = await run(process.execPath, args, { cwd: folder });
    expect([output.trim(), code]).toEqual(['200 error 1', 0]);
  },
  60_000,
);
