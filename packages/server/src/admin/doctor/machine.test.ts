import { chmod, chown, mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { inspectEnvironment } from '@svc/engine/config/config';
import { lockDataDir } from '@svc/engine/store/database/data-dir-lock';
import { worstOf } from '@svc/operations/doctor/check';
import { checkConfiguration, checkDataDir, checkNode } from './machine.ts';
import { checkMetricsToken, checkUrls } from '@svc/operations/doctor/urls';

describe('configuration', () => {
  const check = (environment: Record<string, string>) => checkConfiguration(inspectEnvironment(environment));

  test('passes without variables, with valid ones, and with those of other programs', () => {
    expect(worstOf(check({}))).toBe('PASS');
    expect(
      worstOf(check({ SVC_PORT: '0', SVC_API_KEY: 'osapi_x', SVC_CACHE_DIR: '/x', PATH: '/bin', DATABASE_URL: '' })),
    ).toBe('PASS');
  });

  test('names every invalid variable with its value, unless that may be a secret', () => {
    const checks = check({ SVC_PORT: '70000', SVC_PUBLIC_URL: 'ftp://u:secret@x', DATABASE_URL: 'mysql://u:pw@h/d' });
    expect(new Set(checks.map(({ status }) => status))).toEqual(new Set(['FAIL']));
    const text = JSON.stringify(checks);
    for (const name of ['SVC_PORT', 'SVC_PUBLIC_URL', 'DATABASE_URL']) expect(text).toContain(name);
    expect(text).toContain('SVC_PORT must be a port, 0 to 65535, not \\"70000\\"');
    expect(text).not.toMatch(/secret|pw@/);
  });

  test('warns of an unknown variable and names the nearest one', () => {
    expect(check({ SVC_PUBLC_URL: 'https://x' })).toEqual([
      expect.objectContaining({
        status: 'WARN',
        message: expect.stringContaining('SVC_PUBLC_URL'),
        fix: 'Did you mean SVC_PUBLIC_URL? Rename or unset SVC_PUBLC_URL.',
      }),
    ]);
  });
});

test.each([
  ['22.19.0', 'PASS'],
  ['24.0.0', 'PASS'],
  ['22.18.9', 'FAIL'],
  ['20.99.0', 'FAIL'],
])('Node %s: %s', (version, status) => {
  expect(checkNode(version, '>=22.19')).toMatchObject({ name: 'Node', status });
});

describe('data directory', () => {
  let dir: string;
  beforeEach(async () => {
    dir = await mkdtemp(path.join(os.tmpdir(), 'svc-doctor-'));
  });
  afterEach(async () => {
    await rm(dir, { recursive: true, force: true });
  });
  const plenty = async () => 10 * 1024 ** 3;
  const statuses = async (freeBytes: () => Promise<number>) =>
    (await checkDataDir(dir, freeBytes)).map(({ name, status }) => `${name} ${status}`);

  test('passes when writable with enough free space in this folder', async () => {
    const asked: string[] = [];
    const checks = await checkDataDir(dir, async (folder) => {
      asked.push(folder);
      return plenty();
    });
    expect(worstOf(checks)).toBe('PASS');
    expect(asked).toEqual([dir]);
    expect(worstOf(await checkDataDir(dir))).not.toBe('FAIL');
  });

  test('warns of little free space, fails with almost none', async () => {
    expect(await statuses(async () => 1024 ** 3 - 1)).toContain('data directory WARN');
    expect(await statuses(async () => 100 * 1024 ** 2 - 1)).toContain('data directory FAIL');
  });

  test('warns of a missing folder, fails for a file in its place', async () => {
    expect((await checkDataDir(path.join(dir, 'new'), plenty))[0]).toMatchObject({ status: 'WARN' });
    await writeFile(path.join(dir, 'file'), '');
    expect((await checkDataDir(path.join(dir, 'file'), plenty))[0]).toMatchObject({ status: 'FAIL' });
  });

  // Root may write anywhere.
  test.skipIf(process.getuid?.() === 0)('fails when it is not writable', async () => {
    await chmod(dir, 0o500);
    expect((await checkDataDir(dir, plenty))[0]).toMatchObject({ status: 'FAIL' });
    await chmod(dir, 0o700);
  });

  test('warns of a key file that others can read, and says how to fix it', async () => {
    const file = path.join(dir, 'encryption.key');
    await writeFile(file, 'x', { mode: 0o644 });
    expect(await checkDataDir(dir, plenty)).toContainEqual(
      expect.objectContaining({ status: 'WARN', fix: `chmod 600 ${file}` }),
    );
    await chmod(file, 0o600);
    expect(worstOf(await checkDataDir(dir, plenty))).toBe('PASS');
  });

  test('fails when others can enter it, warns when it belongs to another user', async () => {
    await chmod(dir, 0o755);
    expect(await checkDataDir(dir, plenty)).toContainEqual(
      expect.objectContaining({ status: 'FAIL', fix: expect.stringContaining(`chmod 700 ${dir};`) }),
    );
    await chmod(dir, 0o700);
    // Only root may change the owner.
    if (process.geteuid?.() !== 0) return;
    await chown(dir, 12_345, 12_345);
    expect(await checkDataDir(dir, plenty)).toContainEqual(
      expect.objectContaining({ status: 'WARN', fix: expect.stringContaining(`chown -R 0 ${dir}`) }),
    );
  });

  test('names the process that has it open', async () => {
    const lockLine = async () => (await checkDataDir(dir, plenty)).find(({ name }) => name === 'lock');
    expect(await lockLine()).toMatchObject({ status: 'PASS', message: expect.stringContaining('free') });
    const unlock = await lockDataDir(dir);
    expect(await lockLine()).toMatchObject({ message: `process ${process.pid} has the folder open` });
    await unlock();
    const file = path.join(dir, 'svc-server.lock');
    await writeFile(file, JSON.stringify({ pid: 1, processStart: null, place: 'another machine' }));
    expect(await lockLine()).toMatchObject({ status: 'WARN', message: expect.stringContaining('another container') });
  });
});

describe('public URLs', () => {
  const urls = (api: string, sync = api) => ({ api, sync, dashboard: `${api}/dashboard`, docs: `${api}/docs` });
  test.each([
    [urls('https://svc.example.com'), 'PASS'],
    [urls('http://127.0.0.1:4000', 'https://in.example.com'), 'PASS'],
    [urls('http://127.0.0.1:4000'), 'WARN'],
    [urls('http://localhost:4000'), 'WARN'],
    [urls('http://[::1]:4000'), 'WARN'],
    [urls('http://10.1.2.3:4000'), 'WARN'],
    [urls('https://svc.example.com', 'http://in.example.com'), 'WARN'],
  ])('%j: %s', (addresses, status) => {
    expect(worstOf(checkUrls(addresses))).toBe(status);
  });

  test.each([
    ['http://127.0.0.1:4000', undefined, 'PASS', 'callers on this machine'],
    ['https://svc.example.com', 'a-token-of-16-characters', 'PASS', 'requires'],
    ['https://svc.example.com', undefined, 'WARN', 'is closed'],
  ])('/metrics of %s with the token %s: %s', (api, token, status, message) => {
    expect(checkMetricsToken(urls(api), token)).toMatchObject({ status, message: expect.stringContaining(message) });
  });

  test('names the variable of the invalid address', () => {
    const addresses = { ...urls('https://svc.example.com'), dashboard: 'http://admin.example.com' };
    expect(checkUrls(addresses)[0]?.message).toContain('SVC_DASHBOARD_URL http://admin.example.com');
  });
});
