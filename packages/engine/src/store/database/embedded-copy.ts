/**
 * Copies the files of the embedded database while it is in use, as PostgreSQL's own base backup does: between
 * `pg_backup_start` and `pg_backup_stop` the files may be copied in any state, because the write-ahead log of that time
 * repairs them when the copy is opened. No statement waits.
 */
import { constants } from 'node:fs';
import { copyFile, mkdir, readdir, stat, statfs, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Database } from './db.ts';

/** The disk has no room for the copy. */
export class NoSpaceError extends Error {
  override readonly name = 'NoSpaceError';
}

const WAL_FOLDER = 'pg_wal';
const WAL_SEGMENT = /^[0-9A-F]{24}$/;
/** Files that a copy must not have: they belong to the process that has the original open. */
const LEFT_OUT = new Set(['postmaster.pid', 'postmaster.opts', 'pgsql_tmp']);
/** Left to the running server, which answers posts with 503 on a full disk. */
const SPARE_BYTES = 256 * 1024 ** 2;

/** Databases that are being copied: a checkpoint would delete the log that the copy needs. */
const copied = new WeakSet<Database>();

/**
 * Copies the database to a new folder.
 *
 * @param from the folder that `db` has open
 * @param to must not exist
 * @throws NoSpaceError before anything is written
 */
export async function copyEmbeddedDatabase(db: Database, from: string, to: string): Promise<void> {
  if (copied.has(db)) throw new Error('The embedded database is being copied already.');
  copied.add(db);
  try {
    await assertSpace(from, path.dirname(to));
    const started = await db.query<{ segment: string }>(
      `select pg_walfile_name(pg_backup_start('svc-server backup', true)) as segment`,
    );
    let stopped: { label: string; segment: string } | undefined;
    try {
      await copyFolder(from, to);
    } finally {
      const { rows } = await db.query<{ label: string; segment: string }>(
        'select labelfile as label, pg_walfile_name(lsn) as segment from pg_backup_stop(false)',
      );
      [stopped] = rows;
    }
    const first = started.rows[0]?.segment;
    if (first === undefined || stopped === undefined) throw new Error('pg_backup_start did not answer.');
    const names = await readdir(path.join(from, WAL_FOLDER));
    // The oldest is the first to be deleted.
    if (!names.includes(first)) throw new Error('The log of the copy is incomplete: somebody ran a checkpoint.');
    for (const name of names) {
      if (!WAL_SEGMENT.test(name) || name < first || name > stopped.segment) continue;
      await copyFile(path.join(from, WAL_FOLDER, name), path.join(to, WAL_FOLDER, name));
    }
    await writeFile(path.join(to, 'backup_label'), stopped.label);
  } finally {
    copied.delete(db);
  }
}

/**
 * Lets the embedded database forget log that it needs no more, which only a process of its own would do otherwise. Does
 * nothing while the database is being copied.
 */
export async function checkpoint(db: Database): Promise<void> {
  if (!copied.has(db)) await db.query('checkpoint');
}

/** Copies files and folders without the log. A file that is dropped meanwhile is not needed. */
async function copyFolder(from: string, to: string): Promise<void> {
  await mkdir(to, { recursive: true, mode: 0o700 });
  for (const entry of await readdir(from, { withFileTypes: true })) {
    if (LEFT_OUT.has(entry.name) || WAL_SEGMENT.test(entry.name)) continue;
    const [source, target] = [path.join(from, entry.name), path.join(to, entry.name)];
    if (entry.isDirectory()) await copyFolder(source, target);
    else await copyFile(source, target, constants.COPYFILE_FICLONE).catch(ignoreMissing);
  }
}

async function assertSpace(from: string, disk: string): Promise<void> {
  const needed = (await sizeOf(from)) + SPARE_BYTES;
  const { bavail, bsize } = await statfs(disk);
  if (bavail * bsize >= needed) return;
  const toMb = (bytes: number) => Math.ceil(bytes / 1024 ** 2);
  throw new NoSpaceError(
    `A backup needs ${toMb(needed)} MB for a copy of the database in ${disk}, and ${toMb(bavail * bsize)} MB are free.`,
  );
}

async function sizeOf(folder: string): Promise<number> {
  let bytes = 0;
  for (const entry of await readdir(folder, { withFileTypes: true, recursive: true })) {
    if (!entry.isFile()) continue;
    const found = await stat(path.join(entry.parentPath, entry.name)).catch(ignoreMissing);
    bytes += found?.size ?? 0;
  }
  return bytes;
}

function ignoreMissing(error: unknown): undefined {
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return;
  throw error;
}
