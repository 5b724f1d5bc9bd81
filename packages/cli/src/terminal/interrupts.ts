import { rmSync } from 'node:fs';
import { clearProgress } from './progress.ts';
import { EXIT_CODES } from '../errors/exit-codes.ts';

/**
 * Files to delete when the process ends early: after Ctrl-C, SIGTERM, SIGHUP, or when the reader of stdout is gone.
 */
const unfinishedFiles = new Set<string>();

/** Deletes the file if the process ends early. Call the returned function when the file is complete or deleted. */
export function removeOnExit(file: string): () => void {
  unfinishedFiles.add(file);
  return () => unfinishedFiles.delete(file);
}

let interruptHint: string | null = null;

/** Sets the hint that is printed when a signal ends the command. Without a hint, only Ctrl-C is reported. */
export function setInterruptHint(hint: string | null): void {
  interruptHint = hint;
}

let isInterruptExpected = false;

/** For commands that run until Ctrl-C: without a hint, Ctrl-C is not reported as an error. */
export function expectInterrupt(): void {
  isInterruptExpected = true;
}

const cleanups = new Set<() => Promise<void>>();

/**
 * Registers a cleanup outside this machine that runs when a signal ends the command. The process waits for it until a
 * second signal. Call the returned function to unregister it.
 *
 * @param cleanup must not throw
 */
export function cleanUpOnSignal(cleanup: () => Promise<void>): () => void {
  cleanups.add(cleanup);
  return () => cleanups.delete(cleanup);
}

/** 128 plus the number of the signal, as in shells. */
const QUIET_SIGNALS = { SIGTERM: 143, SIGHUP: 129 } as const;

let isExiting = false;

/** Ends the process after all registered cleanups. */
export function exitAfterCleanup(code: number, report: () => void = () => {}): void {
  if (isExiting) return;
  isExiting = true;
  const end = () => {
    report();
    process.exit(code);
  };
  if (cleanups.size === 0) return end();
  void Promise.all([...cleanups].map((cleanup) => cleanup())).then(end, end);
}

const listeners = new Map<NodeJS.Signals, () => void>();

/** Leaves signals to another program that runs in this process. */
export function stopWatchingSignals(): void {
  for (const [signal, listener] of listeners) process.off(signal, listener);
  listeners.clear();
}

export function watchInterrupts(reportInterrupt: (hint: string | null, isExpected: boolean) => void): void {
  process.on('exit', () => {
    clearProgress();
    // Newest first, so that a lock is removed after what it guards.
    for (const file of [...unfinishedFiles].reverse()) rmSync(file, { force: true });
  });
  const reportHint = () => {
    if (interruptHint !== null) reportInterrupt(interruptHint, false);
  };
  const exitOn = (signal: NodeJS.Signals, code: number, report: () => void) => {
    const listener = () => {
      // A second signal ends the wait.
      if (isExiting) {
        report();
        process.exit(code);
      }
      exitAfterCleanup(code, report);
    };
    listeners.set(signal, listener);
    process.on(signal, listener);
  };
  exitOn('SIGINT', EXIT_CODES.interrupted, () =>
    reportInterrupt(interruptHint, isInterruptExpected && interruptHint === null),
  );
  exitOn('SIGTERM', QUIET_SIGNALS.SIGTERM, reportHint);
  exitOn('SIGHUP', QUIET_SIGNALS.SIGHUP, reportHint);
}
