import { createHash } from 'node:crypto';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { statSync } from 'node:fs';
import { cp, mkdtemp, readdir, readFile, realpath, rm, stat, symlink, utimes, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { DataDirInUseError, inspectDataDirLock, lockDataDir } from './data-dir-lock.ts';

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

  test('refuses a second open, names the process that holds it, and succeeds after it was closed', async () => {
    const unlock = await lockDataDir(dir);
    await expect(lockDataDir(dir)).rejects.toThrow(DataDirInUseError);
    await expect(lockDataDir(dir)).rejects.toThrow(`in use by process ${process.pid}`);
    await unlock();
    await (await lockDataDir(dir))();
  });

  test('creates the folder, readable by its owner only', async () => {
    const unlock = await lockDataDir(path.join(dir, 'new'));
    expect((await stat(path.join(dir, 'new'))).mode & 0o777).toBe(0o700);
    await unlock();
  });

  /** Writes the lock as another process would. */
  const writeLock = async (changes: object) => {
    const unlock = await lockDataDir(dir);
    const own = JSON.parse(await readFile(file(), 'utf8'));
    await unlock();
    await writeFile(file(), JSON.stringify({ ...own, ...changes }));
  };

  test('takes over the lock of a process that has ended', async () => {
    const child = spawn(process.execPath, ['-e', '']);
    await once(child, 'exit');
    await writeLock({ pid: child.pid, processStart: '1' });
    await expectTakeover();
  });

  test.runIf(process.platform === 'linux')(
    'takes over the lock of a killed process that its parent has not noticed yet',
    async () => {
      // The shell becomes `sleep`, which never asks for the end of its child.
      const parent = spawn('sh', ['-c', 'sleep 60 & echo $!; exec sleep 60'], { stdio: ['ignore', 'pipe', 'inherit'] });
      try {
        const [line] = await once(parent.stdout, 'data');
        const pid = Number(String(line));
        const nameOf = async (process: number | undefined) => readFile(`/proc/${process}/comm`, 'utf8');
        await expect.poll(() => nameOf(parent.pid)).toBe('sleep\n');
        process.kill(pid, 'SIGKILL');
        const fields = async () => (await readFile(`/proc/${pid}/stat`, 'utf8')).replace(/^.*\) /s, '').split(' ');
        await expect.poll(async () => (await fields())[0]).toBe('Z');
        await writeLock({ pid, processStart: (await fields())[19] });
        expect(await inspectDataDirLock(dir)).toEqual({ state: 'stale', pid });
        await expectTakeover();
      } finally {
        parent.kill();
      }
    },
  );

  test('a lock that was copied with its folder holds only the original', async () => {
    const unlock = await lockDataDir(dir);
    const copy = `${dir} copy`;
    await cp(dir, copy, { recursive: true });
    try {
      expect(await inspectDataDirLock(copy)).toEqual({
        state: 'copied',
        pid: process.pid,
        original: await realpath(dir),
      });
      await (await lockDataDir(copy))();
      await expect(lockDataDir(dir)).rejects.toThrow(DataDirInUseError);
    } finally {
      await unlock();
      await rm(copy, { recursive: true });
    }
  });

  test('refuses the same folder under another path', async () => {
    const unlock = await lockDataDir(dir);
    const other = `${dir} link`;
    await symlink(dir, other);
    try {
      await expect(lockDataDir(other)).rejects.toThrow(DataDirInUseError);
    } finally {
      await unlock();
      await rm(other);
    }
  });

  test('takes over a lock with our own pid from an earlier process', async () => {
    await writeLock({ processStart: '1' });
    await expectTakeover();
  });

  test('respects a lock of another container while it is touched, whatever process has its pid here', async () => {
    await writeLock({ place: 'another container', pid: 1 });
    const touching = setInterval(() => void utimes(file(), new Date(), new Date()), 20);
    await expect(lockDataDir(dir, quick)).rejects.toThrow('process 1 of another container');
    clearInterval(touching);
    await expectTakeover();
  });

  test('respects a touched lock of another container in which the same folder has another path and inode', async () => {
    await writeLock({ place: 'another container', pid: 1, folder: { path: '/data', inode: '1' } });
    const touching = setInterval(() => void utimes(file(), new Date(), new Date()).catch(() => {}), 20);
    await expect(lockDataDir(dir, quick)).rejects.toThrow('process 1 of another container');
    clearInterval(touching);
    await expectTakeover();
  });

  test('touches a lock while it is held, also while this thread is busy', async () => {
    const unlock = await lockDataDir(dir, quick);
    const { mtimeMs } = await stat(file());
    for (const end = performance.now() + 30_000; statSync(file()).mtimeMs === mtimeMs; )
      expect(performance.now()).toBeLessThan(end);
    await unlock();
  });

  test('a process whose lock was taken over ends at once', async () => {
    const script = `import { lockDataDir } from ${JSON.stringify(new URL('data-dir-lock.ts', import.meta.url))};
      await lockDataDir(process.argv[1], ${JSON.stringify(quick)});
      console.log('locked');
      for (;;);`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', script, dir], { stdio: 'pipe' });
    let complaint = '';
    child.stderr.on('data', (text) => (complaint += text));
    await once(child.stdout, 'data');
    await writeFile(file(), '{"pid": 1, "place": "another container"}');
    expect(await once(child, 'close')).toEqual([null, 'SIGKILL']);
    expect(complaint).toContain(`has taken over the data directory ${dir}`);
  });

  test('release does not remove a lock that another process has taken over', async () => {
    const unlock = await lockDataDir(dir);
    await writeFile(file(), '{"pid": 1, "place": "another container"}');
    await unlock();
    expect(await readFile(file(), 'utf8')).toContain('another container');
  });

  test('takes over an unreadable lock', async () => {
    await writeFile(file(), '{"pid":');
    await expectTakeover();
  });

  test('exactly one of many concurrent opens succeeds', async () => {
    for (let round = 0; round < 60; round += 1) {
      await writeLock({ pid: 2 ** 22 + 1, processStart: '1' });
      const results = await Promise.allSettled(Array.from({ length: 8 }, () => lockDataDir(dir)));
      const locks = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
      expect(locks).toHaveLength(1);
      await locks[0]?.();
      expect(await readdir(dir)).toEqual([]);
    }
  });

  test('takes over after a process that ended while it took over', async () => {
    await writeLock({ pid: 2 ** 22 + 1, processStart: '1' });
    const stale = await readFile(file(), 'utf8');
    const name = createHash('sha256')
      .update(JSON.stringify([stale]))
      .digest('hex')
      .slice(0, 32);
    // It had taken the successor of the stale lock, but not replaced the lock with it.
    await writeFile(`${file()}.after-${name}`, stale.replace('4194305', '4194306'));
    await expectTakeover();
    expect(await readdir(dir)).toEqual([]);
  });
});
