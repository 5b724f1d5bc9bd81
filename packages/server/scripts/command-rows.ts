/** The table of commands in the README. */
import { commandOf, type Declaration, type Noun } from '@svc/operations/declared/declare';
import { NOUNS } from '@svc/operations/declared/index';
import { type Argument, Command, type Option } from 'commander';
import { defineAdminCommands } from '../src/admin/cli/index.ts';

/** Options of every command. */
const COMMON = ['--data-dir', '--json'];

/** Returns one row of Markdown for each command: what to type, what it does, and what it prints as JSON. */
export function commandRows(nouns: readonly Noun[] = NOUNS): string[] {
  const program = new Command();
  defineAdminCommands(program, nouns);
  return nouns.flatMap(({ operations }) =>
    operations.flatMap((declaration) => {
      const words = commandOf(declaration);
      if (words === null) return [];
      const usage = [...words, ...usageOf(findCommand(program, words))].join(' ').replaceAll('|', '\\|');
      const { description, details } = declaration;
      const does = details === undefined ? description : `${description}. ${details.replace(/\.$/, '')}`;
      return [`| \`${usage}\` | ${does} | \`${jsonOf(declaration)}\` |`];
    }),
  );
}

function findCommand(program: Command, words: readonly string[]): Command {
  return words.reduce((parent, word) => {
    const found = parent.commands.find((each) => each.name() === word);
    if (found === undefined) throw new Error(`${parent.name()} has no command ${word}.`);
    return found;
  }, program);
}

function usageOf({ registeredArguments, options }: Command): string[] {
  const shown = options.filter(({ long }) => long !== undefined && !COMMON.includes(long));
  return [...registeredArguments.map(describeArgument), ...shown.map(describeOption)];
}

function describeArgument(argument: Argument): string {
  const name = argument.name().toUpperCase();
  return argument.required ? name : `[${name}]`;
}

function describeOption({ flags, mandatory }: Option): string {
  return mandatory ? flags : `[${flags}]`;
}

function jsonOf({ result }: Declaration): string {
  const parts = Object.entries(result).filter(([name]) => name !== 'notices');
  return `{${parts.map(([name, { form }]) => `${name}${form}`).join(', ')}}`;
}
