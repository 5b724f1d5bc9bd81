import { findProgram, leaveOut } from '../../../../scripts/vitest/lacking.ts';

/**
 * Returns whether a suite must be skipped because this machine lacks programs, and says so.
 *
 * @throws Error in CI
 */
export function findLacking(suite: string, programs: readonly string[], { asRoot = false } = {}): boolean {
  const lacking = programs.filter((name) => findProgram(name) === null);
  if (asRoot && process.getuid?.() !== 0) lacking.push('root');
  if (lacking.length === 0) return false;
  const remedy = `install the Debian packages that .ci/run lists${asRoot ? ', and run the tests as root' : ''}`;
  leaveOut({ what: lacking.join(', '), untested: `deploy/, ${suite}`, remedy });
  return true;
}
