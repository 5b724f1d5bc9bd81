import { isJsonRequested, printError } from '../command/print-error.ts';
import type { ExitCode } from '../errors/exit-codes.ts';
import { writeStderr } from '../terminal/stderr.ts';
import { findCommand } from './find-command.ts';

/** Runs a command or shows help. A failure is printed and sets `process.exitCode`. */
export async function runCommandLine(argv: readonly string[], packageFolder: URL): Promise<void> {
  try {
    const command = findCommand(argv, new URL('dist/commands/', packageFolder));
    if (command === null) {
      const { showHelp } = await import('./show-help.ts');
      await showHelp(argv, packageFolder);
    } else {
      const { runCommand } = await import('./run-command.ts');
      await runCommand(command, packageFolder);
    }
  } catch (error) {
    process.exitCode = reportFailure(error, argv);
  }
}

/** Prints a failure outside of a command; commands print their own. */
export function reportFailure(error: unknown, argv: readonly string[]): ExitCode {
  return printError(error, { isJson: isJsonRequested(argv), credentials: null, write: writeStderr });
}
