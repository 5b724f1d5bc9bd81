import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { DataDirInUseError, lockDataDir } from './data-dir-lock.ts';

describe('the lock of a data directory', () => {
  let dir: string;
  beforeEach(async () => {
    dir = await mkdtemp(path.join(os.tmpdir(), 'svc lock '));
  });
  afterEach(async () => {
    await rm(dir, { recursive: true, force: true });
  });
  const file = () => path.join(dir, 'svc-server.lock');
  const quick = { touchMs: 20, watchMs: 200 };
  const expectTakeover = async () => {
    const before = await readFile(file(), 'utf8');
    const unlock = await lockDataDir(dir, quick);
    const after = await readFile(file(), 'utf8');
    expect(after).not.toBe(before);
    expect(JSON.parse(after)).toMatchObject({ pid: process.pid });
    await unlock();
  };

  test('a second open is refused with the process that holds it, and works after the first is closed', async () => {
    const unlock = await lockDataDir(dir);
    await expect(lockDataDir(dir)).rejects.toThrow(DataDirInUseError);
    await expect(lockDataDir(dir)).rejects.toThrow(`in use by process ${process.pid}`);
    await unlock();
    await (await lockDataDir(dir))();
  });

  test('makes the folder, readable by its owner alone', async () => {
    const unlock = await lockDataDir(path.join(dir, 'new'));
    expect((await stat(path.join(dir, 'new'))).mode & 0o777).toBe(0o700);
    await unlock();
  });

  /** The lock as another process would have written it. */
  const writeLock = async (changes: object) => {
    const unlock = await lockDataDir(dir);
    const own = JSON.parse(await readFile(file(), 'utf8'));
    await unlock();
    await writeFile(file(), JSON.stringify({ ...own, ...changes }));
  };

  test('a lock left by a process that is gone is taken over', async () => {
    const child = spawn(process.execPath, ['-e', '']);
    await once(child, 'exit');
    await writeLock({ pid: child.pid, processStart: '1' });
    await expectTakeover();
  });

  test('a lock with our own pid from an earlier life of that pid is taken over', async () => {
    await writeLock({ processStart: '1' });
    await expectTakeover();
  });

  test('a lock of another container is respected as long as it is touched, whatever lives under its pid here', async () => {
    await writeLock({ place: 'another container', pid: 1 });
    const touching = setInterval(() => void utimes(file(), new Date(), new Date()), 20);
    await expect(lockDataDir(dir, quick)).rejects.toThrow('process 1 of another container');
    clearInterval(touching);
    await expectTakeover();
  });

  test('a lock is touched while it is held', async () => {
    const unlock = await lockDataDir(dir, quick);
    const { mtimeMs } = await stat(file());
    await expect.poll(async () => (await stat(file())).mtimeMs).toBeGreaterThan(mtimeMs);
    await unlock();
  });

  test("giving back leaves a lock alone that is somebody else's by now", async () => {
    const unlock = await lockDataDir(dir);
    await writeFile(file(), '{"pid": 1, "place": "another container"}');
    await unlock();
    expect(await readFile(file(), 'utf8')).toContain('another container');
  });

  test('a lock that cannot be read is taken over', async () => {
    await writeFile(file(), '{"pid":');
    await expectTakeover();
  });

  test('of many that open at once exactly one gets it', async () => {
    await writeLock({ pid: 2 ** 22 + 1, processStart: '1' });
    const results = await Promise.allSettled(Array.from({ length: 8 }, () => lockDataDir(dir)));
    expect(results.filter((result) => result.status === 'fulfilled')).toHaveLength(1);
  });
});
