import { CliError } from '../errors/cli-error.ts';
import { EXIT_CODES } from '../errors/exit-codes.ts';
import { toWriteError } from '../errors/write-error.ts';
import { exitAfterCleanup, watchInterrupts } from '../terminal/interrupts.ts';
import { isJsonRequested, printError } from '../command/print-error.ts';
import { startFreshLine, writeStderr } from '../terminal/stderr.ts';
import { findCommand } from './find-command.ts';

const argv = process.argv.slice(2);

/** Reports failures outside of a command; commands report their own. */
function report(error: unknown): number {
  return printError(error, {
    isJson: isJsonRequested(argv),
    credentials: null,
    write: writeStderr,
  });
}

watchOutputStreams();
watchInterrupts((hint, isExpected) => {
  startFreshLine();
  if (isExpected && !isJsonRequested(argv)) return;
  report(new CliError('interrupted', EXIT_CODES.interrupted, 'Interrupted', hint));
});

/**
 * Ends the process when stdout is closed by its reader or cannot be written. The listeners are prepended because
 * oclif's own listener would crash the process.
 */
function watchOutputStreams(): void {
  process.stdout.prependListener('error', (error: NodeJS.ErrnoException) => {
    // The reader closed the pipe, as in `svc ... | head`.
    if (error.code === 'EPIPE') return exitAfterCleanup(EXIT_CODES.ok);
    exitAfterCleanup(report(toWriteError(error, 'standard output')));
  });
  // stderr itself failed, so the error cannot be printed.
  process.stderr.prependListener('error', () => {});
}

try {
  const packageFolder = new URL('..', import.meta.url);
  const command = findCommand(argv, new URL('commands/', import.meta.url));
  if (command === null) {
    const { showHelp } = await import('./show-help.ts');
    await showHelp(argv, packageFolder);
  } else {
    const { runCommand } = await import('./run-command.ts');
    await runCommand(command, packageFolder);
  }
} catch (error) {
  process.exitCode = report(error);
}
