import { findPackageJSON } from 'node:module';
import { pathToFileURL } from 'node:url';

/**
 * Returns the URL of a file that the build writes to the `dist` of the package of a module.
 *
 * @param moduleUrl `import.meta.url` of the module: in the sources that of its package, in the bundle that of svc-server
 */
export function builtFile(name: string, moduleUrl: string): URL {
  const manifest = findPackageJSON('..', moduleUrl);
  if (manifest === undefined) throw new Error('package.json is missing');
  return new URL(`dist/${name}`, pathToFileURL(manifest));
}
