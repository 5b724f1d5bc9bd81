import { randomBytes } from 'node:crypto';
import { type FileHandle, open, realpath, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { removeOnExit } from '../lib/interrupts.ts';
import { toWriteError } from '../lib/output-streams.ts';

/** Somewhere rows go. */
export interface RowSink {
  write(text: string): Promise<void>;
  /** All was written. */
  commit(): Promise<void>;
  /** It came to nothing. */
  discard(): Promise<void>;
}

/**
 * A file that appears under its name only when it is complete: it grows beside its place and is moved there at
 * the end, so that whoever reads the name sees the old file or the whole new one.
 *
 * @throws CliError that says what is wrong with the place, before anything is fetched for it
 */
export async function openAtomicFile(path: string): Promise<RowSink> {
  const target = await findTarget(path);
  const partial = join(
    dirname(target.path),
    `.${basename(target.path)}.${process.pid}-${randomBytes(4).toString('hex')}.partial`,
  );
  const file = await guard(path, () => open(partial, 'wx', target.mode));
  const forget = removeOnExit(partial);
  return {
    write: (text) => guard(path, () => writeFully(file, text)),
    async commit() {
      await guard(path, async () => {
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

/** Devices and pipes are written to as they are: a file must never be moved over `/dev/null`. */
export async function openSpecialFile(path: string): Promise<RowSink> {
  const file = await guard(path, () => open(path, 'w'));
  return {
    write: (text) => guard(path, () => writeFully(file, text)),
    commit: () => guard(path, () => file.close()),
    discard: () => file.close().catch(() => {}),
  };
}

export async function isSpecialFile(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => null);
  return found !== null && !found.isFile() && !found.isDirectory();
}

const NEW_FILE_MODE = 0o666;

/** A link keeps pointing where it does, and a file that is replaced keeps its permissions. */
async function findTarget(path: string): Promise<{ path: string; mode: number }> {
  const real = await realpath(path).catch(() => resolve(path));
  const found = await stat(real).catch(() => null);
  if (found?.isDirectory()) throw toWriteError(Object.assign(new Error('it is a folder'), { code: 'EISDIR' }), path);
  return { path: real, mode: found === null ? NEW_FILE_MODE : found.mode & 0o777 };
}

async function writeFully(file: FileHandle, text: string): Promise<void> {
  const bytes = Buffer.from(text);
  // One call may write only a part of it.
  for (let offset = 0; offset < bytes.length; ) {
    const { bytesWritten } = await file.write(bytes, offset);
    offset += bytesWritten;
  }
}

async function guard<T>(path: string, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    throw toWriteError(error, path);
  }
}
