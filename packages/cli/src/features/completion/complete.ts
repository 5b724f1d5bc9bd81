import { readFolder } from '../../config/environment.ts';
import { type ProfileStore, readProfiles } from '../../config/profiles.ts';
import { type Candidate, findPosition, type Position } from './cursor-position.ts';
import type { Manifest } from '../../command/manifest.ts';
import { FILES_MARK, type Shell } from './scripts.ts';

/**
 * Returns the lines for the script of a shell: candidates, each with a tab and a description except for bash, or the
 * single line `FILES_MARK`.
 */
export async function complete(manifest: Manifest, shell: Shell, words: readonly string[]): Promise<string[]> {
  const position = findPosition(manifest, shell === 'bash' ? joinAssignments(words) : words);
  const { wanted, typed } = position;
  if (wanted.kind === 'files') return [FILES_MARK];
  // bash replaces only the text after the `=`.
  const prefix = shell === 'bash' ? '' : position.prefix;
  return (await findCandidates(position))
    .filter(({ value }) => value.startsWith(typed))
    .map(({ value, description }) =>
      shell === 'bash'
        ? escapeForBash(value)
        : `${prefix}${value}\t${description.replace(/[\p{Cc}\p{Bidi_Control}\u2028\u2029]+/gu, ' ')}`,
    );
}

async function findCandidates({ wanted, credentials }: Position): Promise<readonly Candidate[]> {
  switch (wanted.kind) {
    case 'list':
      return wanted.candidates;
    case 'profiles':
      return profileCandidates(readProfiles(readFolder('config')));
    case 'ids':
      // The SDK takes long to load.
      return (await import('./fetch-ids.ts')).findIds(wanted.of, credentials);
    case 'files':
      return [];
  }
}

function profileCandidates({ profiles }: ProfileStore): Candidate[] {
  return Object.entries(profiles).map(([value, { baseUrl }]) => ({ value, description: baseUrl }));
}

/** Joins `--flag=value`, which bash splits into three words. */
function joinAssignments(words: readonly string[]): string[] {
  const joined: string[] = [];
  for (const [index, word] of words.entries()) {
    const last = joined.length - 1;
    const isFlag = /^--[^=]+$/.test(joined[last] ?? '');
    const isValue = words[index - 1] === '=' && /^--[^=]+=$/.test(joined[last] ?? '');
    if ((word === '=' && isFlag) || isValue) joined[last] += word;
    else joined.push(word);
  }
  return joined;
}

function escapeForBash(value: string): string {
  return value.replace(/[^\w@%+=:,./-]/g, '\\$&');
}
