import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/**
 * Returns whether a suite must be skipped because this machine lacks programs, and says so loudly.
 *
 * @throws Error in CI
 */
export function findLacking(suite: string, programs: readonly string[], { asRoot = false } = {}): boolean {
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin', '/sbin'];
  const lacking = programs.filter((name) => !folders.some((folder) => isExecutable(join(folder, name))));
  if (asRoot && process.getuid?.() !== 0) lacking.push('root (this is another user)');
  if (lacking.length === 0) return false;
  const notice = `${suite}: this machine lacks ${lacking.join(', ')}. This suite is NOT run. Install the Debian packages that .ci/run lists.`;
  if (process.env['CI'] === 'true') throw new Error(notice);
  process.stderr.write(`\n${'!'.repeat(100)}\n${notice}\n${'!'.repeat(100)}\n\n`);
  return true;
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
