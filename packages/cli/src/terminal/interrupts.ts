import { rmSync } from 'node:fs';
import { clearProgress } from './progress.ts';
import { EXIT_CODES } from '../errors/exit-codes.ts';

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

let interruptHint: string | null = null;

/** What to do next, told when a signal ends the command; without it, only Ctrl-C is told of. */
export function setInterruptHint(hint: string | null): void {
  interruptHint = hint;
}

const farewells = new Set<() => Promise<void>>();

/**
 * For what has to be undone elsewhere when a signal ends the command: it is waited for, until a second signal. Call the result once
 * it is undone.
 *
 * @param farewell must not throw
 */
export function undoOnSignal(farewell: () => Promise<void>): () => void {
  farewells.add(farewell);
  return () => farewells.delete(farewell);
}

/** 128 and the number of the signal, as shells have it. */
const QUIET_SIGNALS = { SIGTERM: 143, SIGHUP: 129 } as const;

let isLeaving = false;

/** Ends the process, once what has to be undone elsewhere is undone. */
export function leave(code: number, report: () => void = () => {}): void {
  if (isLeaving) return;
  isLeaving = true;
  const end = () => {
    report();
    process.exit(code);
  };
  if (farewells.size === 0) return end();
  void Promise.all([...farewells].map((farewell) => farewell())).then(end, end);
}

export function watchInterrupts(reportInterrupt: (hint: string | null) => void): void {
  process.on('exit', () => {
    clearProgress();
    for (const file of unfinishedFiles) rmSync(file, { force: true });
  });
  const reportHint = () => {
    if (interruptHint !== null) reportInterrupt(interruptHint);
  };
  const leaveOn = (signal: NodeJS.Signals, code: number, report: () => void) => {
    process.on(signal, () => {
      // Whoever says it twice does not want to wait.
      if (isLeaving) {
        report();
        process.exit(code);
      }
      leave(code, report);
    });
  };
  leaveOn('SIGINT', EXIT_CODES.interrupted, () => reportInterrupt(interruptHint));
  leaveOn('SIGTERM', QUIET_SIGNALS.SIGTERM, reportHint);
  leaveOn('SIGHUP', QUIET_SIGNALS.SIGHUP, reportHint);
}
