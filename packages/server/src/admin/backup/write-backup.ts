import type { Manifest } from '@svc/operations/declared/backup';
import { readdir, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Encrypter } from 'age-encryption';
import { type Config, ConfigError } from '@svc/engine/config/config';
import { executeAdmin } from '../execute.ts';
import { BackupError, syncFolder, writeArchive } from './archive.ts';

const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/;

/**
 * Writes a backup of the embedded database and its encryption key, beside a running server or without one. The server only makes the
 * copy; this process compresses and encrypts it. An earlier file of this name is replaced at the end, at once.
 *
 * @param config of the embedded database (`assertEmbedded`)
 * @throws BackupError, and the errors of `executeAdmin`
 */
export async function writeBackup(
  config: Config,
  file: string,
  { encrypter, signal }: { encrypter: Encrypter; signal: AbortSignal },
): Promise<Manifest> {
  const target = path.resolve(file);
  // Another backup of this file may be running, so each has a draft of its own.
  const draft = `${target}.part-${crypto.randomUUID()}`;
  // Finds out whether the folder can be written to before the database is copied.
  await writeFile(draft, '', { flag: 'wx', mode: 0o600 }).catch((error: unknown) => {
    throw cannotWrite(file, error);
  });
  const { pid } = process;
  const { folder, manifest } = await executeAdmin(config, 'backup/copy', { pid }).catch(async (error: unknown) => {
    await rm(draft, { force: true });
    throw error;
  });
  let isWritten = false;
  try {
    await removeLeftDrafts(target, draft);
    await writeArchive(draft, { from: folder, manifest, encrypter, signal });
    await rename(draft, target);
    await syncFolder(path.dirname(target));
    isWritten = true;
    return manifest;
  } catch (error) {
    await rm(draft, { force: true });
    if (signal.aborted) throw new BackupError('The backup was interrupted: nothing was written.');
    throw cannotWrite(file, error);
  } finally {
    await executeAdmin(config, 'backup/finish', { pid, isWritten });
  }
}

/** Removes what killed backups have left. Call it while there is a copy: nobody else writes a backup then. */
async function removeLeftDrafts(target: string, own: string): Promise<void> {
  const folder = path.dirname(target);
  const prefix = `${path.basename(target)}.part-`;
  for (const name of await readdir(folder)) {
    const isDraft = name.startsWith(prefix) && UUID.test(name.slice(prefix.length));
    if (isDraft && path.join(folder, name) !== own) await rm(path.join(folder, name), { force: true });
  }
}

/** @throws ConfigError with PostgreSQL */
export function assertEmbedded({ databaseUrl }: Config): void {
  if (databaseUrl === undefined) return;
  throw new ConfigError(
    'svc-server backup and restore are for the embedded database, and DATABASE_URL is set. PostgreSQL has its own tools: pg_dump, or pg_basebackup and the archived log; docs/backup.md has the commands. The encryption key is in SVC_ENCRYPTION_KEY: keep it apart.',
  );
}

function cannotWrite(file: string, error: unknown): unknown {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const reason = REASONS[code];
  return reason === undefined
    ? error
    : new BackupError(`${file} cannot be written: ${reason}. An earlier backup of this name is unchanged.`, {
        cause: error,
      });
}

const REASONS: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full',
  EDQUOT: 'the quota of this user is used up',
  ENOENT: 'its folder does not exist',
  ENOTDIR: 'a part of its path is a file',
  EISDIR: 'it is a folder',
  EACCES: 'this user may not write there',
  EPERM: 'this user may not write there',
  EROFS: 'the file system is read-only',
  EIO: 'the disk failed',
  EFBIG: 'it would be larger than this user may write (ulimit -f)',
};
