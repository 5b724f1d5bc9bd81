import { Config } from '@oclif/core/config';
import { run } from '@oclif/core/run';
import { usageError } from '../errors/cli-error.ts';
import { isUnknownCommand, toUnknownCommandError } from './unknown-command.ts';
import { asksForHelp } from './find-command.ts';

/** Without plugins of the user, which we do not offer: for a user without a home, oclif would load them from the temporary folder. */
const ROOT = { root: import.meta.dirname, userPlugins: false };

/**
 * Whatever is no plain command: help, the version, words that nothing is called.
 *
 * @throws CliError (exit 2) for those words
 */
export async function runOclif(argv: readonly string[]): Promise<void> {
  await refuseFlagsOfTopic(argv);
  try {
    await run([...argv], ROOT);
  } catch (error) {
    if (!isUnknownCommand(error)) throw error;
    const { commandIDs } = await Config.load(ROOT);
    throw toUnknownCommandError(error, 'svc', commandIDs);
  }
}

/** oclif would print the help of a topic with exit code 0, and a script would take it for what it asked for. */
async function refuseFlagsOfTopic(argv: readonly string[]): Promise<void> {
  const [topic = '', next = ''] = argv;
  if (topic.startsWith('-') || !next.startsWith('-') || asksForHelp(argv)) return;
  const { commandIDs } = await Config.load(ROOT);
  if (!commandIDs.some((id) => id.startsWith(`${topic}:`))) return;
  throw usageError('Flags go after the command', `See \`svc ${topic} --help\`.`);
}
