import { readFile } from 'node:fs/promises';

/**
 * An empty, migrated database as a tarball, made at build time: loading it takes a fraction of creating one.
 * This module lies directly in `src` so that the same relative address holds for the bundle in `dist`.
 */
export const PGLITE_TEMPLATE = new URL('../dist/pglite-template.tar.gz', import.meta.url);

/** The prepared database, or null where it was not built; the database is then created step by step. */
export async function readPgliteTemplate(): Promise<Blob | null> {
  try {
    return new Blob([await readFile(PGLITE_TEMPLATE)]);
  } catch {
    return null;
  }
}
