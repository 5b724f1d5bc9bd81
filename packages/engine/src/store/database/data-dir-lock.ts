import { createHash, randomUUID } from 'node:crypto';
import { link, mkdir, readFile, readlink, realpath, rename, rm, stat, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';

/** Another process has the data directory open. The message names it and says what to do. */
export class DataDirInUseError extends Error {
  override readonly name = 'DataDirInUseError';
}

interface Holder {
  pid: number;
  /** Start time of the process by the kernel's count, which distinguishes it from a later process with the same pid. */
  processStart: string | null;
  /** The scope of the pid: machine, boot and pid namespace (a container has its own). */
  place: string;
  /** The locked folder; null in a lock of an earlier release. */
  folder: Folder | null;
}

/** Path and inode of a folder. Both differ in a copy; one of them may change while the folder stays the same. */
interface Folder {
  path: string;
  inode: string;
}

const LOCK_FILE = 'svc-server.lock';

export interface LockTiming {
  /** How often the lock file is touched while it is held. Default 2,000 ms. */
  touchMs: number;
  /** How long a lock of another container is watched; if it is not touched, its holder is gone. Default 15,000 ms. */
  watchMs: number;
}

/**
 * Locks the data directory for this process, creating the folder if needed. A lock whose process is gone is taken over:
 * at once if its pid can be looked up, otherwise (another container's pids mean nothing here) after watching that
 * nobody touches the file.
 *
 * Only the process that holds the successor of a stale lock, a file named after its content, may replace it. Removing
 * a stale lock instead could remove the lock of a process that has just replaced it. A process that ended before it
 * replaced the lock leaves a stale successor, which has a successor in turn.
 *
 * @returns a function that releases the lock
 * @throws DataDirInUseError when a living process holds it
 */
export async function lockDataDir(
  dataDir: string,
  timing: LockTiming = { touchMs: 2_000, watchMs: 15_000 },
): Promise<() => Promise<void>> {
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  const file = path.join(dataDir, LOCK_FILE);
  const own: Holder = {
    pid: process.pid,
    processStart: (await readProcess(process.pid))?.start ?? null,
    place: await readPlace(),
    folder: await readFolder(dataDir),
  };
  const ownText = JSON.stringify({ ...own, id: randomUUID() });
  for (let attempt = 0; attempt < 5; attempt += 1) {
    const stale: Lock[] = [];
    let next = file;
    while (!(await createExclusively(next, ownText))) {
      const text = await readFile(next, 'utf8').catch(() => '');
      const refusal = await refusalOf(next, parseHolder(text), own, timing.watchMs);
      if (refusal !== null) throw new DataDirInUseError(`The data directory ${dataDir} is in use ${refusal}`);
      stale.push({ file: next, text });
      next = successorOf(file, stale);
    }
    if (await replaceStale(file, stale, next)) return hold(file, ownText, timing.touchMs);
  }
  throw new DataDirInUseError(`The lock file ${file} could not be taken: several processes start at once. Try again.`);
}

interface Lock {
  file: string;
  text: string;
}

/** Each chain of stale locks has its own name, also when several of them are empty after a loss of power. */
function successorOf(file: string, stale: readonly Lock[]): string {
  const chain = createHash('sha256').update(JSON.stringify(stale.map(({ text }) => text)));
  return `${file}.after-${chain.digest('hex').slice(0, 32)}`;
}

/**
 * Makes our lock, the successor of the last stale one, the lock of the folder. Returns false when another process has
 * replaced a stale lock since we read it.
 */
async function replaceStale(file: string, stale: readonly Lock[], own: string): Promise<boolean> {
  if (own === file) return true;
  for (const { file: staleFile, text } of stale) {
    if ((await readFile(staleFile, 'utf8').catch(() => null)) === text) continue;
    await rm(own, { force: true });
    return false;
  }
  await rename(own, file);
  for (const { file: successor } of stale.slice(1)) await rm(successor, { force: true });
  return true;
}

/** Result of a quick check of the lock file. */
export type LockState =
  | { state: 'free' }
  /** Held by a living process of this machine or container. */
  | { state: 'held'; pid: number }
  /** Left by a process that is gone; the next one takes it over. */
  | { state: 'stale'; pid: number }
  /** Copied with the folder while a process had the original open; the next process takes it over. */
  | { state: 'copied'; pid: number; original: string }
  /** Held by a process of another container or machine, whose pid means nothing here. */
  | { state: 'elsewhere'; pid: number };

/** Reads the lock without changing it. */
export async function inspectDataDirLock(dataDir: string): Promise<LockState> {
  const holder = parseHolder(await readFile(path.join(dataDir, LOCK_FILE), 'utf8').catch(() => ''));
  if (holder === null) return { state: 'free' };
  const { pid, folder } = holder;
  if (folder !== null && isCopied(folder, await readFolder(dataDir))) {
    return { state: 'copied', pid, original: folder.path };
  }
  if (holder.place !== (await readPlace())) return { state: 'elsewhere', pid };
  return { state: (await isAlive(holder)) ? 'held' : 'stale', pid };
}

/**
 * Touches the lock in another thread, because a statement of the embedded database may keep this one busy for minutes. A process whose lock was taken
 * over all the same, for example after a suspended machine, ends at once: two on one folder would destroy its database.
 */
const TOUCH = `
const { readFileSync, utimesSync, writeSync } = require('node:fs');
const { file, ownText, touchMs, message } = require('node:worker_threads').workerData;
setInterval(() => {
  try {
    if (readFileSync(file, 'utf8') === ownText) return utimesSync(file, new Date(), new Date());
  } catch {
    return;
  }
  writeSync(2, message);
  process.kill(process.pid, 'SIGKILL');
}, touchMs);
`;

/** Touches the lock until it is released; a lock that another process has taken over stays. */
function hold(file: string, ownText: string, touchMs: number): () => Promise<void> {
  const message = `svc-server: another process has taken over the data directory ${path.dirname(file)}, because this one did not run for a while. It ends, so that they do not overwrite each other's data.\n`;
  const touch = new Worker(TOUCH, { eval: true, execArgv: [], workerData: { file, ownText, touchMs, message } });
  touch.unref();
  return async () => {
    await touch.terminate();
    const text = await readFile(file, 'utf8').catch(() => null);
    if (text === ownText) await rm(file, { force: true });
  };
}

/** Returns why the lock must be respected, as the end of a sentence; null when its process is gone. */
async function refusalOf(file: string, holder: Holder | null, own: Holder, watchMs: number): Promise<string | null> {
  if (holder === null) return null;
  if (holder.place === own.place) {
    if (holder.folder !== null && own.folder !== null && isCopied(holder.folder, own.folder)) return null;
    return (await isAlive(holder))
      ? `by process ${holder.pid}. Stop that svc-server first, or choose another folder with --data-dir.`
      : null;
  }
  return (await isTouched(file, watchMs))
    ? `by process ${holder.pid} of another container or machine. Stop that svc-server first, or choose another folder with --data-dir.`
    : null;
}

async function isTouched(file: string, watchMs: number): Promise<boolean> {
  const modified = async () => (await stat(file).catch(() => null))?.mtimeMs;
  const before = await modified();
  for (let check = 0; check < 5; check += 1) {
    await sleep(watchMs / 5);
    const now = await modified();
    if (now !== before) return now !== undefined;
  }
  return false;
}

/** Creates the file atomically with its content. */
async function createExclusively(file: string, text: string): Promise<boolean> {
  const draft = `${file}.draft-${randomUUID()}`;
  await writeFile(draft, text, { mode: 0o600 });
  try {
    await link(draft, file);
    return true;
  } catch (error) {
    if (isErrno(error, 'EEXIST')) return false;
    throw error;
  } finally {
    await rm(draft, { force: true });
  }
}

function parseHolder(text: string): Holder | null {
  try {
    const parsed: unknown = JSON.parse(text);
    if (typeof parsed !== 'object' || parsed === null || !('pid' in parsed) || typeof parsed.pid !== 'number') {
      return null;
    }
    return {
      pid: parsed.pid,
      processStart: 'processStart' in parsed && typeof parsed.processStart === 'string' ? parsed.processStart : null,
      place: 'place' in parsed && typeof parsed.place === 'string' ? parsed.place : '',
      folder: 'folder' in parsed ? parseFolder(parsed.folder) : null,
    };
  } catch {
    return null;
  }
}

function parseFolder(value: unknown): Folder | null {
  if (typeof value !== 'object' || value === null) return null;
  const { path: folder, inode } = Object.fromEntries(Object.entries(value));
  return typeof folder === 'string' && typeof inode === 'string' ? { path: folder, inode } : null;
}

async function readFolder(dataDir: string): Promise<Folder> {
  const { ino } = await stat(dataDir, { bigint: true });
  return { path: await realpath(dataDir), inode: String(ino) };
}

/**
 * A folder may be mounted at two paths, and some file systems change inodes: only a copy differs in both. Two containers
 * may have other paths and inodes for the same folder, so between them only the touched file tells.
 */
function isCopied(locked: Folder, own: Folder): boolean {
  return locked.path !== own.path && locked.inode !== own.inode;
}

async function isAlive(holder: Holder): Promise<boolean> {
  try {
    process.kill(holder.pid, 0);
  } catch (error) {
    // EPERM: the process lives and belongs to another user.
    if (!isErrno(error, 'EPERM')) return false;
  }
  const found = await readProcess(holder.pid);
  // A killed process whose parent has not noticed yet still has its pid.
  if (found?.state === 'Z' || found?.state === 'X') return false;
  const start = found?.start ?? null;
  return holder.processStart === null || start === null || start === holder.processStart;
}

/** Returns fields 3 and 22 of /proc/PID/stat; null without /proc, and then only the pid is compared. */
async function readProcess(pid: number): Promise<{ state: string | undefined; start: string | null } | null> {
  try {
    const text = await readFile(`/proc/${pid}/stat`, 'utf8');
    // The second field is the command in parentheses, which may contain spaces.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    return { state: fields[0], start: fields[19] ?? null };
  } catch {
    return null;
  }
}

async function readPlace(): Promise<string> {
  const boot = await readFile('/proc/sys/kernel/random/boot_id', 'utf8').catch(() => '');
  const pidNamespace = await readlink('/proc/self/ns/pid').catch(() => '');
  return [os.hostname(), boot.trim(), pidNamespace].join(' ');
}

function isErrno(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
