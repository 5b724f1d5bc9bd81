import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export interface FoundCommand {
  /** As oclif writes it: `syncs:list`. */
  readonly id: string;
  /** The module that it is the default export of. */
  readonly url: URL;
  /** What follows its name. */
  readonly argv: readonly string[];
}

/** No command has a longer name. */
const WORDS_MAX = 3;

/** Flags of every command that take a value. They may stand between the words of a command, as `--json` may. */
export const GLOBAL_VALUE_FLAGS = ['--jq', '--profile', '--base-url', '--timeout', '--max-retries'];

/**
 * The command that a command line begins with. Where the modules lie tells as much as oclif's manifest does, whose reading takes
 * longer than many a command. Null for what is left to oclif: help, and words that are no command.
 *
 * @param folder of the modules, with a slash at its end
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

/** Where the words stand that may name a command: at the beginning, and behind flags of every command. */
function findWords(argv: readonly string[]): number[] {
  const places: number[] = [];
  for (let place = 0; place < argv.length && places.length < WORDS_MAX; place += 1) {
    const word = argv[place] ?? '';
    // A file system may take `Status` for `status`, and dots would lead out of the folder.
    if (/^[a-z][a-z-]*$/.test(word)) places.push(place);
    else if (places.length === 0) break;
    else if (GLOBAL_VALUE_FLAGS.includes(word)) place += 1;
    else if (word !== '--json' && !GLOBAL_VALUE_FLAGS.includes(word.replace(/=.*$/s, ''))) break;
  }
  return places;
}

/** What follows `--` is another program's. */
export function asksForHelp(argv: readonly string[]): boolean {
  const end = argv.indexOf('--');
  return (end === -1 ? argv : argv.slice(0, end)).includes('--help');
}
