import { root, run } from '../processes.ts';
import type { StepOutcome } from '../steps.ts';

export const SUBJECT_LENGTH_MAX = 72;
/** How many commits are looked at, at most. */
const COMMITS_MAX = 50;

/**
 * Checks that the subjects of the commits since the last tag, at most the last 50, are short enough for a list of commits.
 * Merges are left out: their subjects are Git's. A shallow clone and a detached head show the commits that they have.
 *
 * @param folder default: this repository. A folder that is no repository, such as an unpacked archive, has nothing to check
 */
export async function checkCommitSubjects(folder: string = root): Promise<StepOutcome> {
  const git = (...args: string[]) => run('git', args, { cwd: folder });
  if ((await git('rev-parse', '--verify', '--quiet', 'HEAD')).code !== 0) {
    return { ok: true, output: '', note: 'no repository' };
  }
  const tag = await git('describe', '--tags', '--abbrev=0');
  const range = tag.code === 0 ? `${tag.stdout.trim()}..HEAD` : 'HEAD';
  const { code, stdout, output } = await git(
    'log',
    '--no-merges',
    `--max-count=${COMMITS_MAX}`,
    '--format=%h %s',
    range,
  );
  if (code !== 0) return { ok: false, output };
  const lines = stdout.split('\n').filter((line) => line !== '');
  const long = lines.filter((line) => subjectOf(line).length > SUBJECT_LENGTH_MAX);
  const problems = long.map((line) => `${line}\n  has ${subjectOf(line).length} characters`);
  const advice = `The subject of a commit has at most ${SUBJECT_LENGTH_MAX} characters; the rest goes into its body.`;
  return {
    ok: long.length === 0,
    output: long.length === 0 ? '' : [...problems, advice].join('\n'),
    note: `${lines.length} commits`,
  };
}

function subjectOf(line: string): string {
  return line.slice(line.indexOf(' ') + 1);
}
