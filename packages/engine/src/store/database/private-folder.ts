/**
 * Keeps the data directory closed to other users, so that the modes of its files (database, keys, lock, socket) do not
 * matter. Windows has no modes, so nothing is checked there.
 */
import type { Stats } from 'node:fs';
import fs from 'node:fs/promises';
import path from 'node:path';
import { ConfigError } from '../../config/config.ts';
import { completeMarkOf, pgliteDirOf } from './pglite-folder.ts';

/** The file of the generated encryption key. */
export const KEY_FILE = 'encryption.key';

/** A folder with one of these entries is a data directory. */
const OWN_ENTRIES = [KEY_FILE, pgliteDirOf(''), completeMarkOf('')];

/** An entry in the top folder of new file systems, which only root can write to. */
const LOST_AND_FOUND = 'lost+found';

const STICKY = 0o1000;

/** A problem of a folder, and the commands that fix it. */
export interface FolderProblem {
  /** `open`: the next start closes it. `unsafe`: its owner must decide whether to close it. */
  kind: 'foreign' | 'open' | 'unsafe';
  message: string;
  fix: string;
}

/**
 * Checks the folder without changing it.
 *
 * @returns null when all is well or there is no folder
 */
export async function findFolderProblem(folder: string): Promise<FolderProblem | null> {
  const found = await fs.stat(folder).catch(() => null);
  return found === null ? null : findProblem(folder, found);
}

/** @param found the folder's state, now or before it was closed */
async function findProblem(folder: string, found: Stats): Promise<FolderProblem | null> {
  const user = process.geteuid?.();
  if (user === undefined) return null;
  if (found.uid !== user) {
    return {
      kind: 'foreign',
      message: `${folder} belongs to user ${found.uid}, who can read and change its content, and this is user ${user}`,
      fix: `Run svc-server as its owner, or change the owner: chown -R ${user} ${quote(folder)}. On a volume of another user, name a subfolder that svc-server creates: --data-dir ${quote(path.join(folder, 'svc'))}`,
    };
  }
  if ((found.mode & 0o077) === 0) return null;
  const message = `${folder} can be entered by other users (mode ${(found.mode & 0o1777).toString(8).padStart(4, '0')})`;
  const close = `chmod 700 ${quote(folder)}`;
  const other = `name a subfolder that svc-server creates: --data-dir ${quote(path.join(folder, 'svc'))}`;
  if ((found.mode & STICKY) !== 0) {
    return {
      kind: 'unsafe',
      message: `${message} and is shared with them (sticky)`,
      fix: other.replace('name', 'Name'),
    };
  }
  const names = (await fs.readdir(folder)).filter((name) => name !== LOST_AND_FOUND);
  if (names.length === 0) return { kind: 'open', message, fix: close };
  if (!OWN_ENTRIES.some((name) => names.includes(name))) {
    const fix = `If only svc-server uses it: ${close}. Otherwise ${other}`;
    return { kind: 'unsafe', message: `${message} and contains files that are not svc-server's`, fix };
  }
  const distrust = await findDistrust(folder, names, { mode: found.mode, user });
  if (distrust === null) return { kind: 'open', message, fix: close };
  const fix = `Check that its content is yours, because a database or key from another user would be trusted; then ${close}`;
  return { kind: 'unsafe', message: `${message}, and ${distrust}`, fix };
}

/** Returns why other users may have put files of a data directory there; null when they cannot have. */
async function findDistrust(
  folder: string,
  names: readonly string[],
  { mode, user }: { mode: number; user: number },
): Promise<string | null> {
  if ((mode & 0o022) !== 0) return 'they could write to it';
  for (const name of names) {
    const { uid } = await fs.lstat(path.join(folder, name));
    if (uid !== user) return `${name} in it belongs to user ${uid}`;
  }
  return null;
}

/**
 * Creates the folder if it is missing, and closes it if others can enter. Only an empty folder and a data directory
 * that nobody else can have written to are closed; others may be in use by other users, or contain their files.
 *
 * @param chmod passed by tests: a file system without modes refuses or ignores it
 * @returns whether others could enter it until now
 * @throws ConfigError when the folder belongs to another user, must not be closed automatically, or stays open
 */
export async function makePrivateFolder(folder: string, chmod = fs.chmod): Promise<boolean> {
  await createFolder(folder);
  const found = await fs.stat(folder);
  const problem = await findProblem(folder, found);
  if (problem?.kind === 'open') await chmod(folder, 0o700).catch(() => {});
  // Another user may have put a file into the empty folder just before it was closed.
  const late = await findProblem(folder, found);
  if (problem?.kind === 'open' && late?.kind === 'unsafe') await chmod(folder, found.mode & 0o7777).catch(() => {});
  const left = late?.kind === 'unsafe' ? late : await findFolderProblem(folder);
  if (left !== null) throw new ConfigError(`The data directory ${left.message}. ${left.fix}`);
  return problem !== null;
}

/** @throws ConfigError when the folder cannot be created here */
async function createFolder(folder: string): Promise<void> {
  try {
    await fs.mkdir(folder, { recursive: true, mode: 0o700 });
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    const reason = MKDIR_REASONS[code];
    if (reason === undefined) throw error;
    throw new ConfigError(
      `The data directory ${path.resolve(folder)} cannot be created: ${reason}. Name another with --data-dir.`,
    );
  }
}

const MKDIR_REASONS: Readonly<Record<string, string>> = {
  EEXIST: 'a file has this name',
  ENOTDIR: 'a part of the path is a file',
  EACCES: 'this user may not write there',
  EPERM: 'this user may not write there',
  EROFS: 'the file system is read-only',
};

/** Quotes a path for a POSIX shell. */
function quote(text: string): string {
  return /^[\w./+-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
