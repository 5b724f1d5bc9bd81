import { findPackageJSON } from 'node:module';
import { pathToFileURL } from 'node:url';

const manifest = findPackageJSON('..', import.meta.url);

/** The URL of a file that the build puts into this package's `dist`; the same from the sources and from the bundle. */
export function builtFile(name: string): URL {
  if (manifest === undefined) throw new Error('package.json is missing');
  return new URL(`dist/${name}`, pathToFileURL(manifest));
}
