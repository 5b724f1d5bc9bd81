import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';

/**
 * The script that renders the reference documentation, gzipped, copied at build time from the package that makes it.
 * This module lies directly in `src` so that the same relative address holds for the bundle in `dist`.
 */
export const REFERENCE_BUNDLE = new URL('../dist/api-reference.js.gz', import.meta.url);

/** The gzipped script; in a source tree that was not built, straight from the package. */
export async function readReferenceBundle(): Promise<Buffer> {
  try {
    return await readFile(REFERENCE_BUNDLE);
  } catch {
    return gzipReferenceBundle();
  }
}

/** The package's own file, gzipped. It is a development dependency: only a source tree has it. */
export async function gzipReferenceBundle(): Promise<Buffer> {
  const entry = import.meta.resolve('@scalar/api-reference');
  return promisify(gzip)(await readFile(new URL('browser/standalone.js', entry)), { level: 9 });
}
