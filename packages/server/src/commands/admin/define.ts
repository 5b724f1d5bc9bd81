import type { Command } from 'commander';
import type { ConfigOptions } from '../options.ts';

/** What every administrative command takes. */
export interface AdminOptions extends ConfigOptions {
  json?: boolean;
}

/** A command below `noun` with the options that all of them have, and an example that can be copied. */
export function defineVerb(noun: Command, nameAndArguments: string, description: string, example: string): Command {
  return noun
    .command(nameAndArguments)
    .description(description)
    .option('--data-dir <dir>', 'folder of the embedded database (default: SVC_DATA_DIR, else .svc/data)')
    .option('--json', 'one JSON document on stdout; an error as one on stderr')
    .addHelpText('after', `\nExample:\n  $ svc-server ${example}`);
}

/** The options of a list that is about one account or one connection. */
export function withListFilter(command: Command, parseId: (text: string) => number): Command {
  return command
    .option('--account <id>', 'only of this account', parseId)
    .option('--connection <id>', 'only of this connection', parseId);
}

export interface ListOptions extends AdminOptions {
  account?: number;
  connection?: number;
}
