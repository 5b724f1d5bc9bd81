import { findPackageJSON } from 'node:module';
import { pathToFileURL } from 'node:url';

const manifest = findPackageJSON('..', import.meta.url);

/**
 * Returns the URL of a file that the build writes to this package's `dist`; the same in the sources and in the bundle.
 */
export function builtFile(name: string): URL {
  if (manifest === undefined) throw new Error('package.json is missing');
  return new URL(`dist/${name}`, pathToFileURL(manifest));
}
