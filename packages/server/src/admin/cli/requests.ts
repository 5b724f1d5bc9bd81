/** `svc-server requests reprocess`: begins a run and waits for it, shows the runs, or stops one. */
import { setTimeout as sleep } from 'node:timers/promises';
import { sanitize } from '@svc/engine/runtime/terminal-text';
import { listRuns, reprocessReceipts, stopRun, summarize } from '@svc/operations/declared/requests';
import { handWritten, type Options, runOperation } from './define.ts';
import { type AdminOptions, parseId } from './options.ts';
import { call, print } from './run.ts';

export const requests = [
  handWritten(reprocessReceipts, {
    hasOtherUses: true,
    define(command) {
      command
        .option('--no-wait', 'do not wait for the end')
        .option('--status', 'show the runs and how far they are')
        .option('--stop <run>', 'stop a run; what it has read stays', parseId);
    },
    async doOtherUse({ sourceId, since }, options, command) {
      const { stop, status } = options;
      if (stop !== undefined) await runOperation(stopRun, { id: stop }, options);
      else if (status === true) await runOperation(listRuns, { sourceId }, options);
      else if (sourceId !== undefined && since !== undefined) return false;
      else command.error('error: name the requests with --source and --since, or use --status or --stop.');
      return true;
    },
    async after({ run, notices }, options) {
      if (isWaiting(options) && notices.length === 0) await waitForEnd(run.id, options);
    },
  }),
];

function isWaiting({ wait, json }: Options): boolean {
  return wait === true && json !== true;
}

const POLL_MS = 1_000;
/** A run may take hours. */
const PROGRESS_POLLS = 10;

async function waitForEnd(runId: number, options: AdminOptions): Promise<void> {
  for (let polls = 1; ; polls += 1) {
    await sleep(POLL_MS);
    const [run] = (await call('requests/runs', { runId }, options)).runs;
    if (run?.state === 'running') {
      if (polls % PROGRESS_POLLS === 0) process.stderr.write(`${sanitize(summarize(run))}\n`);
      continue;
    }
    print(`${sanitize(run === undefined ? 'The source was removed.' : summarize(run))}\n`);
    return;
  }
}
