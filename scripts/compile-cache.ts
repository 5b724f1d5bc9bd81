/**
 * The compile cache of the programs of cli, mock and server; each build bundles this file as `dist/compile-cache.js`.
 *
 * It has no imports: importing `node:fs` reads every export, which loads streams.
 */
const { existsSync, lstatSync, mkdirSync, realpathSync } = process.getBuiltinModule('node:fs');
const path = process.getBuiltinModule('node:path');

/**
 * Enables Node's compile cache (Node 22.8 or newer) in a folder that only this user can enter. Node's default is below the temporary folder,
 * where another user could create it first and leave code that this user then runs. Without a safe folder there is no cache.
 */
export function enableCompileCache(): void {
  try {
    const { env } = process;
    const { enableCompileCache: enable } = process.getBuiltinModule('node:module');
    // NODE_COMPILE_CACHE has enabled the cache already.
    if (enable === undefined || env['NODE_COMPILE_CACHE'] || env['NODE_DISABLE_COMPILE_CACHE']) return;
    const named = cacheFolder();
    if (named === null) return;
    makeFolder(named);
    // Resolves links once, so that changing them later has no effect.
    const folder = path.join(realpathSync(path.dirname(named)), 'compiled');
    if (isPrivate(folder)) enable(folder);
  } catch {
    // A user without a home, a file where the folder should be: no reason to fail.
  }
}

/** Creates a folder level by level: `mkdirSync` with `recursive` never returns where a level cannot be created (`/proc`). */
function makeFolder(folder: string): void {
  if (existsSync(folder)) return;
  makeFolder(path.dirname(folder));
  mkdirSync(folder, { mode: 0o700 });
}

/** Returns oclif's cache folder, which cli, mock and server share; null when the user has no home. */
function cacheFolder(): string | null {
  const { env, platform } = process;
  const home = env['HOME'] || process.getBuiltinModule('node:os').homedir();
  const given = env['SVC_CACHE_DIR'];
  if (given) return path.resolve(given, 'compiled');
  if (platform === 'darwin' && home) return path.resolve(home, 'Library', 'Caches', 'svc', 'compiled');
  const base =
    env['XDG_CACHE_HOME'] || (platform === 'win32' && env['LOCALAPPDATA']) || (home && path.join(home, '.cache'));
  return base ? path.resolve(base, 'svc', 'compiled') : null;
}

/**
 * Returns whether the folder belongs to this user with mode 0700 and only root can replace it. Windows has no modes; there the folder is in
 * the user's profile.
 */
function isPrivate(folder: string): boolean {
  const user = process.getuid?.();
  if (user === undefined) return true;
  const found = lstatSync(folder);
  if (!found.isDirectory() || found.uid !== user || (found.mode & 0o077) !== 0) return false;
  for (let child = folder; path.dirname(child) !== child; child = path.dirname(child)) {
    const { uid, mode } = lstatSync(path.dirname(child));
    // In a sticky folder, such as /tmp, only the owner of an entry may rename it.
    const isShared = (mode & 0o022) !== 0 && (mode & 0o1000) === 0;
    if (isShared || (uid !== 0 && uid !== user)) return false;
  }
  return true;
}
