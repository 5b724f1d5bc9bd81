import { Command } from '@oclif/core/command';

/** Every command. */
export abstract class PlainCommand extends Command {
  /** Runs it, without loading oclif's configuration first, as its static `run` would. */
  execute(): Promise<unknown> {
    return this._run();
  }

  /** oclif's own tells of deprecated names, of which there are none, and reads the whole manifest for it. */
  protected override async init(): Promise<void> {}
}
