import { CliError } from '../errors/cli-error.ts';
import { EXIT_CODES } from '../errors/exit-codes.ts';
import { toWriteError } from '../errors/write-error.ts';
import { leave, watchInterrupts } from '../terminal/interrupts.ts';
import { isJsonRequested, printError } from '../command/print-error.ts';
import { startFreshLine, writeStderr } from '../terminal/stderr.ts';
import { findCommand } from './find-command.ts';

const argv = process.argv.slice(2);

/** For failures outside of a command, which reports its own. */
function report(error: unknown): number {
  return printError(error, {
    isJson: isJsonRequested(argv),
    credentials: null,
    write: writeStderr,
  });
}

watchOutputStreams();
watchInterrupts((hint) => {
  startFreshLine();
  report(new CliError('interrupted', EXIT_CODES.interrupted, 'Interrupted', hint));
});

/**
 * What happens when nobody reads any more, or the disk behind a redirection is full. The listeners go first in
 * line: oclif's own would let the process crash.
 */
function watchOutputStreams(): void {
  process.stdout.prependListener('error', (error: NodeJS.ErrnoException) => {
    // `svc ... | head` has what it wanted.
    if (error.code === 'EPIPE') return leave(EXIT_CODES.ok);
    leave(report(toWriteError(error, 'standard output')));
  });
  // Nothing is left to tell it on.
  process.stderr.prependListener('error', () => {});
}

/** `svc help syncs list`, as people type it, is `svc syncs list --help`. */
function readHelpCommand(words: readonly string[]): string[] {
  return words[0] === 'help' ? [...words.slice(1), '--help'] : [...words];
}

try {
  const words = readHelpCommand(argv);
  const command = findCommand(words, new URL('commands/', import.meta.url));
  if (command === null) {
    const { runOclif } = await import('./run-oclif.ts');
    await runOclif(words);
  } else {
    const { runCommand } = await import('./run-command.ts');
    await runCommand(command, new URL('..', import.meta.url));
  }
} catch (error) {
  process.exitCode = report(error);
}
