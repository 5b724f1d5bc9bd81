/**
 * The embedded backend: PostgreSQL compiled to WebAssembly, in this process.
 *
 * It promises the same SQL as PostgreSQL. It breaks three promises, and this file mends two of them: it has one
 * connection (the pool is told so), and it does not lock its folder, so a second process would silently lose rows (our
 * own lock file, `data-dir-lock.ts`). It also never syncs to disk: a killed process loses nothing, a power cut may.
 */
import { access, rm } from 'node:fs/promises';
import path from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import { createPgConfig } from '@electric-sql/pglite/node-postgres';
import pg from 'pg';
import { readPgliteTemplate } from '../pglite-template.ts';
import { lockDataDir } from './data-dir-lock.ts';
import { createDatabase, type Database, poolTypes } from './db.ts';

export interface PgliteOptions {
  /** Folder of the database; `memory` for one that ends with the process. */
  dataDir: string;
  /** Start from an empty database, whatever the folder holds. Default false. */
  fresh?: boolean;
  /** Prepared database to start an empty folder from; `null` for none. Default: the one made at build time, if any. */
  template?: Blob | null;
}

/**
 * Opens the embedded database and locks its folder until `close`.
 *
 * @throws DataDirInUseError when another process has the folder open
 */
export async function openPglite(options: PgliteOptions): Promise<Database> {
  if (options.dataDir === 'memory') return wrapPglite(await startPglite(undefined, options.template), async () => {});
  const unlock = await lockDataDir(options.dataDir);
  try {
    const databaseDir = path.join(options.dataDir, 'pglite');
    if (options.fresh) await rm(databaseDir, { recursive: true, force: true });
    return wrapPglite(await startPglite(databaseDir, options.template), unlock);
  } catch (error) {
    await unlock();
    throw error;
  }
}

/** Puts an open PGlite behind the common handle. */
export function wrapPglite(pglite: PGlite, unlock: () => Promise<void>): Database {
  const pool = new pg.Pool({ ...createPgConfig(pglite), max: 1, idleTimeoutMillis: 0, types: poolTypes });
  return createDatabase('pglite', pool, async () => {
    await pool.end();
    await pglite.close();
    await unlock();
  });
}

async function startPglite(databaseDir: string | undefined, template: Blob | null | undefined): Promise<PGlite> {
  const isNew = databaseDir === undefined || !(await exists(path.join(databaseDir, 'PG_VERSION')));
  const prepared = isNew ? (template === undefined ? await readPgliteTemplate() : template) : null;
  return PGlite.create({
    ...(databaseDir === undefined ? {} : { dataDir: databaseDir }),
    ...(prepared ? { loadDataDir: prepared } : {}),
  });
}

async function exists(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}
