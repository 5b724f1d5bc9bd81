/**
 * Keeps the data directory closed to other users. Its files (database, keys, lock, socket) may have any mode: nobody but the owner
 * of the folder gets to them. Windows has no modes, so nothing is checked there.
 */
import type { Stats } from 'node:fs';
import fs from 'node:fs/promises';
import path from 'node:path';
import { ConfigError } from '../../config/config.ts';
import { completeMarkOf, pgliteDirOf } from './pglite-folder.ts';

/** The file of the generated encryption key. */
export const KEY_FILE = 'encryption.key';

/** A folder that has one of these is a data directory. */
const OWN_ENTRIES = [KEY_FILE, pgliteDirOf(''), completeMarkOf('')];

/** What a new file system has in its top folder: only root can write to it. */
const LOST_AND_FOUND = 'lost+found';

const STICKY = 0o1000;

/** What is wrong with a folder, and the commands that mend it. */
export interface FolderProblem {
  /** `open`: the next start closes it. `unsafe`: it is open, and to close it is for its owner to decide. */
  kind: 'foreign' | 'open' | 'unsafe';
  message: string;
  fix: string;
}

/**
 * Looks at the folder and leaves it as it is.
 *
 * @returns null where all is well, and where there is no folder
 */
export async function findFolderProblem(folder: string): Promise<FolderProblem | null> {
  const found = await fs.stat(folder).catch(() => null);
  return found === null ? null : judge(folder, found);
}

/** @param found of the folder, now or before it was closed */
async function judge(folder: string, found: Stats): Promise<FolderProblem | null> {
  const user = process.geteuid?.();
  if (user === undefined) return null;
  if (found.uid !== user) {
    return {
      kind: 'foreign',
      message: `${folder} belongs to user ${found.uid} and this is user ${user}: an owner can read and change all that is in it`,
      fix: `Run svc-server as its owner, or make it yours: chown -R ${user} ${quote(folder)}. On a volume that belongs to somebody else, name a folder that svc-server makes in it: --data-dir ${quote(path.join(folder, 'svc'))}`,
    };
  }
  if ((found.mode & 0o077) === 0) return null;
  const message = `${folder} can be entered by other users (mode ${(found.mode & 0o1777).toString(8).padStart(4, '0')})`;
  const close = `chmod 700 ${quote(folder)}`;
  const other = `name a folder that svc-server makes in it: --data-dir ${quote(path.join(folder, 'svc'))}`;
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
    const fix = `Where it is for svc-server alone: ${close}. Otherwise ${other}`;
    return { kind: 'unsafe', message: `${message} and holds files that are not svc-server's`, fix };
  }
  const distrust = await findDistrust(folder, names, { mode: found.mode, user });
  if (distrust === null) return { kind: 'open', message, fix: close };
  const fix = `Make sure that you know all that is in it, because a database or key of somebody else would be trusted; then ${close}`;
  return { kind: 'unsafe', message: `${message}, and ${distrust}`, fix };
}

/** Returns why somebody else may have put a part of a data directory there; null when nobody can have. */
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
 * Makes the folder where it is missing, and takes away the rights of others where it is open to them. Only an empty folder and a
 * data directory that nobody else can have written to are closed: any other may be in use by others, or hold what they put there.
 *
 * @param chmod handed in by tests: a file system without modes refuses it or ignores it
 * @returns whether it was open to others until now
 * @throws ConfigError when the folder belongs to another user, is not ours to close, or stays open
 */
export async function makePrivateFolder(folder: string, chmod = fs.chmod): Promise<boolean> {
  await fs.mkdir(folder, { recursive: true, mode: 0o700 });
  const found = await fs.stat(folder);
  const problem = await judge(folder, found);
  if (problem?.kind === 'open') await chmod(folder, 0o700).catch(() => {});
  // Somebody may have put a file into an empty folder just before it was closed.
  const late = await judge(folder, found);
  if (problem?.kind === 'open' && late?.kind === 'unsafe') await chmod(folder, found.mode & 0o7777).catch(() => {});
  const left = late?.kind === 'unsafe' ? late : await findFolderProblem(folder);
  if (left !== null) throw new ConfigError(`The data directory ${left.message}. ${left.fix}`);
  return problem !== null;
}

/** As a POSIX shell reads it. */
function quote(text: string): string {
  return /^[\w./+-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
