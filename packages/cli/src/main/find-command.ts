import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export interface FoundCommand {
  /** In oclif's form, `syncs:list`. */
  readonly id: string;
  /** The module whose default export is the command. */
  readonly url: URL;
  /** Arguments and flags. */
  readonly argv: readonly string[];
}

/** The maximum number of words in a command name. */
const WORDS_MAX = 3;

/** Flags of every command that take a value. Like `--json`, they may be placed between the words of a command name. */
export const GLOBAL_VALUE_FLAGS = ['--jq', '--profile', '--base-url', '--timeout', '--max-retries'];

/**
 * Returns the command that a command line begins with, by looking for its module. Reading oclif's manifest instead would
 * take longer than many commands run. Returns null for help and unknown commands.
 *
 * @param folder folder of the command modules, with a trailing slash
 */
export function findCommand(argv: readonly string[], folder: URL): FoundCommand | null {
  if (asksForHelp(argv)) return null;
  const places = findWords(argv);
  for (let count = places.length; count > 0; count -= 1) {
    const chosen = places.slice(0, count);
    const words = chosen.map((place) => argv[place]);
    const url = new URL(`${words.join('/')}.js`, folder);
    if (!existsSync(fileURLToPath(url))) continue;
    return { id: words.join(':'), url, argv: argv.filter((_word, place) => !chosen.includes(place)) };
  }
  return null;
}

/** Returns the positions of words that may name a command: at the start, and after global flags. */
function findWords(argv: readonly string[]): number[] {
  const places: number[] = [];
  for (let place = 0; place < argv.length && places.length < WORDS_MAX; place += 1) {
    const word = argv[place] ?? '';
    // The pattern excludes `Status`, which some file systems treat as `status`, and dots, which could leave the folder.
    if (/^[a-z][a-z-]*$/.test(word)) places.push(place);
    else if (places.length === 0) break;
    else if (GLOBAL_VALUE_FLAGS.includes(word)) place += 1;
    else if (word !== '--json' && !GLOBAL_VALUE_FLAGS.includes(word.replace(/=.*$/s, ''))) break;
  }
  return places;
}

/** Whether `--help` or `-h` appears before a `--`. */
export function asksForHelp(argv: readonly string[]): boolean {
  const end = argv.indexOf('--');
  return (end === -1 ? argv : argv.slice(0, end)).some((word) => word === '--help' || word === '-h');
}
