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

/** Flags of every command that take a value. Like `--json`, they may be placed between the words of a command name. */
export const GLOBAL_VALUE_FLAGS = ['--jq', '--profile', '--base-url', '--timeout', '--max-retries'];

/**
 * Returns the command that a command line begins with, by looking for its module, which takes less time than reading the
 * manifest. Returns null for help and unknown commands.
 *
 * @param folder folder of the command modules, with a trailing slash
 */
export function findCommand(argv: readonly string[], folder: URL): FoundCommand | null {
  if (asksForHelp(argv)) return null;
  for (let places = findWords(argv); places.length > 0; places = places.slice(0, -1)) {
    const words = places.map((place) => argv[place]);
    const url = new URL(`${words.join('/')}.js`, folder);
    if (existsSync(fileURLToPath(url)))
      return { id: words.join(':'), url, argv: argv.filter((_word, place) => !places.includes(place)) };
  }
  return null;
}

/** Returns the positions of words that may name a command: at the start, and after global flags. */
function findWords(argv: readonly string[]): number[] {
  const places: number[] = [];
  for (let place = 0; place < argv.length; place += 1) {
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
