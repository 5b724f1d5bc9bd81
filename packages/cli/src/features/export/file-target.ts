import { constants } from 'node:fs';
import { access, readlink, realpath, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';

export const NEW_FILE_MODE = 0o666;

export interface Target {
  readonly path: string;
  /** Permissions of an existing file, else `null`. */
  readonly mode: number | null;
}

/** Resolves links, so that the target is replaced instead of the link, and reads the permissions to keep. */
export async function findTarget(path: string): Promise<Target> {
  if (path.endsWith('/')) throw systemError('EISDIR');
  const real = await followLinks(path);
  const found = await stat(real).catch(ifMissing(null));
  if (found === null) return { path: real, mode: null };
  if (found.isDirectory()) throw systemError('EISDIR');
  // A rename would succeed on write-protected files, and `access` always succeeds for root.
  await access(real, constants.W_OK);
  if ((found.mode & 0o222) === 0) throw systemError('EACCES');
  return { path: real, mode: found.mode & 0o777 };
}

/** Follows links also to missing files, for which `realpath` fails. */
async function followLinks(path: string): Promise<string> {
  for (let place = path; ; ) {
    const real = await realpath(place).catch(ifMissing(null));
    if (real !== null) return real;
    const folder = await realpath(dirname(place));
    const name = join(folder, basename(place));
    const next = await readlink(name).catch(ifMissing(null));
    if (next === null) return name;
    place = resolve(folder, next);
  }
}

function ifMissing<Value>(value: Value): (error: NodeJS.ErrnoException) => Value {
  return (error) => {
    if (error.code === 'ENOENT') return value;
    throw error;
  };
}

function systemError(code: string): NodeJS.ErrnoException {
  return Object.assign(new Error(code), { code });
}
