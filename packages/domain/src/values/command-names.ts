/**
 * Finds a command of `svc` or `svc-server` by the words that somebody typed, so that each program can name the other's:
 * people look for `sources add` in `svc`, and for `syncs list` in `svc-server`.
 */

/** Verbs that mean the same. */
const SAME_VERBS: readonly (readonly string[])[] = [
  ['list', 'ls', 'index'],
  ['get', 'show', 'view', 'describe'],
  ['add', 'create', 'new'],
  ['remove', 'delete', 'rm', 'revoke'],
  ['update', 'set', 'edit'],
];

/**
 * Returns the command of two words, a noun and a verb, that the typed words begin with, or null.
 *
 * @param commands such as `sources add` and `doctor`
 */
export function findExactCommand(
  [noun = '', verb = '']: readonly string[],
  commands: readonly string[],
): string | null {
  const name = `${noun} ${verb}`;
  return commands.includes(name) ? name : null;
}

/** Also returns commands of one word, commands with a verb that means the same, and the noun alone if its verbs are others. */
export function findSimilarCommand(words: readonly string[], commands: readonly string[]): string | null {
  const [noun = '', verb = ''] = words;
  const exact = findExactCommand(words, commands) ?? (commands.includes(noun) ? noun : null);
  if (exact !== null) return exact;
  const verbs = SAME_VERBS.find((group) => group.includes(verb)) ?? [];
  const same = commands.find((command) => verbs.some((each) => command === `${noun} ${each}`));
  return same ?? (commands.some((command) => command.startsWith(`${noun} `)) ? noun : null);
}
