/** Makes events wait without calls while their CRM does not work; they still get their error rows in time. */
import { nextCrmWait } from '@svc/domain/syncs/crm-backoff';
import type { CrmError } from '@svc/crm';
import type { Context } from '../context.ts';
import { IS_RECORDED, IS_TRY_REQUESTED } from '../jobs/write-state.ts';
import { deferAll, lockClaimedJobs, settle } from '../queue/job-batches.ts';
import type { WritingConnection } from '../store/sync-attempts.ts';
import { holdCrmOutage } from '../store/crm-outages.ts';
import { requestProbe } from './crm-outage.ts';
import { afterStored, applyResults, type EventWrite, type WriteResult } from './sync-results.ts';
import { fromStep, readFailures } from './next-attempt.ts';

export async function waitForCrm(
  ctx: Context,
  connection: WritingConnection,
  writes: readonly EventWrite[],
): Promise<void> {
  const now = ctx.clock.now();
  const jobs = writes.map(({ job }) => job);
  const stored = await settle(ctx.db, jobs, async (tx) => {
    const held = await lockClaimedJobs(tx, jobs);
    const mine = writes.filter(({ job }) => held.has(job.id));
    // Before the outage is held: many events may share that lock, and then none could change the row.
    if (mine.some(isTryRequested)) await requestProbe(tx, connection.id, now);
    const outage = await holdCrmOutage(tx, connection.id);
    if (outage?.isConfirmed !== true) {
      // It ended since the jobs began.
      await deferAll(
        tx,
        mine.map(({ job }) => ({ job, dueAt: now })),
      );
      return [];
    }
    const results = mine.map((write) => waitOf(write, outage.error, now));
    return applyResults(ctx, tx, [{ connection, results }]);
  });
  for (const entry of stored) await afterStored(ctx, connection, entry);
}

function isTryRequested({ job, isRequested }: EventWrite): boolean {
  return job.state[IS_TRY_REQUESTED] === true || (isRequested && readFailures(job.state) === null);
}

function waitOf(write: EventWrite, error: CrmError, now: Date): WriteResult {
  const { state: before } = write.job;
  const state = isTryRequested(write) ? { ...before, [IS_TRY_REQUESTED]: true } : before;
  const step = nextCrmWait(readFailures(before), now, before[IS_RECORDED] === true);
  const next = fromStep(state, step, { notBefore: null, error: 'The CRM does not work at the moment.' });
  const outcome =
    next === null || next.isRecordedNow
      ? ({ status: 'error', error, retry: { afterMs: null }, disconnected: false } as const)
      : null;
  return { write, outcome, isCall: false, next };
}
