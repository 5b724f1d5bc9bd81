import { Config } from '@oclif/core/config';
import { run } from '@oclif/core/run';
import { isUnknownCommand, toUnknownCommandError } from '../lib/oclif-errors.ts';

/**
 * Whatever is no plain command: help, the version, words that nothing is called.
 *
 * @throws CliError (exit 2) for those words
 */
export async function runOclif(argv: readonly string[]): Promise<void> {
  try {
    await run([...argv], import.meta.url);
  } catch (error) {
    if (!isUnknownCommand(error)) throw error;
    const { commandIDs } = await Config.load(import.meta.url);
    throw toUnknownCommandError(error, 'svc', commandIDs);
  }
}
