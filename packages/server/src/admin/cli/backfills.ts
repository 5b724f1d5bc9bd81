/** `svc-server sources backfill`: begins a run and waits for it, shows the runs, or stops one. */
import {
  backfillSource,
  describeBackfill,
  listBackfills,
  stopBackfill,
  summarizeBackfill,
} from '@svc/operations/declared/backfills';
import { handWritten, runOperation } from './define.ts';
import { parseId } from './options.ts';
import { call } from './run.ts';
import { isWaiting, waitForRun } from './wait-for-run.ts';

export const backfills = [
  handWritten(backfillSource, {
    hasOtherUses: true,
    define(command) {
      command
        .option('--no-wait', 'do not wait for the end')
        .option('--status', 'show the runs and how far they are')
        .option('--stop <run>', 'stop a run; what it has read stays', parseId);
    },
    async doOtherUse({ sourceId, since }, options, command) {
      const { stop, status } = options;
      if (stop !== undefined) await runOperation(stopBackfill, { id: stop }, options);
      else if (status === true) await runOperation(listBackfills, { sourceId }, options);
      else if (sourceId !== undefined && since !== undefined) return false;
      else command.error('error: name the source and --since, or use --status or --stop.');
      return true;
    },
    async after({ run, notices }, options) {
      if (!isWaiting(options) || notices.length > 0) return;
      const read = async () => (await call('sources/backfills', { runId: run.id }, options)).runs[0];
      await waitForRun(read, { summarize: summarizeBackfill, describe: describeBackfill });
    },
  }),
];
