import { Command } from 'commander';

/** A command that refuses an option in the place of another option's value, which commander would take for the value. */
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
}
