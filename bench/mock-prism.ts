import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root, run } from '../scripts/processes.ts';

export const PRISM_VERSION = '5.16.0';

/**
 * The program of Prism. It is no dependency of the workspace (some 200 packages for one comparison): npm puts it into `.cache/` the
 * first time that it is needed.
 *
 * @returns null when it cannot be installed, which is said on stderr
 */
export async function installPrism(): Promise<string | null> {
  const folder = join(root, '.cache', `prism-${PRISM_VERSION}`);
  const programOf = (parent: string) => join(parent, 'node_modules', '@stoplight', 'prism-cli', 'dist', 'index.js');
  if (existsSync(programOf(folder))) return programOf(folder);

  process.stderr.write(`Installing @stoplight/prism-cli ${PRISM_VERSION} into .cache/, once.\n`);
  const unfinished = `${folder}.unfinished`;
  rmSync(unfinished, { recursive: true, force: true });
  mkdirSync(unfinished, { recursive: true });
  const manifest = { private: true, dependencies: { '@stoplight/prism-cli': PRISM_VERSION } };
  writeFileSync(join(unfinished, 'package.json'), JSON.stringify(manifest));
  const options = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel', 'error'];
  const installed = await run('npm', ['install', ...options], { cwd: unfinished });
  if (installed.code !== 0 || !existsSync(programOf(unfinished))) {
    process.stderr.write(`Prism could not be installed, so there is nothing to compare with:\n${installed.output}`);
    return null;
  }
  renameSync(unfinished, folder);
  return programOf(folder);
}
