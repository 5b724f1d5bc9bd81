/** What this machine lacks: the suites that need it skip themselves, and `npm test` lists it at its end. */
import { accessSync, appendFileSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Names the variable with the file to which every test process appends what is lacking. */
export const LACKING_FILE = 'SVC_TEST_LACKING_FILE';

export interface Lacking {
  /** What the machine lacks: a program, or a right. */
  readonly what: string;
  /** What is not tested without it. */
  readonly untested: string;
  /** What to do about it: `apt-get install tmux`. */
  readonly remedy: string;
}

/**
 * Says that tests are left out because the machine lacks something.
 *
 * @param options.mayLackInCi whether CI may lack it, too. Default false: with `CI=true` it is an error
 * @throws Error in CI
 */
export function leaveOut(lacking: Lacking, { mayLackInCi = false } = {}): void {
  const notice = formatLacking(lacking);
  if (process.env['CI'] === 'true' && !mayLackInCi) throw new Error(notice);
  process.stderr.write(`\n${'!'.repeat(100)}\n${notice}\n${'!'.repeat(100)}\n\n`);
  const file = process.env[LACKING_FILE];
  if (file !== undefined && file !== '') appendFileSync(file, `${notice}\n`);
}

function formatLacking({ what, untested, remedy }: Lacking): string {
  return `NOT TESTED: ${untested}, because ${what} is missing here. To test it: ${remedy}.`;
}

/** Returns what was left out, each once, from the content of the file. */
export function lackingLines(text: string): string[] {
  return [...new Set(text.split('\n').filter((line) => line !== ''))].toSorted();
}

/**
 * Returns whether a program is installed; if not, says what is left out.
 *
 * @param program its name, or its path
 * @param options.install Debian's package of the program. Default: the name of the program
 * @throws Error in CI
 */
export function hasProgram(
  program: string,
  untested: string,
  { install = program, mayLackInCi = false } = {},
): boolean {
  if (findProgram(program) !== null) return true;
  leaveOut({ what: program, untested, remedy: `apt-get install ${install}` }, { mayLackInCi });
  return false;
}

/** Returns the path of a program on `PATH` or in the folders of the administrator; null when it is not there. */
export function findProgram(program: string): string | null {
  if (program.includes('/')) return isExecutable(program) ? program : null;
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin', '/sbin'];
  return folders.map((folder) => join(folder, program)).find(isExecutable) ?? null;
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
