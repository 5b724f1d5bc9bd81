/**
 * The embedded backend: PostgreSQL compiled to WebAssembly, in this process.
 *
 * It runs the same SQL as PostgreSQL, with three differences. It has one connection, so the pool has one. It does not
 * lock its folder, so a second process would silently lose rows; `data-dir-lock.ts` prevents that. It never syncs to
 * disk: a killed process loses nothing, a power cut may.
 */
import { createReadStream, existsSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { createZstdDecompress, zstdDecompress } from 'node:zlib';
import { PGlite, type PGliteOptions } from '@electric-sql/pglite';
import pg from 'pg';
import { builtFile } from '../../runtime/built-file.ts';
import { lockDataDir } from './data-dir-lock.ts';
import { createDatabase, type Database, poolTypes } from './db.ts';
import { assertRestored, completeMarkOf, hasPgliteDatabase, pgliteDirOf } from './pglite-folder.ts';
import { compileParser, compilePglite } from './pglite-module.ts';
import { PgliteSocket } from './pglite-socket.ts';

/** The files of an empty, migrated database, made at build time: unpacking them takes a tenth of what creating a database does. */
export const PGLITE_TEMPLATE = builtFile('pglite-template.tar.zst', import.meta.url);

/**
 * PostgreSQL clears its page cache when it starts. With the usual 128 MB that takes half of the time of opening a database, and the
 * memory stays taken; pages that are not in the cache come from the operating system's, which costs the embedded database little.
 */
const START_PARAMETERS = [...PGlite.defaultStartParams, '-c', 'shared_buffers=16MB'];

const CHUNK_BYTES = 1024 ** 2;

/** Value instead of a folder for a database that ends with the process. */
export const IN_MEMORY = 'memory://';

/**
 * Opens the embedded database and locks its folder until `close`.
 *
 * @param dataDir folder, or `IN_MEMORY`
 * @param assertUsable asked once the folder is locked, so that nobody changes it afterwards. Default: it is
 * @throws DataDirInUseError when another process has the folder open
 * @throws ConfigError when a restore into the folder was interrupted
 */
export async function openPglite(dataDir: string, assertUsable = async (): Promise<void> => {}): Promise<Database> {
  if (dataDir === IN_MEMORY) return wrapPglite(await createPglite());
  const unlock = await lockDataDir(dataDir);
  try {
    assertRestored(dataDir);
    await assertUsable();
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

/** PGlite that does not first look for the array types of the database: only its own parsers need them, and `pg` reads the answers. */
class PgliteOfDriver extends PGlite {
  override async _initArrayTypes(): Promise<void> {}
}

/** Starts PGlite with the settings of every embedded database of ours. */
export async function startPglite(options: PGliteOptions = {}): Promise<PGlite> {
  const pgliteWasmModule = await compilePglite();
  const pglite = new PgliteOfDriver({ ...options, pgliteWasmModule, startParams: START_PARAMETERS });
  await pglite.waitReady;
  compileParser(pglite);
  return pglite;
}

/**
 * Creates a database from the prepared one, or step by step where that was not built.
 *
 * @param databaseDir folder that does not exist; default: in memory
 * @param template file of the prepared database
 */
export async function createPglite(databaseDir?: string, template: URL = PGLITE_TEMPLATE): Promise<PGlite> {
  if (!existsSync(template)) return startPglite(databaseDir === undefined ? {} : { dataDir: databaseDir });
  if (databaseDir === undefined) return dateAnew(await startPglite({ loadDataDir: await readTemplate(template) }));
  await unpackTemplate(template, databaseDir);
  try {
    return await dateAnew(await startPglite({ dataDir: databaseDir }));
  } catch {
    // An installation that replaced PGlite by another version cannot read the prepared files.
    await rm(databaseDir, { recursive: true, force: true });
    return startPglite({ dataDir: databaseDir });
  }
}

/** The migrations of the prepared database have the date of its build, which may be long ago. */
async function dateAnew(pglite: PGlite): Promise<PGlite> {
  await pglite.exec(`update schema_migrations set applied_at = clock_timestamp();
    update migration_steps set done_at = clock_timestamp()`);
  return pglite;
}

async function readTemplate(template: URL): Promise<Blob> {
  return new Blob([await promisify(zstdDecompress)(await readFile(template))]);
}

/** Writes the files directly: PGlite's own way, through the file system of WebAssembly, takes three times as long. */
async function unpackTemplate(template: URL, databaseDir: string): Promise<void> {
  const { unpackTar } = await import('modern-tar/fs');
  await pipeline(
    createReadStream(template, { highWaterMark: CHUNK_BYTES }),
    createZstdDecompress({ chunkSize: CHUNK_BYTES }),
    unpackTar(databaseDir, { fmode: 0o600, dmode: 0o700 }),
  );
}
