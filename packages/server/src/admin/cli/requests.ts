/** `svc-server requests reprocess`: begins a run and waits for it, shows the runs, or stops one. */
import { listRuns, reprocessReceipts, stopRun, summarize } from '@svc/operations/declared/requests';
import { handWritten, runOperation } from './define.ts';
import { parseId } from './options.ts';
import { call } from './run.ts';
import { isWaiting, waitForRun } from './wait-for-run.ts';

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
      if (!isWaiting(options) || notices.length > 0) return;
      const read = async () => (await call('requests/runs', { runId: run.id }, options)).runs[0];
      await waitForRun(read, { summarize });
    },
  }),
];
