import { readFile } from 'node:fs/promises';

/**
 * An empty, migrated database as a tarball, made at build time: loading it is much faster than creating one. This
 * module must\nbe directly in `src`, so that the relative path is also right for the bundle in `dist`.
 */
export const PGLITE_TEMPLATE = new URL('../dist/pglite-template.tar.gz', import.meta.url);

/** Returns the prepared database, or null when it was not built; the database is then created step by step. */
export async function readPgliteTemplate(): Promise<Blob | null> {
  try {
    return new Blob([await readFile(PGLITE_TEMPLATE)]);
  } catch {
    return null;
  }
}
