/**
 * What the bins of cli, mock and server share: each build bundles this file as `dist/compile-cache.js`.
 *
 * It imports nothing: an import of `node:fs` would read every export, and with them load streams.
 */
const { existsSync, lstatSync, mkdirSync, realpathSync } = process.getBuiltinModule('node:fs');
const path = process.getBuiltinModule('node:path');

/**
 * Has Node (from 22.8 on) keep what V8 compiled from our code for the next start, in a folder that only this user can enter.
 * Node's own default is below the temporary folder: whoever makes that first could leave code there that others then run.
 * Without a safe folder nothing is kept, and everything works as before, a little slower.
 */
export function enableCompileCache(): void {
  try {
    const { env } = process;
    const { enableCompileCache: enable } = process.getBuiltinModule('node:module');
    // With the former, Node has done it by itself.
    if (enable === undefined || env['NODE_COMPILE_CACHE'] || env['NODE_DISABLE_COMPILE_CACHE']) return;
    const named = cacheFolder();
    if (named === null) return;
    makeFolder(named);
    // Links on the way are followed once, here: where they point to later makes no difference.
    const folder = path.join(realpathSync(path.dirname(named)), 'compiled');
    if (isPrivate(folder)) enable(folder);
  } catch {
    // A user without a home, a file where the folder should be: no reason to fail.
  }
}

/** Level by level: where one cannot be made (`/proc`), Node's own way of making several at once never ends. */
function makeFolder(folder: string): void {
  if (existsSync(folder)) return;
  makeFolder(path.dirname(folder));
  mkdirSync(folder, { mode: 0o700 });
}

/** oclif's cache folder, used by cli, mock and server; null when the user has no home. */
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
 * Whether the folder is this user's own with mode 0700, and nobody else (but root) can put another in its place. Windows has no
 * modes; there the folder is in the user's profile.
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
