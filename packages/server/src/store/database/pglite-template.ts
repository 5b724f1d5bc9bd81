import { readFile } from 'node:fs/promises';
import { builtFile } from '../../runtime/built-file.ts';

/**
 * An empty, migrated database as a tarball, made at build time: loading it is much faster than creating one.
 */
export const PGLITE_TEMPLATE = builtFile('pglite-template.tar.gz');

/** Returns the prepared database, or null when it was not built; the database is then created step by step. */
export async function readPgliteTemplate(): Promise<Blob | null> {
  try {
    return new Blob([await readFile(PGLITE_TEMPLATE)]);
  } catch {
    return null;
  }
}
