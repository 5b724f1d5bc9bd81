import { join } from 'node:path';
import { fetchPackages } from '../../scripts/fetched-packages.ts';

export const PRISM_VERSION = '5.16.0';

/**
 * Returns the path of Prism's program. Prism is not a dependency, because it has some 200 packages.
 *
 * @returns null when it cannot be installed, with a message on stderr
 */
export async function installPrism(): Promise<string | null> {
  const fetched = await fetchPackages(`prism-${PRISM_VERSION}`, [`@stoplight/prism-cli@${PRISM_VERSION}`]);
  if ('folder' in fetched) return join(fetched.folder, 'node_modules', '@stoplight', 'prism-cli', 'dist', 'index.js');
  process.stderr.write(`Prism could not be installed, measured without it:\n${fetched.problem}`);
  return null;
}
