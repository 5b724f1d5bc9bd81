import { commandOf, type Noun } from '@svc/operations/declared/declare';
import { NOUNS } from '@svc/operations/declared/index';
import type { Command } from 'commander';
import { backfills } from './backfills.ts';
import { config } from './config.ts';
import { connections } from './connections.ts';
import { defineOperation } from './define.ts';
import { policies } from './policies.ts';
import { requests } from './requests.ts';
import { secrets } from './secrets.ts';
import { sources } from './sources.ts';

const OWN = [...backfills, ...config, ...connections, ...policies, ...requests, ...secrets, ...sources];

/** Defines the administrative commands. */
export function defineAdminCommands(program: Command, nouns: readonly Noun[] = NOUNS): void {
  for (const { name, description, operations, groups } of nouns) {
    const withVerb = operations.some((each) => (commandOf(each)?.length ?? 0) > 1);
    const ofNoun = withVerb ? program.command(name).description(description) : program;
    for (const operation of operations) {
      const own = OWN.find(({ declaration }) => declaration.name === operation.name);
      const words = commandOf(operation) ?? [];
      const parent = words.length === 1 ? program : ofNoun;
      const group = words.length === 3 ? groupOf(parent, words[1] ?? '', groups) : parent;
      defineOperation(group, operation, own);
    }
  }
}

/** Returns the command of the word between noun and verb, which the first of its operations creates. */
function groupOf(parent: Command, word: string, groups: Noun['groups']): Command {
  const known = parent.commands.find((command) => command.name() === word);
  return known ?? parent.command(word).description(groups[word] ?? '');
}
