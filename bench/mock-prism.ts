import { join } from 'node:path';
import { fetchPackages } from '../scripts/fetched-packages.ts';

export const PRISM_VERSION = '5.16.0';

/**
 * The program of Prism. It is no dependency of the workspace: some 200 packages for one comparison.
 *
 * @returns null when it cannot be installed, which is said on stderr
 */
export async function installPrism(): Promise<string | null> {
  const fetched = await fetchPackages(`prism-${PRISM_VERSION}`, [`@stoplight/prism-cli@${PRISM_VERSION}`]);
  if ('folder' in fetched) return join(fetched.folder, 'node_modules', '@stoplight', 'prism-cli', 'dist', 'index.js');
  process.stderr.write(`Prism could not be installed, so there is nothing to compare with:\n${fetched.problem}`);
  return null;
}
