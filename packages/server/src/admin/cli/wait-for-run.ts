import { setTimeout as sleep } from 'node:timers/promises';
import { sanitize } from '@svc/engine/runtime/terminal-text';
import type { Options } from './define.ts';
import { print, sanitizeLines } from './run.ts';

/** Returns whether a command waits for the end of what it began. */
export function isWaiting({ wait, json }: Options): boolean {
  return wait === true && json !== true;
}

const POLL_MS = 1_000;
/** A run may take hours. */
const PROGRESS_POLLS = 10;

/** Shows the progress of a run until it ends, and then what became of it. */
export async function waitForRun<Run extends { state: string }>(
  read: () => Promise<Run | undefined>,
  { summarize, describe = summarize }: { summarize: (run: Run) => string; describe?: (run: Run) => string },
): Promise<void> {
  for (let polls = 1; ; polls += 1) {
    await sleep(POLL_MS);
    const run = await read();
    if (run?.state === 'running') {
      if (polls % PROGRESS_POLLS === 0) process.stderr.write(`${sanitize(summarize(run))}\n`);
      continue;
    }
    print(`${sanitizeLines(run === undefined ? 'The source was removed.' : describe(run))}\n`);
    return;
  }
}
