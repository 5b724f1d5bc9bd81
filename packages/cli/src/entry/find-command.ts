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

/**
 * The command that a command line begins with. Where the modules lie tells as much as oclif's manifest does, whose reading takes
 * longer than many a command. Null for what is left to oclif: help, and words that are no command.
 *
 * @param folder of the modules, with a slash at its end
 */
export function findCommand(argv: readonly string[], folder: URL): FoundCommand | null {
  if (asksForHelp(argv)) return null;
  // A file system may take `Status` for `status`, and dots would lead out of the folder.
  const end = argv.slice(0, WORDS_MAX).findIndex((word) => !/^[a-z][a-z-]*$/.test(word));
  for (let count = end === -1 ? Math.min(argv.length, WORDS_MAX) : end; count > 0; count -= 1) {
    const words = argv.slice(0, count);
    const url = new URL(`${words.join('/')}.js`, folder);
    if (existsSync(fileURLToPath(url))) return { id: words.join(':'), url, argv: argv.slice(count) };
  }
  return null;
}

/** What follows `--` is another program's. */
function asksForHelp(argv: readonly string[]): boolean {
  const end = argv.indexOf('--');
  return (end === -1 ? argv : argv.slice(0, end)).includes('--help');
}
