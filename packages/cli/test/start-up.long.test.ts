/** The compile cache, without which every command must still work. */
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { BIN, buildCli, type CliResult, collectResult } from './support/run-cli.ts';

let folder: string;
beforeAll(async () => {
  await buildCli();
  folder = mkdtempSync(join(tmpdir(), 'svc cli start '));
}, 120_000);
afterAll(() => rmSync(folder, { recursive: true }));

/** Runs the CLI with only these variables. */
function start(env: Record<string, string>, argv: readonly string[] = ['config', 'path']): Promise<CliResult> {
  return collectResult(spawn(process.execPath, [BIN, ...argv], { env, stdio: 'pipe', timeout: 60_000 }));
}

const works = { code: 0, signal: null, stderr: '' };

test.each([
  ['SVC_CACHE_DIR', { SVC_CACHE_DIR: 'own' }, 'own/compiled'],
  ['XDG_CACHE_HOME', { XDG_CACHE_HOME: 'xdg' }, 'xdg/svc/compiled'],
])('the cache folder follows %s', async (_name, env, expected) => {
  const inFolder = Object.fromEntries(Object.entries(env).map(([name, value]) => [name, join(folder, value)]));
  const first = await start({ HOME: folder, ...inFolder });
  expect(first).toMatchObject(works);
  // Node creates a folder for each version and user.
  const [kept = 'nothing', ...others] = readdirSync(join(folder, expected));
  expect([kept.startsWith(`${process.version}-`), others]).toEqual([true, []]);
  expect(readdirSync(join(folder, expected, kept))).not.toEqual([]);
  expect(await start({ HOME: folder, ...inFolder })).toEqual(first);
});

test.runIf(process.platform === 'linux')(
  'defaults to a folder in the home, not in the shared temporary folder',
  async () => {
    const home = mkdtempSync(join(folder, 'home '));
    const temporary = mkdtempSync(join(folder, 'tmp '));
    expect(await start({ HOME: home, TMPDIR: temporary })).toMatchObject(works);
    expect(readdirSync(join(home, '.cache', 'svc'))).toEqual(['compiled']);
    expect(readdirSync(temporary)).toEqual([]);
  },
);

test("Node's own variables take precedence", async () => {
  const named = join(folder, 'named');
  const home = mkdtempSync(join(folder, 'home '));
  expect(await start({ HOME: home, NODE_COMPILE_CACHE: named })).toMatchObject(works);
  expect(readdirSync(named)).toHaveLength(1);
  expect(existsSync(join(home, '.cache'))).toBe(false);

  const off = join(folder, 'off');
  expect(await start({ HOME: home, SVC_CACHE_DIR: off, NODE_DISABLE_COMPILE_CACHE: '1' })).toMatchObject(works);
  expect(existsSync(off)).toBe(false);
});

describe('works without a cache folder', () => {
  test('when the path is a file', async () => {
    const file = join(folder, 'file');
    writeFileSync(file, '');
    expect(await start({ HOME: folder, SVC_CACHE_DIR: file })).toMatchObject(works);
    expect(await start({ HOME: folder, SVC_CACHE_DIR: join(file, 'below') })).toMatchObject(works);
  });

  test('without a home', async () => {
    const SVC_CONFIG_DIR = folder;
    expect(await start({ HOME: '/dev/null', SVC_CONFIG_DIR })).toMatchObject(works);
    expect(await start({ HOME: '', XDG_CACHE_HOME: join(folder, 'xdg'), SVC_CONFIG_DIR })).toMatchObject(works);
  });

  test.runIf(process.platform === 'linux')('when the folder cannot be created', async () => {
    // Node's recursive mkdir never ends there.
    expect(await start({ HOME: '/proc/nobody', SVC_CONFIG_DIR: folder })).toMatchObject(works);
  });
});

test('--version writes no cache', async () => {
  const home = mkdtempSync(join(folder, 'home '));
  const { code, stdout } = await start({ HOME: home }, ['--version']);
  expect([code, stdout]).toEqual([0, expect.stringMatching(/^@svc\/cli\/\d+\.\d+\.\d+ \S+ node-v[\d.]+\n$/)]);
  expect(readdirSync(home)).toEqual([]);
});

test("plugins in oclif's folder are not run", async () => {
  const data = mkdtempSync(join(folder, 'data '));
  const plugin = join(data, 'plugin');
  for (const made of [join(data, 'svc'), join(plugin, 'commands')]) mkdirSync(made, { recursive: true });
  const writeJson = (file: string, value: object) => writeFileSync(join(data, file), JSON.stringify(value));
  writeJson('svc/package.json', { oclif: { plugins: [{ type: 'link', name: 'planted', root: plugin }] } });
  writeJson('plugin/package.json', { name: 'planted', version: '1.0.0', oclif: { commands: './commands' } });
  const command = { id: 'planted', aliases: [], args: {}, flags: {} };
  writeJson('plugin/oclif.manifest.json', { version: '1.0.0', commands: { planted: command } });
  writeFileSync(
    join(plugin, 'commands', 'planted.js'),
    `require('node:fs').mkdirSync(${JSON.stringify(join(data, 'ran'))})`,
  );
  const { code } = await start({ HOME: folder, XDG_DATA_HOME: data }, ['planted']);
  expect([code, existsSync(join(data, 'ran'))]).toEqual([2, false]);
});
