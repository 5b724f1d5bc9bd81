import { createHash, randomUUID } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { link, open, readFile, rename, rm, utimes, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { CliError } from '../errors/cli-error.ts';
import { EXIT_CODES } from '../errors/exit-codes.ts';
import { guardWrite } from '../errors/write-error.ts';
import { isRecord } from '../format/fields.ts';
import { removeOnExit } from '../terminal/interrupts.ts';
import { siblingPath } from './sibling-path.ts';

interface Holder {
  readonly pid: number;
  /** Start time of the process, which distinguishes it from a later one with the same pid; null without /proc. */
  readonly start: string | null;
  /** The scope of the pid: machine, boot and pid namespace (a container has its own). */
  readonly place: string;
}

export interface LockTiming {
  /** How long to wait for a running holder. Default 0. */
  readonly waitMs?: number;
  /** How often a held lock is touched. Default 2,000. */
  readonly touchMs?: number;
  /** How long a lock is watched whose holder cannot be looked up; if nobody touches it, its holder is gone. Default 10,000. */
  readonly watchMs?: number;
}

/**
 * Locks a file for this process with a lock file next to it. A lock whose process is gone is taken over.
 *
 * @param doing what this process does to the file, for the message of others, such as `exporting to rows.csv`
 * @returns a function that releases the lock
 * @throws CliError (exit 6) if a running process holds it
 */
export async function lockFile(
  path: string,
  doing: string,
  { waitMs = 0, touchMs = 2000, watchMs = 10_000 }: LockTiming = {},
): Promise<() => Promise<void>> {
  const file = siblingPath(path, '.svc-lock');
  const own: Holder = { pid: process.pid, start: readProcess('self')?.start ?? null, place: readPlace() };
  const text = JSON.stringify({ ...own, id: randomUUID() });
  const end = performance.now() + waitMs;
  while (!(await guardWrite(path, () => take(file, text, own.place, watchMs)))) {
    if (performance.now() >= end) throw busyError(file, parseHolder((await readText(file)) ?? ''), own.place, doing);
    await sleep(10 + Math.random() * 20);
  }
  const forget = removeOnExit(file);
  const touch = setInterval(() => {
    const now = new Date();
    utimes(file, now, now).catch(() => {});
  }, touchMs).unref();
  return async () => {
    clearInterval(touch);
    // Another process may have taken the lock over while this one was suspended.
    if ((await readText(file).catch(() => null)) === text) await rm(file, { force: true });
    forget();
  };
}

/**
 * Only the process that holds the successor of a stale lock, a file named after its content, may replace it. Removing
 * the stale lock instead could remove the lock of a process that has just replaced it. A process that was killed before
 * it replaced the lock leaves a stale successor, which has a successor in turn.
 *
 * @returns whether the lock was taken
 */
async function take(file: string, text: string, place: string, watchMs: number): Promise<boolean> {
  while (!(await createWhole(file, text))) {
    const found = await readText(file);
    if (found === null) continue;
    if (await isHeld(file, parseHolder(found), place, watchMs)) return false;
    const hash = createHash('sha256').update(found).digest('hex').slice(0, 32);
    const successor = siblingPath(file, `.after-${hash}`);
    if (!(await take(successor, text, place, watchMs))) return false;
    if ((await readText(file)) === found) {
      await rename(successor, file);
      return true;
    }
    await rm(successor, { force: true });
  }
  return true;
}

/** @returns false if the file exists */
async function createWhole(file: string, text: string): Promise<boolean> {
  const draft = siblingPath(file, `.${randomUUID()}`);
  try {
    await writeFile(draft, text, { flag: 'wx' });
    // File systems without links, such as exFAT, refuse with different codes.
    await link(draft, file).catch((error: unknown) => {
      if (hasCode(error, 'EEXIST')) throw error;
      return writeFile(file, text, { flag: 'wx' });
    });
    return true;
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false;
    throw error;
  } finally {
    await rm(draft, { force: true });
  }
}

/** @param holder null in a lock that is being written on a file system without links, or was lost with the power */
async function isHeld(file: string, holder: Holder | null, place: string, watchMs: number): Promise<boolean> {
  if (holder === null || holder.place !== place) return isTouched(file, watchMs);
  try {
    process.kill(holder.pid, 0);
  } catch (error) {
    // EPERM: the process of another user.
    if (!hasCode(error, 'EPERM')) return false;
  }
  const found = readProcess(String(holder.pid));
  if (found === null || holder.start === null) return true;
  // A killed process whose parent has not noticed yet still has its pid.
  return found.start === holder.start && found.state !== 'Z' && found.state !== 'X';
}

async function isTouched(file: string, watchMs: number): Promise<boolean> {
  const before = await readModified(file);
  for (const end = performance.now() + watchMs; performance.now() < end; ) {
    await sleep(Math.min(100, watchMs));
    if ((await readModified(file)) !== before) return true;
  }
  return false;
}

/** Opens the file, because a network file system may answer for a path from its cache. */
async function readModified(file: string): Promise<number | null> {
  const handle = await open(file, 'r').catch(() => null);
  if (handle === null) return null;
  try {
    return (await handle.stat()).mtimeMs;
  } finally {
    await handle.close();
  }
}

async function readText(file: string): Promise<string | null> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return null;
    throw error;
  }
}

function parseHolder(text: string): Holder | null {
  try {
    const value: unknown = JSON.parse(text);
    if (!isRecord(value)) return null;
    const { pid, start, place } = value;
    if (typeof pid !== 'number' || pid <= 0 || typeof place !== 'string') return null;
    return { pid, start: typeof start === 'string' ? start : null, place };
  } catch {
    return null;
  }
}

/** Returns fields 3 and 22 of /proc/PID/stat; null without /proc. */
function readProcess(pid: string): { readonly state: string | null; readonly start: string | null } | null {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The second field is the command in parentheses, which may contain spaces.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    return { state: fields[0] ?? null, start: fields[19] ?? null };
  } catch {
    return null;
  }
}

function readPlace(): string {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    return [hostname(), boot, readlinkSync('/proc/self/ns/pid')].join(' ');
  } catch {
    return hostname();
  }
}

function busyError(file: string, holder: Holder | null, place: string, doing: string): CliError {
  const isHere = holder?.place === place;
  const who = isHere ? `Process ${holder.pid}` : 'Another process, perhaps of another machine or container,';
  // Without start times, a later process may have the pid of the one that was killed.
  const doubt = isHere && holder.start === null ? ` If it is another program, delete ${file}.` : '';
  const hint = `Wait until it has finished, or stop it.${doubt}`;
  return new CliError('busy', EXIT_CODES.conflict, `${who} is ${doing}`, hint);
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
