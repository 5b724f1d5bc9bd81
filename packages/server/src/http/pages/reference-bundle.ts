import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { builtFile } from '@svc/engine/runtime/built-file';

/**
 * The gzipped script of the API reference, copied from its package at build time.
 */
export const REFERENCE_BUNDLE = builtFile('api-reference.js.gz', import.meta.url);

/** Returns the gzipped script; in an unbuilt source tree, directly from the package. */
export async function readReferenceBundle(): Promise<Buffer> {
  try {
    return await readFile(REFERENCE_BUNDLE);
  } catch {
    return gzipReferenceBundle();
  }
}

/** Gzips the package's file. The package is a development dependency, so only a source tree has it. */
export async function gzipReferenceBundle(): Promise<Buffer> {
  const entry = import.meta.resolve('@scalar/api-reference');
  return promisify(gzip)(await readFile(new URL('browser/standalone.js', entry)), { level: 9 });
}
