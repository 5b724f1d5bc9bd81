import { execFile } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { readFolder } from '../../src/config/environment.ts';
import { type MockService, startMockService } from '../support/mock-service.ts';
import { BIN, buildCli, cliEnvironment, runCli } from '../support/run-cli.ts';
import { runInProcess } from '../support/run-in-process.ts';

let service: MockService;
let env: Record<string, string>;
/** A folder that contains only `svc`. */
const folder = mkdtempSync(join(tmpdir(), 'svc-completion-'));

beforeAll(async () => {
  await buildCli();
  service = await startMockService({}, runInProcess);
  writeFileSync(join(folder, 'svc'), `#!/bin/sh\nexec '${process.execPath}' '${BIN}' "$@"\n`);
  chmodSync(join(folder, 'svc'), 0o755);
  const { stdout } = await runInProcess(['completion', 'bash']);
  writeFileSync(join(folder, 'completion.bash'), stdout);
});
afterAll(() => service.close());
beforeEach(() => {
  env = { SVC_CACHE_DIR: mkdtempSync(join(tmpdir(), 'svc-cache-')) };
});

/** Returns what bash offers at the end of a line. */
async function offers(words: string[], more: Record<string, string> = {}): Promise<string[]> {
  const script = `
    source "$1"; shift
    COMP_WORDS=("$@"); COMP_CWORD=$(( $# - 1 ))
    _svc_complete
    printf '%s\\n' "\${COMPREPLY[@]}"
  `;
  const server = { url: service.url, apiKey: service.apiKey };
  const { stdout } = await promisify(execFile)(
    'bash',
    ['--norc', '-c', script, 'bash', join(folder, 'completion.bash'), 'svc', ...words],
    {
      cwd: folder,
      env: { ...cliEnvironment({ server, env: { ...env, ...more } }), PATH: `${folder}:${process.env.PATH}` },
    },
  );
  return stdout.split('\n').filter((line) => line !== '');
}

describe('in bash', () => {
  test('commands, flags and values', async () => {
    expect(await offers(['who'])).toEqual(['whoami']);
    expect(await offers(['syncs', ''])).toEqual(expect.arrayContaining(['export', 'get', 'list']));
    expect(await offers(['syncs', 'list', '--sta'])).toEqual(['--status']);
    expect(await offers(['syncs', 'list', '--status', ''])).toEqual(['success', 'warning', 'error']);
    // bash splits `--status=e` at the `=`.
    expect(await offers(['syncs', 'list', '--status', '=', 'e'])).toEqual(['error']);
    expect(await offers(['syncs', 'list', '--status', '='])).toEqual(['success', 'warning', 'error']);
    expect(await offers(['nope', ''])).toEqual([]);
  });

  test('files for flags that take a file', async () => {
    expect(await offers(['syncs', 'export', '--output', 'comp'])).toEqual(['completion.bash']);
  });

  test('ids of the service, with the key in use', async () => {
    const { connections } = JSON.parse((await service.svc('connections', 'list', '--jq', '{connections: .}')).stdout);
    const ids = connections.map(({ id }: { id: number }) => String(id));
    expect(ids.length).toBeGreaterThan(1);
    expect(await offers(['syncs', 'list', '--connection', ''])).toEqual(ids);
    const webhooks = await offers(['webhooks', 'get', '']);
    expect(webhooks.length).toBeGreaterThan(1);
    expect(webhooks.every((id) => id.startsWith('oswhk_'))).toBe(true);
    expect(await offers(['syncs', 'list', '--source', ''])).not.toEqual([]);
    expect(await offers(['destinations', 'get', ''])).not.toEqual([]);
    expect(await offers(['blocklists', 'pause', ''])).not.toEqual([]);
  });

  test('ids are cached per key, in a file only its owner can read', async () => {
    const before = service.mock.journal.all().length;
    const ids = await offers(['syncs', 'list', '--connection', '']);
    expect(await offers(['metrics', '--connection', ''])).toEqual(ids);
    expect(service.mock.journal.all().length - before).toBe(1);
    const scoped = await offers(['syncs', 'list', '--connection', ''], { SVC_API_KEY: 'osapi_demo_connection_read' });
    expect(scoped).toHaveLength(1);
    const file = join(env.SVC_CACHE_DIR ?? '', 'completion.json');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readFileSync(file, 'utf8')).not.toContain('osapi_');
    writeFileSync(file, '{ broken');
    expect(await offers(['syncs', 'list', '--connection', ''])).toEqual(ids);
  });

  test('a service that does not answer delays completion by seconds at most', async () => {
    service.mock.faults.add({ operations: ['listConnections'], effect: { kind: 'hang' } });
    const startedAt = performance.now();
    expect(await offers(['syncs', 'list', '--connection', ''])).toEqual([]);
    expect(performance.now() - startedAt).toBeLessThan(10_000);
    service.mock.faults.clear();
    expect(await offers(['syncs', 'list', '--connection', ''], { SVC_API_KEY: 'osapi_wrong' })).toEqual([]);
    expect(await offers(['syncs', 'list', '--connection', ''], { SVC_BASE_URL: 'nonsense' })).toEqual([]);
  });

  test('profiles, also with names that need quoting', async () => {
    const SVC_CONFIG_DIR = mkdtempSync(join(tmpdir(), 'svc-config-'));
    const profile = { apiKey: 'osapi_x', baseUrl: 'https://svc.example' };
    const profiles = { staging: profile, 'my $other': profile };
    writeFileSync(join(SVC_CONFIG_DIR, 'profiles.json'), JSON.stringify({ active: null, profiles }));
    expect(await offers(['status', '--profile', ''], { SVC_CONFIG_DIR })).toEqual(['staging', 'my\\ \\$other']);
    expect(await offers(['profiles', 'use', 'st'], { SVC_CONFIG_DIR })).toEqual(['staging']);
  });
});

test('zsh and fish get descriptions and whole words', async () => {
  const zsh = await runCli(['__complete', 'zsh', 'syncs', 'l']);
  expect(zsh).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^list\tList the newest syncs[^\n]*\n$/),
    stderr: '',
  });
  const fish = await runCli(['__complete', 'fish', 'syncs', 'list', '--status=e']);
  expect(fish.stdout).toBe('--status=error\t\n');
  expect((await runCli(['__complete', 'fish', 'syncs', 'export', '--output', ''])).stdout).toBe(':files\n');
  expect(await runCli(['__complete', 'nonsense'])).toMatchObject({ code: 0, stdout: '', stderr: '' });
});

describe('completion', () => {
  test.each(['bash', 'zsh', 'fish'])('%s', async (shell) => {
    const [plain, json] = await Promise.all([
      runInProcess(['completion', shell]),
      runInProcess(['completion', shell, '--json']),
    ]);
    expect([plain.code, json.code]).toEqual([0, 0]);
    expect(plain.stdout).toContain(`__complete ${shell} `);
    expect(JSON.parse(json.stdout)).toEqual({ shell, script: plain.stdout });
  });

  test.each([[['completion']], [['completion', 'tcsh']]])('%j exits with 2', async (argv) => {
    const [plain, json] = await Promise.all([runInProcess(argv), runInProcess([...argv, '--json'])]);
    expect([plain.code, json.code, plain.stdout, json.stdout]).toEqual([2, 2, '', '']);
  });
});

test('config and cache folders are the same as those of oclif', async () => {
  const given = { HOME: '/home/none', XDG_CONFIG_HOME: '/xdg/config' };
  const { config, cache } = JSON.parse(
    (await runInProcess(['config', 'path', '--json'], { env: { ...given, SVC_CONFIG_DIR: '' } })).stdout,
  );
  expect(config).toBe(join(readFolder('config', given), 'config.json'));
  expect(cache).toBe(join('/home/none', '.cache', 'svc'));
  expect(readFolder('cache', { SVC_CACHE_DIR: '/elsewhere' })).toBe('/elsewhere');
  expect(existsSync('/home/none')).toBe(false);
});
