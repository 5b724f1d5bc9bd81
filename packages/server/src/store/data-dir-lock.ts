import { link, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';

/** Another process has the data directory open. The message names it and says what to do. */
export class DataDirInUseError extends Error {
  override readonly name = 'DataDirInUseError';
}

interface Holder {
  pid: number;
  /** When the process was started, as the kernel counts it: tells a reused pid from the one that wrote the file. */
  processStart: string | null;
}

const LOCK_FILE = 'svc-server.lock';

/**
 * Takes the data directory for this process, making the folder where it is missing. A lock whose process is gone is taken over.
 *
 * @returns gives the directory back
 * @throws DataDirInUseError when a living process holds it
 */
export async function lockDataDir(dataDir: string): Promise<() => Promise<void>> {
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  const file = path.join(dataDir, LOCK_FILE);
  const own: Holder = { pid: process.pid, processStart: await processStart(process.pid) };
  for (let attempt = 0; attempt < 5; attempt += 1) {
    if (await createExclusively(file, JSON.stringify(own))) {
      return async () => {
        await rm(file, { force: true });
      };
    }
    const text = await readFile(file, 'utf8').catch(() => '');
    const holder = parseHolder(text);
    if (holder && (await isAlive(holder))) {
      throw new DataDirInUseError(
        `The data directory ${dataDir} is in use by process ${holder.pid}. Stop that svc-server first, or choose another folder with --data-dir.`,
      );
    }
    await removeStale(file, text);
  }
  throw new DataDirInUseError(`The lock file ${file} could not be taken: several processes start at once. Try again.`);
}

/** The file appears under its name with its content already in it, or not at all. */
async function createExclusively(file: string, text: string): Promise<boolean> {
  const draft = `${file}.draft-${process.pid}`;
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

/** Moves the dead process's lock aside; one that somebody else has put there meanwhile goes back. */
async function removeStale(file: string, staleText: string): Promise<void> {
  const aside = `${file}.stale-${process.pid}`;
  try {
    await rename(file, aside);
    if ((await readFile(aside, 'utf8')) !== staleText) await link(aside, file);
  } catch (error) {
    if (!isErrno(error, 'ENOENT') && !isErrno(error, 'EEXIST')) throw error;
  }
  await rm(aside, { force: true });
}

function parseHolder(text: string): Holder | null {
  try {
    const parsed: unknown = JSON.parse(text);
    if (typeof parsed !== 'object' || parsed === null || !('pid' in parsed) || typeof parsed.pid !== 'number')
      return null;
    const start = 'processStart' in parsed && typeof parsed.processStart === 'string' ? parsed.processStart : null;
    return { pid: parsed.pid, processStart: start };
  } catch {
    return null;
  }
}

async function isAlive(holder: Holder): Promise<boolean> {
  try {
    process.kill(holder.pid, 0);
  } catch (error) {
    // EPERM: it lives and belongs to somebody else.
    if (!isErrno(error, 'EPERM')) return false;
  }
  const start = await processStart(holder.pid);
  return holder.processStart === null || start === null || start === holder.processStart;
}

/** Field 22 of /proc/PID/stat; null where there is no /proc, and then the pid alone decides. */
async function processStart(pid: number): Promise<string | null> {
  try {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
    // The second field is the command in parentheses and may hold spaces.
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? null;
  } catch {
    return null;
  }
}

function isErrno(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
