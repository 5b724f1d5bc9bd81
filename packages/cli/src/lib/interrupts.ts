import { rmSync } from 'node:fs';
import { clearProgress } from '../output/progress.ts';
import { EXIT_CODES } from './exit-codes.ts';

/**
 * Leaving before the end: Ctrl-C, a supervisor's SIGTERM, a terminal that is closed, a reader that went away. All of them end the process at
 * once; unfinished files are removed on the way out.
 */
const unfinishedFiles = new Set<string>();

/** Call the result when the file is finished or gone. */
export function removeOnExit(file: string): () => void {
  unfinishedFiles.add(file);
  return () => unfinishedFiles.delete(file);
}

/** 128 and the number of the signal, as shells have it. */
const QUIET_SIGNALS = { SIGTERM: 143, SIGHUP: 129 } as const;

export function watchInterrupts(reportInterrupt: () => void): void {
  process.on('exit', () => {
    clearProgress();
    for (const file of unfinishedFiles) rmSync(file, { force: true });
  });
  process.on('SIGINT', () => {
    reportInterrupt();
    process.exit(EXIT_CODES.interrupted);
  });
  process.on('SIGTERM', () => process.exit(QUIET_SIGNALS.SIGTERM));
  process.on('SIGHUP', () => process.exit(QUIET_SIGNALS.SIGHUP));
}
