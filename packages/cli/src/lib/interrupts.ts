import { rmSync } from 'node:fs';
import { EXIT_CODES } from './exit-codes.ts';

/**
 * Leaving before the end: Ctrl-C, a supervisor's SIGTERM, a reader that went away. All of them end the process at
 * once; unfinished files are removed on the way out.
 */
const unfinishedFiles = new Set<string>();

/** Call the result when the file is finished or gone. */
export function removeOnExit(file: string): () => void {
  unfinishedFiles.add(file);
  return () => unfinishedFiles.delete(file);
}

const SIGTERM_EXIT_CODE = 143;

export function watchInterrupts(reportInterrupt: () => void): void {
  process.on('exit', () => {
    for (const file of unfinishedFiles) rmSync(file, { force: true });
  });
  process.on('SIGINT', () => {
    reportInterrupt();
    process.exit(EXIT_CODES.interrupted);
  });
  process.on('SIGTERM', () => process.exit(SIGTERM_EXIT_CODE));
}
