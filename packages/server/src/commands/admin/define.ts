import type { Command } from 'commander';
import { type ConfigOptions, parseId } from '../options.ts';
import type { AdminOperationName } from '../../services/admin/index.ts';
import { describeResult } from '../../services/admin/removal-text.ts';
import { runAdmin } from './run.ts';

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

/** `<noun> remove ID`: refuses with a count of what would go until `--yes` is given. */
export function defineRemove(
  noun: Command,
  operation: Extract<AdminOperationName, `${string}/remove`>,
  { what, description }: { what: string; description: string },
): void {
  const example = `${operation.replace('/', ' ')} 3 --yes`;
  defineVerb(noun, 'remove', `${description}; without --yes it only says what would go`, example)
    .argument('<id>', `the ${what}, as ${noun.name()} list shows it`, parseId)
    .option('--yes', 'do it', false)
    .action(async (id: number, options: AdminOptions & { yes: boolean }) => {
      await runAdmin(operation, { id, isConfirmed: options.yes }, options, (removed) => ({
        text: describeResult(`${what} ${removed.id}`, removed),
      }));
    });
}
