/**
 * The embedded backend: PostgreSQL compiled to WebAssembly, in this process.
 *
 * It runs the same SQL as PostgreSQL, with three differences. It has one connection, so the pool has one. It does not
 * lock its folder, so a second process would silently lose rows; `data-dir-lock.ts` prevents that. It never syncs to
 * disk: a killed process loses nothing, a power cut may.
 */
import { readFile, rm, writeFile } from 'node:fs/promises';
import { PGlite, type PGliteOptions } from '@electric-sql/pglite';
import pg from 'pg';
import { builtFile } from '../../runtime/built-file.ts';
import { lockDataDir } from './data-dir-lock.ts';
import { createDatabase, type Database, poolTypes } from './db.ts';
import { assertRestored, completeMarkOf, hasPgliteDatabase, pgliteDirOf } from './pglite-folder.ts';
import { PgliteSocket } from './pglite-socket.ts';

/**
 * An empty, migrated database as a tarball, made at build time: loading it is much faster than creating one.
 */
export const PGLITE_TEMPLATE = builtFile('pglite-template.tar.gz', import.meta.url);

/**
 * PostgreSQL clears its page cache when it starts. With the usual 128 MB that takes half of the time of opening a database, and the
 * memory stays taken; pages that are not in the cache come from the operating system's, which costs the embedded database little.
 */
const START_PARAMETERS = [...PGlite.defaultStartParams, '-c', 'shared_buffers=16MB'];

/** Value instead of a folder for a database that ends with the process. */
export const IN_MEMORY = 'memory://';

/**
 * Opens the embedded database and locks its folder until `close`.
 *
 * @param dataDir folder, or `IN_MEMORY`
 * @throws DataDirInUseError when another process has the folder open
 * @throws ConfigError when a restore into the folder was interrupted
 */
export async function openPglite(dataDir: string): Promise<Database> {
  if (dataDir === IN_MEMORY) return wrapPglite(await createPglite());
  const unlock = await lockDataDir(dataDir);
  try {
    assertRestored(dataDir);
    return wrapPglite(await openOrCreate(dataDir), unlock);
  } catch (error) {
    await unlock();
    throw error;
  }
}

/** Wraps an open PGlite in the common handle. */
export function wrapPglite(
  pglite: Pick<PGlite, 'execProtocolRawStream' | 'close'>,
  onClosed: () => Promise<void> = async () => {},
): Database {
  const pool = new pg.Pool({ stream: () => new PgliteSocket(pglite), max: 1, idleTimeoutMillis: 0, types: poolTypes });
  return createDatabase({
    backend: 'pglite',
    pool,
    // The lock of the folder already shows that a server runs.
    announce: async () => false,
    canAnnounce: async () => true,
    listen: async () => {},
    close: async () => {
      await pool.end();
      await pglite.close();
      await onClosed();
    },
  });
}

/** Recreates a database without its completion mark, which a killed first start leaves behind. */
async function openOrCreate(dataDir: string): Promise<PGlite> {
  const databaseDir = pgliteDirOf(dataDir);
  if (hasPgliteDatabase(dataDir)) return startPglite({ dataDir: databaseDir });
  await rm(databaseDir, { recursive: true, force: true });
  const pglite = await createPglite(databaseDir);
  await writeFile(completeMarkOf(dataDir), '');
  return pglite;
}

/** Starts PGlite with the settings of every embedded database of ours. */
export function startPglite(options: PGliteOptions = {}): Promise<PGlite> {
  return PGlite.create({ ...options, startParams: START_PARAMETERS });
}

/** Creates a database, from the prepared one if it was built, which is much faster. */
export async function createPglite(databaseDir?: string): Promise<PGlite> {
  const template = await readPgliteTemplate();
  return startPglite({
    ...(databaseDir === undefined ? {} : { dataDir: databaseDir }),
    ...(template ? { loadDataDir: template } : {}),
  });
}

/** Returns the prepared database, or null when it was not built; the database is then created step by step. */
async function readPgliteTemplate(): Promise<Blob | null> {
  try {
    return new Blob([await readFile(PGLITE_TEMPLATE)]);
  } catch {
    return null;
  }
}
