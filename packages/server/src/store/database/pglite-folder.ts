/** Paths of the embedded database in the data directory. A separate module, so that checks do not load PGlite. */
import { existsSync } from 'node:fs';
import path from 'node:path';

export function pgliteDirOf(dataDir: string): string {
  return path.join(dataDir, 'pglite');
}

/** Marks a complete database; a killed first start leaves none. */
export function completeMarkOf(dataDir: string): string {
  return path.join(dataDir, 'pglite.complete');
}

export function hasPgliteDatabase(dataDir: string): boolean {
  return existsSync(completeMarkOf(dataDir));
}
