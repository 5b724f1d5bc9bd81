/** The tarballs of `npm run release`, installed as the documents say. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { root, run } from './processes.ts';

const PATH = `${dirname(process.execPath)}${delimiter}${process.env['PATH']}`;
let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc release '));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('npm run release makes one tarball per published package; svc and svc-mock need nothing else', async () => {
  const released = await run('npm', ['run', 'release']);
  expect([released.code, released.code === 0 ? '' : released.output]).toEqual([0, '']);
  const tarballs = readdirSync(join(root, 'release'));
  expect(tarballs.map((name) => name.replace(/-\d.*$/, ''))).toEqual(['svc-cli', 'svc-mock', 'svc-sdk', 'svc-server']);

  // The workflows among the samples install tarballs of these names.
  const samples = ['mock-tests.yml', 'svc-nightly.yml'].map((name) =>
    readFileSync(join(root, 'docs/samples', name), 'utf8'),
  );
  const installs = samples.flatMap((text) => [...text.matchAll(/npm install --global (.*)/g)].map(([, what]) => what));
  expect(installs.length).toBe(3);
  expect(tarballs.map((name) => `./${name}`)).toEqual(expect.arrayContaining(installs));

  const files = tarballs.filter((name) => /^svc-(cli|mock)-/.test(name)).map((name) => join(root, 'release', name));
  // Nothing listens there, so any download fails.
  const nowhere = ['--offline', '--registry', 'http://127.0.0.1:9/', '--cache', join(folder, 'cache')];
  const installed = await run('npm', ['install', '--global', '--prefix', folder, ...nowhere, ...files]);
  expect([installed.code, installed.code === 0 ? '' : installed.output]).toEqual([0, '']);
  const bin = join(folder, 'bin');
  expect(readdirSync(bin)).toEqual(['svc', 'svc-mock']);
  const output = async (name: string, ...args: string[]) =>
    (await run(join(bin, name), args, { env: { PATH } })).output;
  expect(await output('svc', '--version')).toMatch(/^@svc\/cli\/\d/);
  expect(await output('svc-mock', '--version')).toMatch(/^\d/);
  expect(await output('svc', 'mock', 'start', '--', '--help')).toContain('--port');
}, 180_000);
