/**
 * Keeps the data directory closed to other users. Its files (database, keys, lock, socket) may have any mode: nobody but the owner
 * of the folder gets to them. Windows has no modes, so nothing is checked there.
 */
import fs from 'node:fs/promises';
import path from 'node:path';
import { ConfigError } from '../config.ts';

/** What is wrong with a folder, and the commands that mend it. */
export interface FolderProblem {
  kind: 'foreign' | 'open';
  message: string;
  fix: string;
}

/**
 * Looks at the folder and leaves it as it is.
 *
 * @returns null where all is well, and where there is no folder
 */
export async function findFolderProblem(folder: string): Promise<FolderProblem | null> {
  const user = process.geteuid?.();
  const found = await fs.stat(folder).catch(() => null);
  if (user === undefined || found === null) return null;
  if (found.uid !== user) {
    return {
      kind: 'foreign',
      message: `${folder} belongs to user ${found.uid} and this is user ${user}: an owner can read and change all that is in it`,
      fix: `Run svc-server as its owner, or make it yours: chown -R ${user} ${quote(folder)}. On a volume that belongs to somebody else, name a folder that svc-server makes in it: --data-dir ${quote(path.join(folder, 'svc'))}`,
    };
  }
  if ((found.mode & 0o077) === 0) return null;
  return {
    kind: 'open',
    message: `${folder} can be entered by other users (mode ${(found.mode & 0o777).toString(8).padStart(4, '0')})`,
    fix: `chmod 700 ${quote(folder)}`,
  };
}

/**
 * Makes the folder where it is missing, and takes away the rights of others where it is open to them.
 *
 * @param chmod handed in by tests: a file system without modes refuses it or ignores it
 * @returns whether it was open to others until now
 * @throws ConfigError when the folder belongs to another user, or stays open
 */
export async function makePrivateFolder(folder: string, chmod = fs.chmod): Promise<boolean> {
  await fs.mkdir(folder, { recursive: true, mode: 0o700 });
  const problem = await findFolderProblem(folder);
  if (problem?.kind === 'open') await chmod(folder, 0o700).catch(() => {});
  const left = await findFolderProblem(folder);
  if (left !== null) throw new ConfigError(`The data directory ${left.message}. ${left.fix}`);
  return problem !== null;
}

/** As a POSIX shell reads it. */
function quote(text: string): string {
  return /^[\w./+-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
