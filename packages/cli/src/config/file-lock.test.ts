import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import fs, { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { lockFile } from './file-lock.ts';

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-lock-'));
  file = join(folder, 'rows.csv');
});
afterEach(() => {
  vi.restoreAllMocks();
  syncBuiltinESMExports();
  rmSync(folder, { recursive: true });
});

/** A program that locks the file as a command does, and then runs `script`. */
const lockAnd = (script: string) => {
  const load = (name: string) => `await import(${JSON.stringify(new URL(name, import.meta.url).href)})`;
  const start = `(${load('../terminal/interrupts.ts')}).watchInterrupts(() => {})`;
  const lock = `await (${load('file-lock.ts')}).lockFile(${JSON.stringify(file)}, '')`;
  return ['--input-type=module', '--eval', [start, lock, script].join('; ')];
};

/** Leaves the lock of a process that was killed while it held the lock. */
function leaveStale(): void {
  const { signal } = spawnSync(process.execPath, lockAnd(`process.kill(process.pid, 'SIGKILL')`));
  expect(signal).toBe('SIGKILL');
}

/** Takes and releases the lock in `count` tasks at once. Returns how many held it at the same time, at most. */
async function contend(count: number): Promise<number> {
  let [holders, most] = [0, 0];
  const task = async () => {
    const release = await lockFile(file, 'changing it', { waitMs: 60_000, watchMs: 100 });
    most = Math.max(most, ++holders);
    await setImmediate();
    holders -= 1;
    await release();
  };
  await Promise.all(Array.from({ length: count }, task));
  return most;
}

test('a second holder is refused, and told who the first is', async () => {
  const release = await lockFile(file, 'exporting to rows.csv');
  await expect(lockFile(file, 'exporting to rows.csv')).rejects.toMatchObject({
    code: 'busy',
    exitCode: 6,
    message: `Process ${process.pid} is exporting to rows.csv`,
    hint: 'Wait until it has finished, or stop it.',
  });
  await release();
  await (await lockFile(file, 'exporting to rows.csv'))();
  expect(readdirSync(folder)).toEqual([]);
});

test('of many that take over the lock of a killed process, one at a time holds it', async () => {
  leaveStale();
  const stale = readFileSync(`${file}.svc-lock`, 'utf8');
  for (let round = 0; round < 8; round += 1) {
    writeFileSync(`${file}.svc-lock`, stale);
    expect(await contend(8)).toBe(1);
    expect(readdirSync(folder)).toEqual([]);
  }
});

test('a process that has seen a stale lock does not take the lock of one that was faster', async () => {
  leaveStale();
  const stale = readFileSync(`${file}.svc-lock`, 'utf8');
  let release = async () => {};
  vi.spyOn(fs.promises, 'readFile').mockImplementationOnce(async () => {
    release = await lockFile(file, '');
    return stale;
  });
  syncBuiltinESMExports();
  await expect(lockFile(file, 'exporting to rows.csv')).rejects.toMatchObject({ code: 'busy' });
  await release();
  expect(readdirSync(folder)).toEqual([]);
});

test('a lock that a loss of power has emptied is taken over', async () => {
  writeFileSync(`${file}.svc-lock`, '');
  expect(await contend(4)).toBe(1);
  expect(readdirSync(folder)).toEqual([]);
});

test('a lock of another machine is held while it is touched', async () => {
  const timing = { watchMs: 300 };
  const lock = `${file}.svc-lock`;
  const forget = await lockFile(file, '');
  writeFileSync(lock, JSON.stringify({ ...JSON.parse(readFileSync(lock, 'utf8')), place: 'elsewhere' }));
  const refused = lockFile(file, 'exporting to rows.csv', timing);
  let touches = 0;
  const touch = setInterval(() => utimesSync(lock, ++touches, touches), 10);
  await expect(refused).rejects.toMatchObject({
    message: 'Another process, perhaps of another machine or container, is exporting to rows.csv',
  });
  clearInterval(touch);
  await (await lockFile(file, '', timing))();
  await forget();
  expect(readdirSync(folder)).toEqual([]);
});

test('a later process with the same pid is not the holder, and the holder leaves the lock to its successor', async () => {
  const lock = `${file}.svc-lock`;
  const releaseFirst = await lockFile(file, '');
  writeFileSync(lock, JSON.stringify({ ...JSON.parse(readFileSync(lock, 'utf8')), start: '1' }));
  const release = await lockFile(file, '');
  await releaseFirst();
  expect(readdirSync(folder)).toEqual(['rows.csv.svc-lock']);
  await release();
  expect(readdirSync(folder)).toEqual([]);
});

test('a held lock is touched', async () => {
  const release = await lockFile(file, '', { touchMs: 10 });
  utimesSync(`${file}.svc-lock`, 1, 1);
  await expect.poll(() => statSync(`${file}.svc-lock`).mtimeMs).toBeGreaterThan(1000);
  await release();
});

test('a file system without links is enough', async () => {
  leaveStale();
  vi.spyOn(fs.promises, 'link').mockRejectedValue(Object.assign(new Error('EPERM'), { code: 'EPERM' }));
  syncBuiltinESMExports();
  expect(await contend(4)).toBe(1);
  expect(fs.promises.link).toHaveBeenCalled();
  expect(readdirSync(folder)).toEqual([]);
});

test('names may be as long as the file system allows', async () => {
  file = join(folder, 'x'.repeat(255));
  leaveStale();
  expect(readdirSync(folder)).toHaveLength(1);
  expect(await contend(3)).toBe(1);
  expect(readdirSync(folder)).toEqual([]);
});

test('a process that ends early releases its lock', async () => {
  const child = spawn(process.execPath, lockAnd(`console.log('locked'); setInterval(() => {}, 1000)`));
  await once(child.stdout, 'data');
  child.kill('SIGINT');
  await once(child, 'exit');
  expect(readdirSync(folder)).toEqual([]);
});
