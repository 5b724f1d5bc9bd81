import { Config } from '@oclif/core/config';
import { run } from '@oclif/core/run';
import { usageError } from '../errors/cli-error.ts';
import { isUnknownCommand, toUnknownCommandError } from './unknown-command.ts';
import { asksForHelp } from './find-command.ts';

/** User plugins are disabled, because oclif would load them from the shared temporary folder if the user has no home. */
const ROOT = { root: import.meta.dirname, userPlugins: false };

/**
 * Handles help, version and unknown commands.
 *
 * @throws CliError (exit 2) for unknown commands
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

/** Refuses flags after a topic. oclif would print help with exit code 0, which a script would take for a result. */
async function refuseFlagsOfTopic(argv: readonly string[]): Promise<void> {
  const [topic = '', next = ''] = argv;
  if (topic.startsWith('-') || !next.startsWith('-') || asksForHelp(argv)) return;
  const { commandIDs } = await Config.load(ROOT);
  if (!commandIDs.some((id) => id.startsWith(`${topic}:`))) return;
  throw usageError('Flags go after the command', `See \`svc ${topic} --help\`.`);
}
