/** The part of a backup for which the database must be open: the copy of its files, and the record that it was used. */
import { copyFile, mkdir, readdir, realpath, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { keyFileOf } from '@svc/engine/secrets/key-material';
import { readSchemaState } from '@svc/engine/store/migrations/migrate';
import { copyEmbeddedDatabase, NoSpaceError } from '@svc/engine/store/database/embedded-copy';
import { pgliteDirOf } from '@svc/engine/store/database/pglite-folder';
import { KEY_FILE } from '@svc/engine/store/database/private-folder';
import { hasEnded, identifyProcess } from '@svc/engine/runtime/process-identity';
import { VERSION } from '@svc/engine/runtime/version';
import * as declared from '../declared/backup.ts';
import { countJobs } from '../store/installation.ts';
import { AdminError, conflict } from './admin-error.ts';
import { type AdminContext, implement } from './operation.ts';

/** The process that reads the copy, and when it began where that can be known. */
const COPY = /^backup-copy-(\d+)(?:-(\d+))?$/;

/** Copies database and key to a folder that only this user can read. Statements go on meanwhile. */
export const copyForBackup = implement(declared.copyForBackup, async (ctx, { pid }) => {
  const dataDir = folderOf(ctx);
  await removeCopies(dataDir, pid);
  const started = identifyProcess(pid)?.started;
  const folder = path.join(dataDir, started === undefined ? `backup-copy-${pid}` : `backup-copy-${pid}-${started}`);
  try {
    await mkdir(folder, { mode: 0o700 });
    const { newest: schema } = await readSchemaState(ctx.db);
    // Before the copy: what is acknowledged by then is in it.
    const createdAt = ctx.clock.now().toISOString();
    await copyEmbeddedDatabase(ctx.db, pgliteDirOf(dataDir), path.join(folder, 'pglite'));
    const manifest: declared.Manifest = {
      release: VERSION,
      schema,
      createdAt,
      host: os.hostname(),
      dataDir: await realpath(dataDir),
      waitingJobs: await countJobs(ctx.db),
      hasKey: await copyKey(dataDir, folder),
    };
    return { folder: path.resolve(folder), manifest };
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    if (error instanceof NoSpaceError) throw conflict(error.message);
    throw error;
  }
});

/** Deletes the copy. The audit entry of this call is what the doctor knows of backups. */
export const finishBackup = implement(declared.finishBackup, async (ctx, { pid }) => {
  const dataDir = folderOf(ctx);
  for (const copy of await listCopies(dataDir))
    if (copy.pid === pid) await rm(copy.folder, { recursive: true, force: true });
  return {};
});

interface Copy {
  folder: string;
  pid: number;
  started: string | undefined;
}

async function listCopies(dataDir: string): Promise<Copy[]> {
  const names = await readdir(dataDir);
  return names.flatMap((name) => {
    const [, pid, started] = COPY.exec(name) ?? [];
    return pid === undefined ? [] : [{ folder: path.join(dataDir, name), pid: Number(pid), started }];
  });
}

/** Removes the copies of processes that are gone. */
async function removeCopies(dataDir: string, reader: number): Promise<void> {
  for (const copy of await listCopies(dataDir)) {
    // A container gives its pids again.
    if (copy.pid !== reader && isRead(copy)) throw conflict(`Process ${copy.pid} is making a backup of ${dataDir}.`);
    await rm(copy.folder, { recursive: true, force: true });
  }
}

function isRead({ pid, started }: Copy): boolean {
  // The pid may belong to another process by now, or to a thread.
  const found = identifyProcess(pid);
  if (found !== null && started !== undefined) return !hasEnded({ ...found, started });
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // The process belongs to another user.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/** @returns false when the key is not in the folder but in `SVC_ENCRYPTION_KEY` */
async function copyKey(dataDir: string, folder: string): Promise<boolean> {
  try {
    await copyFile(keyFileOf(dataDir), path.join(folder, KEY_FILE));
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return false;
    throw error;
  }
}

function folderOf({ dataDir }: AdminContext): string {
  if (dataDir === undefined) throw new AdminError('conflict', 'Only an embedded database is copied.');
  return dataDir;
}
