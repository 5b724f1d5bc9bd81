import { Command } from '@oclif/core/command';

/** Base class of all commands. */
export abstract class PlainCommand extends Command {
  /** Runs the command without loading oclif's configuration, which the static `run` would do. */
  execute(): Promise<unknown> {
    return this._run();
  }

  /** Skips oclif's check for deprecated names, which would read the whole manifest. */
  protected override async init(): Promise<void> {}
}
