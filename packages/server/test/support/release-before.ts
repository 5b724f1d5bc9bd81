/** The release before this one, made runnable from this repository's own history. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** Moved at each release (CONTRIBUTING, Releasing): the commit whose servers must work beside those of this one. */
export const RELEASE_BEFORE = '07cc9cde';

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));

/**
 * Installs the release, the first time for about half a minute; later runs find it in `.cache`.
 *
 * @returns the entry point of its `svc-server`, and the demo world as the release reads it; null when this clone lacks its commit
 */
export function installReleaseBefore(): { main: string; world: string } | null {
  const git = (...args: string[]) => execFileSync('git', args, { cwd: ROOT, encoding: 'utf8', stdio: 'pipe' }).trim();
  let commit = '';
  try {
    commit = git('rev-parse', '--verify', `${RELEASE_BEFORE}^{commit}`);
  } catch {
    return null;
  }
  const folder = path.join(ROOT, '.cache', 'release-before', commit);
  const installed = {
    main: path.join(folder, 'packages', 'server', 'src', 'main', 'main.ts'),
    world: path.join(folder, 'fixtures', 'demo-world.json'),
  };
  const mark = path.join(folder, '.installed');
  if (existsSync(mark)) return installed;
  rmSync(path.dirname(folder), { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  execFileSync('bash', ['-o', 'pipefail', '-c', `git archive ${commit} | tar --extract --directory "$0"`, folder], {
    cwd: ROOT,
  });
  execFileSync(process.execPath, ['scripts/setup.mjs'], { cwd: folder, stdio: 'pipe' });
  writeFileSync(mark, '');
  return installed;
}
