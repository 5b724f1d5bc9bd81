import { randomBytes } from 'node:crypto';
import { closeSync, constants, openSync } from 'node:fs';
import { access, open, readlink, realpath, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { removeOnExit } from '../lib/interrupts.ts';
import { guardWrite } from '../lib/output-streams.ts';
import { type RowSink, writeFully } from './row-sink.ts';

/**
 * A file that appears under its name only when it is complete: it grows beside its place and is moved there at
 * the end, so that whoever reads the name sees the old file or the whole new one.
 *
 * @throws CliError that says what is wrong with the place, before anything is fetched for it
 */
export async function openAtomicFile(path: string): Promise<RowSink> {
  const target = await guardWrite(path, () => findTarget(path));
  const partial = partialName(target.path);
  // In one go, so that no signal comes between: a file that is being opened can be created after all is cleaned up.
  await guardWrite(path, async () => closeSync(openSync(partial, 'wx', target.mode ?? NEW_FILE_MODE)));
  const forget = removeOnExit(partial);
  const file = await guardWrite(path, () => open(partial, 'r+'));
  // The umask took its part from what `open` was told.
  if (target.mode !== null) await guardWrite(path, () => file.chmod(target.mode ?? NEW_FILE_MODE));
  return {
    isTerminal: false,
    write: (text) => guardWrite(path, () => writeFully(file, text)),
    async commit() {
      await guardWrite(path, async () => {
        await file.sync();
        await file.close();
        await rename(partial, target.path);
      });
      forget();
    },
    async discard() {
      await file.close().catch(() => {});
      await rm(partial, { force: true });
      forget();
    },
  };
}

const NEW_FILE_MODE = 0o666;

/** Hidden, and beside its place: only within a file system can a file be moved in one step. */
function partialName(path: string): string {
  // A name may have 255 bytes, and each of these characters takes up to four.
  const name = basename(path).slice(0, 50);
  return join(dirname(path), `.${name}.${process.pid}-${randomBytes(4).toString('hex')}.partial`);
}

interface Target {
  readonly path: string;
  /** Permissions of the file that is there; `null` when there is none. */
  readonly mode: number | null;
}

/** A link keeps pointing where it does, also to a file that is not there yet, and a file keeps its permissions. */
async function findTarget(path: string): Promise<Target> {
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
