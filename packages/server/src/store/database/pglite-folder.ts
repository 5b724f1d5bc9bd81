/** What the data directory holds of the embedded database. A module of its own: looking needs nothing of PGlite. */
import { existsSync } from 'node:fs';
import path from 'node:path';

export function pgliteDirOf(dataDir: string): string {
  return path.join(dataDir, 'pglite');
}

/** Written once the database is complete: what a killed first start left behind is none. */
export function completeMarkOf(dataDir: string): string {
  return path.join(dataDir, 'pglite.complete');
}

export function hasPgliteDatabase(dataDir: string): boolean {
  return existsSync(completeMarkOf(dataDir));
}
