import type { Manifest } from '@svc/operations/declared/backup';
import { createWriteStream, existsSync } from 'node:fs';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { finished, pipeline } from 'node:stream/promises';
import type { Decrypter } from 'age-encryption';
import { markAsCopy, settleDataDir } from '@svc/engine/store/database/data-dir-home';
import { lockDataDir } from '@svc/engine/store/database/data-dir-lock';
import type { Database } from '@svc/engine/store/database/db';
import {
  completeMarkOf,
  hasPgliteDatabase,
  pgliteDirOf,
  unfinishedRestoreMarkOf,
} from '@svc/engine/store/database/pglite-folder';
import { KEY_FILE, makePrivateFolder } from '@svc/engine/store/database/private-folder';
import { knownSchema, readSchemaState, SchemaError } from '@svc/engine/store/migrations/migrate';
import { BackupError, DATABASE, KEY, readArchive, syncFolder } from './archive.ts';

export interface RestoreOptions {
  decrypter: Decrypter;
  dataDir: string;
  /** Moves what is in the folder aside. Default: refuse a folder with a database or key. */
  replaces: boolean;
  /** No server uses the original any more, so `start` need not ask. */
  acceptsCopy: boolean;
  now: Date;
}

export interface Restored {
  manifest: Manifest;
  /** The folder with what was there before; null when there was nothing. */
  aside: string | null;
}

/**
 * Restores a backup into a data directory that no server has open. The folder changes only after the whole file was
 * read and its database has been opened; a restore that is killed while it changes leaves a mark that `start` refuses.
 *
 * @throws BackupError, SchemaError for a backup of a newer release, DataDirInUseError, ConfigError for an unsafe folder
 */
export async function restoreBackup(file: string, options: RestoreOptions): Promise<Restored> {
  const { dataDir, replaces, decrypter } = options;
  await makePrivateFolder(dataDir);
  const unlock = await lockDataDir(dataDir);
  const mark = unfinishedRestoreMarkOf(dataDir);
  const draft = path.join(dataDir, 'restoring');
  const wasUnfinished = existsSync(mark);
  let isChanging = wasUnfinished;
  try {
    const found = [DATABASE, KEY].filter((name) => existsSync(path.join(dataDir, name)));
    if (found.length > 0 && !replaces && !wasUnfinished) {
      throw new BackupError(
        `${path.resolve(dataDir)} has ${found.join(' and ')} already. Choose another folder with --data-dir, or move that aside with --replace.`,
      );
    }
    await rm(draft, { recursive: true, force: true });
    // Without a database a start would create an empty one.
    if (!hasPgliteDatabase(dataDir)) await writeFile(mark, '', { flush: true });
    const manifest = await extract(file, decrypter, draft);
    await openOnce(path.join(draft, DATABASE), file);
    isChanging = true;
    const aside = await exchange(dataDir, draft, options.now);
    if (options.acceptsCopy) await settleDataDir(dataDir);
    else await markAsCopy(dataDir, `${manifest.dataDir} on ${manifest.host}`);
    await rm(mark);
    await syncFolder(dataDir);
    return { manifest, aside };
  } catch (error) {
    if (!isChanging) {
      await rm(draft, { recursive: true, force: true });
      await rm(mark, { force: true });
    }
    throw explainDisk(dataDir, error);
  } finally {
    await unlock();
  }
}

/**
 * Reads the whole file without writing anything.
 *
 * @throws BackupError, SchemaError
 */
export async function verifyBackup(file: string, decrypter: Decrypter): Promise<Manifest> {
  return readArchive(file, decrypter, {
    manifest: assertKnownSchema,
    folder: async () => {},
    file: async (_name, body) => {
      await finished(body.resume());
    },
  });
}

async function extract(file: string, decrypter: Decrypter, draft: string): Promise<Manifest> {
  await mkdir(draft, { mode: 0o700 });
  return readArchive(file, decrypter, {
    manifest: assertKnownSchema,
    folder: async (name) => void (await mkdir(path.join(draft, name), { recursive: true, mode: 0o700 })),
    file: (name, body) =>
      pipeline(body, createWriteStream(path.join(draft, name), { flags: 'wx', mode: 0o600, flush: true })),
  });
}

function assertKnownSchema({ schema, release }: Manifest): void {
  const known = knownSchema();
  if (schema <= known) return;
  throw new SchemaError(
    `The backup has schema version ${schema} and this svc-server knows only ${known}: use release ${release} or a newer one.`,
  );
}

/** Repairs the copied files with their log, and finds out whether this release can read them. */
async function openOnce(databaseDir: string, file: string): Promise<void> {
  const { startPglite, wrapPglite } = await import('@svc/engine/store/database/pglite');
  let db: Database | undefined;
  try {
    db = wrapPglite(await startPglite({ dataDir: databaseDir }));
    await readSchemaState(db);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new BackupError(`The database in ${file} cannot be opened by this release: ${reason}`, { cause: error });
  } finally {
    await db?.close();
  }
}

/** Moves the old files aside and the new ones in. Each step is a rename; the mark covers those between. */
async function exchange(dataDir: string, draft: string, now: Date): Promise<string | null> {
  await writeFile(unfinishedRestoreMarkOf(dataDir), '', { flush: true });
  const aside = path.join(dataDir, `replaced-${now.toISOString().replaceAll(/[:.]/g, '-')}`);
  const old = [pgliteDirOf(dataDir), path.join(dataDir, KEY_FILE)].filter((file) => existsSync(file));
  await rm(completeMarkOf(dataDir), { force: true });
  if (old.length > 0) await mkdir(aside, { mode: 0o700 });
  for (const file of old) await rename(file, path.join(aside, path.basename(file)));
  for (const name of [DATABASE, KEY]) {
    if (existsSync(path.join(draft, name))) await rename(path.join(draft, name), path.join(dataDir, name));
  }
  await writeFile(completeMarkOf(dataDir), '', { flush: true });
  await rm(draft, { recursive: true });
  return old.length > 0 ? aside : null;
}

function explainDisk(dataDir: string, error: unknown): unknown {
  const isFull = error instanceof Error && 'code' in error && (error.code === 'ENOSPC' || error.code === 'EDQUOT');
  if (!isFull) return error;
  return new BackupError(`The disk of ${path.resolve(dataDir)} is full: nothing was restored.`, { cause: error });
}
