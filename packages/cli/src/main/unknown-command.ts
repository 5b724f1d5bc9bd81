import { findExactCommand, findSimilarCommand } from '@svc/domain/values/command-names';
import { type CliError, usageError } from '../errors/cli-error.ts';
import { findNearest, listAlternatives } from '../errors/nearest.ts';
import { SERVER_COMMANDS } from '../generated/server-commands.ts';

/** Above this, a verb such as `list` or `get` says too little about the topic. */
const NAMESAKES_MAX = 3;

/** What people type for our commands because gh, the Stripe CLI or kubectl call them so. */
const HABITS: Readonly<Record<string, readonly string[]>> = {
  'auth status': ['whoami'],
  'auth switch': ['profiles:use'],
  browse: ['open'],
  logs: ['syncs:list', 'requests:list', 'events:list'],
  'logs tail': ['syncs:tail', 'requests:tail', 'events:tail'],
  rerun: ['syncs:retry'],
  'run rerun': ['syncs:retry'],
  'events resend': ['webhooks:replay'],
  resend: ['webhooks:replay'],
  trigger: ['webhooks:test'],
};

/**
 * @param words words of the command line before the first flag; the last may be arguments
 * @param commands ids such as `syncs:list`
 */
export function unknownCommandError(words: readonly string[], commands: readonly string[]): CliError {
  const [first = ''] = words;
  if (first.startsWith('-')) return usageError('Flags go after the command', 'For example: svc status --json');
  return usageError(`svc ${words.join(' ')} is not a command`, suggest(words, commands));
}

function suggest(words: readonly string[], commands: readonly string[]): string {
  const [first = ''] = words;
  const verbs = commands.filter((id) => id.startsWith(`${first}:`)).map((id) => id.slice(first.length + 1));
  const isTopic = verbs.length > 0;
  // The full name of a command of the other program is no typing mistake.
  const named =
    findExactCommand(words, SERVER_COMMANDS) ?? (!isTopic && SERVER_COMMANDS.includes(first) ? first : null);
  const own = named === null ? findOwn(words, verbs, commands) : [];
  if (own.length > 0) return `Did you mean ${listAlternatives(own.map((id) => `\`svc ${id.replaceAll(':', ' ')}\``))}?`;
  const other = named ?? findSimilarCommand(words, SERVER_COMMANDS);
  // The noun alone, which both programs have, says nothing.
  if (other !== null && !(isTopic && other === first))
    return `\`svc-server ${other}\` does this, on the machine of the server.`;
  return isTopic ? `See \`svc ${first} --help\`.` : 'See `svc --help`.';
}

/** @param verbs the verbs of the topic that was typed; empty for an unknown topic */
function findOwn(
  [first = '', second = '']: readonly string[],
  verbs: readonly string[],
  commands: readonly string[],
): readonly string[] {
  const habit = HABITS[`${first} ${second}`] ?? HABITS[first];
  if (habit !== undefined) return habit.filter((id) => commands.includes(id));
  if (verbs.length > 0)
    return [findNearest(second, verbs)].flatMap((verb) => (verb === null ? [] : `${first}:${verb}`));
  // For example `list syncs`.
  if (commands.includes(`${second}:${first}`)) return [`${second}:${first}`];
  const topics = new Set(commands.map((id) => id.replace(/:.*$/, '')));
  const nearest = findNearest(`${first}:${second}`, commands) ?? findNearest(first, [...topics]);
  if (nearest !== null) return [nearest];
  // For example `explain` for `syncs explain`, and `auth login` for `login`.
  const namesakes = [first, second].map((word) => commands.filter((id) => id.split(':').at(-1) === word));
  const found = namesakes.find(({ length }) => length > 0) ?? [];
  return found.length > NAMESAKES_MAX ? [] : found;
}
