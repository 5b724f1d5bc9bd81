import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root, run } from './processes.ts';

/** Folder with a `node_modules`, or what npm said when the packages cannot be had. */
export type Fetched = { readonly folder: string } | { readonly problem: string };

/**
 * Packages that are too heavy to be dependencies and needed now and then: fetched from the npm registry on first use and kept in
 * `.cache/`.
 *
 * @param name of the folder. It must say the versions: what is there is taken as it is
 * @param specs with exact versions, such as `bun@1.4.5`
 * @param options.runsScripts whether their install scripts may run, by which some fetch their program. Default false
 */
export async function fetchPackages(
  name: string,
  specs: readonly string[],
  { runsScripts = false }: { readonly runsScripts?: boolean } = {},
): Promise<Fetched> {
  const cache = join(root, '.cache', 'packages');
  const folder = join(cache, name);
  if (existsSync(folder)) return { folder };
  mkdirSync(cache, { recursive: true });
  // Beside it first: what an interrupted run leaves must not be taken for the whole.
  const temporary = mkdtempSync(join(cache, '.unfinished-'));
  try {
    writeFileSync(join(temporary, 'package.json'), '{ "private": true }');
    const options = ['--no-audit', '--no-fund', '--loglevel', 'error', ...(runsScripts ? [] : ['--ignore-scripts'])];
    const { code, output } = await run('npm', ['install', ...options, ...specs], { cwd: temporary });
    if (code !== 0) return { problem: output };
    if (!existsSync(folder)) renameSync(temporary, folder);
    return { folder };
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
}

/** The folder that `fetchPackages` has made before; null when there is none. */
export function findPackages(name: string): string | null {
  const folder = join(root, '.cache', 'packages', name);
  return existsSync(folder) ? folder : null;
}
