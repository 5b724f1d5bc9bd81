import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root, run } from './processes.ts';

/** The folder with the `node_modules`, or npm's output when the packages could not be installed. */
export type Fetched = { readonly folder: string } | { readonly problem: string };

/**
 * Installs packages that are too large to be dependencies, on first use, into `.cache/`.
 *
 * @param name of the folder; it must contain the versions, because an existing folder is used as it is
 * @param specs with exact versions, such as `bun@1.4.5`
 * @param options.runsScripts whether install scripts may run; some packages download their program there. Default false
 * @param options.overrides versions of packages that others depend on, as in `package.json` of npm. Default none
 */
export async function fetchPackages(
  name: string,
  specs: readonly string[],
  {
    runsScripts = false,
    overrides = {},
  }: { readonly runsScripts?: boolean; readonly overrides?: Readonly<Record<string, string>> } = {},
): Promise<Fetched> {
  const cache = join(root, '.cache', 'packages');
  const folder = join(cache, name);
  if (existsSync(folder)) return { folder };
  mkdirSync(cache, { recursive: true });
  // Installs into a temporary folder first, so that an interrupted run leaves no incomplete folder.
  const temporary = mkdtempSync(join(cache, '.unfinished-'));
  try {
    writeFileSync(join(temporary, 'package.json'), JSON.stringify({ private: true, overrides }));
    const options = ['--no-audit', '--no-fund', '--loglevel', 'error', ...(runsScripts ? [] : ['--ignore-scripts'])];
    const { code, output } = await run('npm', ['install', ...options, ...specs], { cwd: temporary });
    if (code !== 0) return { problem: output };
    if (!existsSync(folder)) renameSync(temporary, folder);
    return { folder };
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
}

/** Returns the folder that `fetchPackages` made earlier, or null. */
export function findPackages(name: string): string | null {
  const folder = join(root, '.cache', 'packages', name);
  return existsSync(folder) ? folder : null;
}
