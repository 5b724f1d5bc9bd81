import { CliError } from '../errors/cli-error.ts';
import { EXIT_CODES } from '../errors/exit-codes.ts';
import { toWriteError } from '../errors/write-error.ts';
import { exitAfterCleanup, watchInterrupts } from '../terminal/interrupts.ts';
import { isJsonRequested } from '../command/print-error.ts';
import { startFreshLine } from '../terminal/stderr.ts';
import { lossOf } from '../terminal/stdout.ts';
import { reportFailure, runCommandLine } from './command-line.ts';

const argv = process.argv.slice(2);

watchOutputStreams();
watchInterrupts((hint, isExpected) => {
  startFreshLine();
  if (isExpected && !isJsonRequested(argv)) return;
  reportFailure(new CliError('interrupted', EXIT_CODES.interrupted, 'Interrupted', hint), argv);
});

/**
 * Ends the process when stdout is closed by its reader or cannot be written. The listeners are prepended because
 * oclif's own listener would crash the process.
 */
function watchOutputStreams(): void {
  process.stdout.prependListener('error', (error: NodeJS.ErrnoException) => {
    const failure = toWriteError(error, 'standard output');
    const loss = lossOf(failure);
    // The reader closed the pipe, as in `svc ... | head`.
    if (error.code === 'EPIPE' && loss === null) return exitAfterCleanup(EXIT_CODES.ok);
    exitAfterCleanup(reportFailure(loss ?? failure, argv));
  });
  // stderr itself failed, so the error cannot be printed.
  process.stderr.prependListener('error', () => {});
}

await runCommandLine(argv, new URL('..', import.meta.url));
