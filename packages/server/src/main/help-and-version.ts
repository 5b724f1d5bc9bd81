import type { Command } from 'commander';

/** `-V` is what commander calls `-v`. */
const VERSION_FLAGS = ['-v', '-V', '--version'];

/** Whether the version is asked for: by the first word, or by a flag at any place before `--`. */
export function asksForVersion(args: readonly string[]): boolean {
  const end = args.indexOf('--');
  const words = end === -1 ? args : args.slice(0, end);
  return words[0] === 'version' || words.some((word) => VERSION_FLAGS.includes(word));
}

/** Finds the command of `help NOUN VERB`. Returns null if help is not asked for in this way, or for an unknown command. */
export function findHelpSubject(program: Command, [first, ...names]: readonly string[]): Command | null {
  if (first !== 'help') return null;
  let subject: Command | undefined = program;
  for (const name of names) subject = subject?.commands.find((command) => command.name() === name);
  return subject ?? null;
}
