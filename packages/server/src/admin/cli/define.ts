import type { Command } from 'commander';
import { type AdminOptions, parseId } from './options.ts';
import type { AdminOperationName } from '@svc/operations/perform';
import { describeResult } from '@svc/operations/work/removal-text';
import { runAdmin } from './run.ts';

/** Defines a subcommand of `noun` with the common options and an example that can be copied. */
export function defineVerb(noun: Command, nameAndArguments: string, description: string, example: string): Command {
  return noun
    .command(nameAndArguments)
    .description(description)
    .option('--data-dir <dir>', 'folder of the embedded database (default: SVC_DATA_DIR, else .svc/data)')
    .option('--json', 'print one JSON document to stdout, and errors as JSON to stderr')
    .addHelpText('after', `\nExample:\n  $ svc-server ${example}`);
}

/** Adds the filters of a list by account or connection. */
export function withListFilter(command: Command, parseId: (text: string) => number): Command {
  return command
    .option('--account <id>', 'only of this account', parseId)
    .option('--connection <id>', 'only of this connection', parseId);
}

export interface ListOptions extends AdminOptions {
  account?: number;
  connection?: number;
}

/** Defines `<noun> remove ID`, which without `--yes` only counts what it would delete. */
export function defineRemove(
  noun: Command,
  operation: Extract<AdminOperationName, `${string}/remove`>,
  { what, description }: { what: string; description: string },
): void {
  const example = `${operation.replace('/', ' ')} 3 --yes`;
  defineVerb(noun, 'remove', `${description}; without --yes only says what would be deleted`, example)
    .argument('<id>', `the ${what}, as ${noun.name()} list shows it`, parseId)
    .option('--yes', 'confirm the removal', false)
    .action(async (id: number, options: AdminOptions & { yes: boolean }) => {
      await runAdmin(operation, { id, isConfirmed: options.yes }, options, (removed) => ({
        text: describeResult(`${what} ${removed.id}`, removed),
      }));
    });
}
