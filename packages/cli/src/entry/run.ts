import { CliError } from '../lib/cli-error.ts';
import { EXIT_CODES } from '../lib/exit-codes.ts';
import { watchInterrupts } from '../lib/interrupts.ts';
import { watchOutputStreams } from '../lib/output-streams.ts';
import { isJsonRequested, reportError } from '../lib/report-error.ts';
import { startFreshLine, writeStderr } from '../output/stderr.ts';
import { findCommand } from './find-command.ts';

const argv = process.argv.slice(2);

/** For failures outside of a command, which reports its own. */
function report(error: unknown): number {
  return reportError(error, {
    isJson: isJsonRequested(argv),
    credentials: null,
    write: writeStderr,
  });
}

watchOutputStreams(report);
watchInterrupts((hint) => {
  startFreshLine();
  report(new CliError('interrupted', EXIT_CODES.interrupted, 'Interrupted', hint));
});

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
