import { findExactCommand, findSimilarCommand } from '@svc/domain/values/command-names';
import { type CliError, usageError } from '../errors/cli-error.ts';
import { findNearest, listAlternatives } from '../errors/nearest.ts';
import { SERVER_COMMANDS } from '../generated/server-commands.ts';

/**
 * @param words words of the command line before the first flag; the last may be arguments
 * @param commands ids such as `syncs:list`
 */
export function unknownCommandError(words: readonly string[], commands: readonly string[]): CliError {
  const [first = ''] = words;
  if (first.startsWith('-')) return usageError('Flags go after the command', 'For example: svc status --json');
  return usageError(`svc ${words.join(' ')} is not a command`, suggest(words, commands));
}

/** A command of the other program that was named in full comes first: nobody types that by mistake. */
function suggest(words: readonly string[], commands: readonly string[]): string {
  const named = findExactCommand(words, SERVER_COMMANDS);
  if (named !== null) return onServer(named);
  const own = suggestOwn(words, commands);
  if (own !== null) return own;
  const other = findSimilarCommand(words, SERVER_COMMANDS);
  const [first = ''] = words;
  const isTopic = commands.some((id) => id.startsWith(`${first}:`));
  // The noun alone, which both programs have, says nothing.
  if (other !== null && !(isTopic && other === first)) return onServer(other);
  return isTopic ? `See \`svc ${first} --help\`.` : 'See `svc --help`.';
}

function onServer(command: string): string {
  return `\`svc-server ${command}\` does this, on the machine of the server.`;
}

function suggestOwn([first = '', second = '']: readonly string[], commands: readonly string[]): string | null {
  const verbs = commands.filter((id) => id.startsWith(`${first}:`)).map((id) => id.slice(first.length + 1));
  if (verbs.length > 0) {
    const verb = findNearest(second, verbs);
    return verb === null ? null : didYouMean(`${first}:${verb}`);
  }
  // For example `list syncs`.
  if (commands.includes(`${second}:${first}`)) return didYouMean(`${second}:${first}`);
  if (SERVER_COMMANDS.includes(first)) return onServer(first);
  const topics = new Set(commands.filter((id) => id.includes(':')).map((id) => id.replace(/:.*$/, '')));
  const nearest =
    findNearest(`${first}:${second}`, commands) ??
    findNearest(first, [...commands.filter((id) => !id.includes(':')), ...topics]);
  if (nearest !== null) return didYouMean(nearest);
  const namesakes = findNamesakes([first, second], commands);
  return namesakes.length === 0 ? null : didYouMean(...namesakes);
}

/** Above this, a verb such as `list` or `get` says too little about the topic. */
const NAMESAKES_MAX = 3;

/** Finds the commands whose last word was typed, for example `syncs explain` for `explain` and `login` for `auth login`. */
function findNamesakes(words: readonly string[], commands: readonly string[]): readonly string[] {
  for (const word of words) {
    const found = commands.filter((id) => id.split(':').at(-1) === word);
    if (found.length > 0) return found.length > NAMESAKES_MAX ? [] : found;
  }
  return [];
}

function didYouMean(...ids: readonly string[]): string {
  return `Did you mean ${listAlternatives(ids.map((id) => `\`svc ${id.replaceAll(':', ' ')}\``))}?`;
}
