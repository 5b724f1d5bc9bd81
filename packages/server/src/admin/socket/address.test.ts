import { chmod, mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { findSocketPath, makeSocketPath, removeSocketPath } from './address.ts';

describe('the path of the admin socket', () => {
  let root: string;
  let longDir: string;
  beforeEach(async () => {
    root = await mkdtemp(path.join(os.tmpdir(), 'svc-'));
    longDir = path.join(root, 'x'.repeat(100));
    await mkdir(longDir);
  });
  afterEach(async () => {
    await rm(root, { recursive: true, force: true });
  });
  const exists = (file: string) =>
    stat(file).then(
      () => true,
      () => false,
    );

  test('is in the data directory when that path is short enough', async () => {
    await writeFile(path.join(root, 'admin.sock'), 'left behind');
    expect(await makeSocketPath(root)).toBe(path.join(root, 'admin.sock'));
    expect(await exists(path.join(root, 'admin.sock'))).toBe(false);
    expect(await findSocketPath(root)).toBe(path.join(root, 'admin.sock'));
  });

  test('may have 107 bytes on Linux', async () => {
    const room = 107 - Buffer.byteLength(path.join(root, 'x', 'admin.sock')) + 1;
    const fitting = path.join(root, 'é'.repeat(Math.floor(room / 2)) + 'x'.repeat(room % 2));
    const tooLong = `${fitting}x`;
    await mkdir(fitting);
    await mkdir(tooLong);
    expect(await makeSocketPath(fitting)).toBe(path.join(fitting, 'admin.sock'));
    const elsewhere = await makeSocketPath(tooLong);
    await removeSocketPath(tooLong);
    expect(elsewhere).not.toContain(tooLong);
  });

  test('otherwise uses a private temporary folder, recorded in the data directory and removed on close', async () => {
    const socket = (await makeSocketPath(longDir)) ?? '';
    const folder = path.dirname(socket);
    expect(path.dirname(folder)).toBe(os.tmpdir());
    expect((await stat(folder)).mode & 0o777).toBe(0o700);
    expect((await stat(path.join(longDir, 'admin.json'))).mode & 0o777).toBe(0o600);
    expect(await findSocketPath(longDir)).toBe(socket);
    await removeSocketPath(longDir);
    expect(await exists(folder)).toBe(false);
    expect(await findSocketPath(longDir)).toBeNull();
  });

  test('the next server removes what a killed one left behind', async () => {
    const first = (await makeSocketPath(longDir)) ?? '';
    await writeFile(first, '');
    const second = (await makeSocketPath(longDir)) ?? '';
    expect(second).not.toBe(first);
    expect(await exists(path.dirname(first))).toBe(false);
    await removeSocketPath(longDir);
  });

  test('ignores a recorded folder that other users can enter, so that no token reaches them', async () => {
    const socket = (await makeSocketPath(longDir)) ?? '';
    await chmod(path.dirname(socket), 0o755);
    expect(await findSocketPath(longDir)).toBeNull();
    await rm(path.dirname(socket), { recursive: true });
  });

  test('ignores a record that names any other path, and removes nothing there', async () => {
    const own = path.join(root, 'own');
    await mkdir(own, { mode: 0o700 });
    const record = path.join(longDir, 'admin.json');
    for (const text of [
      JSON.stringify({ socket: path.join(own, 'admin.sock') }),
      JSON.stringify({ socket: 7 }),
      'nonsense',
      '',
    ]) {
      await writeFile(record, text, { mode: 0o600 });
      expect(await findSocketPath(longDir)).toBeNull();
    }
    await writeFile(record, JSON.stringify({ socket: path.join(own, 'admin.sock') }));
    await removeSocketPath(longDir);
    expect(await exists(own)).toBe(true);
    expect(await exists(record)).toBe(false);
  });

  test('is null when temporary paths are too long as well', async () => {
    vi.stubEnv('TMPDIR', path.join(longDir, 'tmp'));
    // By itself it ends with the next test, after the hooks of the next file.
    onTestFinished(() => void vi.unstubAllEnvs());
    expect(await makeSocketPath(longDir)).toBeNull();
    await expect(readFile(path.join(longDir, 'admin.json'))).rejects.toThrow('ENOENT');
  });
});
