import { Command, type ErrorOptions } from 'commander';
import { findExactCommand, findSimilarCommand } from '@svc/domain/values/command-names';
import { KNOWN_VARIABLES } from '@svc/engine/config/config';
import { CLIENT_COMMANDS } from '../../generated/client-commands.ts';

/** Words that mean the same; a command line that uses one gets the command that exists. */
const SAME_MEANING = [
  ['doctor', 'status', 'check'],
  ['start', 'serve', 'run', 'up'],
  ['list', 'ls', 'get', 'show', 'describe'],
  ['add', 'create', 'new'],
  ['remove', 'delete', 'rm', 'revoke'],
  ['update', 'set', 'edit'],
  // What the server's code and metrics call a request.
  ['requests', 'receipts'],
];

/** A command that refuses an option in the place of another option's value, and whose errors name the nearest right word. */
export class StrictCommand extends Command {
  override createCommand(name?: string): StrictCommand {
    return new StrictCommand(name);
  }

  override parseOptions(args: string[]): ReturnType<Command['parseOptions']> {
    const end = args.indexOf('--');
    for (const [index, word] of (end === -1 ? args : args.slice(0, end)).entries()) {
      const option = this.options.find(({ long, short }) => word === long || word === short);
      if (option?.required !== true || args[index + 1]?.startsWith('--') !== true) continue;
      this.error(`error: ${word} needs a value; write ${word}=VALUE for a value that begins with -`, {
        code: 'commander.optionMissingArgument',
      });
    }
    return super.parseOptions(args);
  }

  override error(message: string, options?: ErrorOptions): never {
    const listed = this.commands.length > 0 ? 'commands' : 'options';
    this.showHelpAfterError(`(${pathOf(this)} --help lists the ${listed})`);
    const hint = this.findHint(message, options?.code);
    super.error(hint === null ? message : `${message.replace(/\n\(Did you mean .*/s, '')}\n(${hint})`, options);
  }

  /** Returns what was probably meant, where spelling alone does not show it. */
  private findHint(message: string, code: string | undefined): string | null {
    const word = /'(.*?)'/.exec(message)?.[1] ?? '';
    if (code === 'commander.unknownCommand') return this.findCommandHint(word);
    if (code !== 'commander.unknownOption') return null;
    const longer = this.options.find(({ long }) => long?.startsWith(`${word}-`) === true)?.long;
    if (longer !== undefined) return `Did you mean ${longer}?`;
    const name = word.replace(/^--/, '').replaceAll('-', '_').toUpperCase();
    const variable = KNOWN_VARIABLES.find((each) => each === name || each === `SVC_${name}`);
    return variable === undefined ? null : `Not an option: set the variable ${variable}`;
  }

  /** A command of the other program that was named in full comes first: nobody types that by mistake. */
  private findCommandHint(word: string): string | null {
    const [, ...nouns] = pathOf(this).split(' ');
    const words = [...nouns, ...this.args];
    const named = findExactCommand(words, CLIENT_COMMANDS);
    if (named !== null) return inClient(named);
    const meaning = SAME_MEANING.find((each) => each.includes(word)) ?? [];
    const command = this.commands.find((each) => meaning.includes(each.name()));
    if (command !== undefined) return `Did you mean ${command.name()}?`;
    const other = findSimilarCommand(words, CLIENT_COMMANDS);
    // The noun alone, which both programs have, says nothing.
    return other === null || other === nouns[0] ? null : inClient(other);
  }
}

function inClient(command: string): string {
  return `svc ${command} does this: svc is the command line of the API`;
}

/** For example `svc-server keys create`. */
function pathOf(command: Command): string {
  return command.parent === null ? command.name() : `${pathOf(command.parent)} ${command.name()}`;
}
