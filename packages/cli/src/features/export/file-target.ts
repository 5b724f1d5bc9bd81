import { constants } from 'node:fs';
import { access, readlink, realpath, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';

export const NEW_FILE_MODE = 0o666;

export interface Target {
  readonly path: string;
  /** Permissions of the file that is there; `null` when there is none. */
  readonly mode: number | null;
}

/** A link keeps pointing where it does, also to a file that is not there yet, and a file keeps its permissions. */
export async function findTarget(path: string): Promise<Target> {
  if (path.endsWith('/')) throw systemError('EISDIR');
  const real = await followLinks(path);
  const found = await stat(real).catch(ifMissing(null));
  if (found === null) return { path: real, mode: null };
  if (found.isDirectory()) throw systemError('EISDIR');
  // Moving another file into its place would succeed all the same; and the superuser may write to anything.
  await access(real, constants.W_OK);
  if ((found.mode & 0o222) === 0) throw systemError('EACCES');
  return { path: real, mode: found.mode & 0o777 };
}

/** `realpath` knows only what exists; behind a link whose target does not, this goes on by itself. */
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
