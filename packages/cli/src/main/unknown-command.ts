import { distance } from 'fastest-levenshtein';
import { type CliError, usageError } from '../errors/cli-error.ts';

const UNKNOWN_COMMAND = /^[Cc]ommand (.+) not found\.?$/;

export function isUnknownCommand(error: unknown): error is Error {
  return error instanceof Error && UNKNOWN_COMMAND.test(error.message);
}

/**
 * Translates "command not found". oclif reports all words up to the first flag as the command, including surplus
 * arguments, and also a leading flag.
 *
 * @param commands ids such as `syncs:list`
 */
export function toUnknownCommandError(error: Error, bin: string, commands: readonly string[]): CliError {
  const id = UNKNOWN_COMMAND.exec(error.message)?.[1]?.replaceAll(' ', ':') ?? '';
  if (id.startsWith('-')) return usageError('Flags go after the command', `For example: ${bin} status --json`);
  const command = commands.find((known) => id.startsWith(`${known}:`));
  if (command !== undefined) return usageError('Too many arguments', `See \`${bin} ${toWords(command)} --help\`.`);
  return usageError(`${bin} ${toWords(id)} is not a command`, suggest(id, bin, commands));
}

function suggest(id: string, bin: string, commands: readonly string[]): string {
  const topics = [
    ...new Set(commands.filter((known) => known.includes(':')).map((known) => known.replace(/:.*$/, ''))),
  ];
  const nearest = findNearest(id, commands) ?? findNearest(id, topics);
  if (nearest === null) return `See \`${bin} --help\`.`;
  return id.startsWith(`${nearest}:`)
    ? `See \`${bin} ${nearest} --help\`.`
    : `Did you mean \`${bin} ${toWords(nearest)}\`?`;
}

/** The highest share of different letters in a suggestion. */
const WRONG_LETTERS_MAX = 1 / 3;

/** Returns the name closest to the typed words, of which the last may be arguments. Returns null if none is close. */
function findNearest(id: string, names: readonly string[]): string | null {
  let nearest: string | null = null;
  let best = Number.POSITIVE_INFINITY;
  for (const name of names) {
    const edits = distance(id.split(':').slice(0, name.split(':').length).join(':'), name);
    if (edits < best && edits <= name.length * WRONG_LETTERS_MAX) [nearest, best] = [name, edits];
  }
  return nearest;
}

function toWords(id: string): string {
  return id.replaceAll(':', ' ');
}
