/** Paths of the embedded database in the data directory. A separate module, so that checks do not load PGlite. */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { ConfigError } from '../../config/config.ts';

export function pgliteDirOf(dataDir: string): string {
  return path.join(dataDir, 'pglite');
}

/** Marks a complete database; a killed first start leaves none. */
export function completeMarkOf(dataDir: string): string {
  return path.join(dataDir, 'pglite.complete');
}

/** Present while a restore is changing the folder; a killed one leaves it behind. */
export function unfinishedRestoreMarkOf(dataDir: string): string {
  return path.join(dataDir, 'restore.unfinished');
}

/** @throws ConfigError when the folder holds half a restored database */
export function assertRestored(dataDir: string): void {
  if (!existsSync(unfinishedRestoreMarkOf(dataDir))) return;
  throw new ConfigError(
    `A restore into the data directory ${path.resolve(dataDir)} was interrupted: run svc-server restore again, with the same or another backup.`,
  );
}

export function hasPgliteDatabase(dataDir: string): boolean {
  return existsSync(completeMarkOf(dataDir));
}
