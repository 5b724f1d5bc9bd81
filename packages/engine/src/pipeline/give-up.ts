/**
 * What becomes of a job that threw the same error again and again: it is set aside (`queue/set-aside.ts`), and what it was about says so
 * to the customer. The error itself is for the operator: it may say anything.
 */
import { internalError } from '@svc/domain/syncs/sync-errors';
import type { Context } from '../context.ts';
import { parseRef, PROBE_CRM, PROCESS_RECEIPT, RETRY_SYNC, WRITE_CRM } from '../jobs/kinds.ts';
import { IS_RECORDED, RETRY_OF_SYNC_ID } from '../jobs/write-state.ts';
import { type GiveUp, THROWS_MAX } from '../queue/failed-jobs.ts';
import { type ClaimedJob, LeaseLostError, lockClaimedJob } from '../queue/queue.ts';
import { setAside } from '../queue/set-aside.ts';
import { crmLabel } from '../runtime/metrics.ts';
import { insertUnwrittenEvent, insertUnwrittenRetry } from '../store/sync-attempts.ts';
import type { Db } from '../store/database/db.ts';
import { setGivenUpReceipt } from '../store/receipts.ts';
import { listSyncsToRetry } from '../store/syncs.ts';
import { applySyncOutcomes } from './sync-health.ts';
import { withoutFailures } from './next-attempt.ts';

/** Only the end of the probe ends an outage, and the probe delays no events but those that wait for this end. */
const NEVER_GIVEN_UP = PROBE_CRM;

const UNREAD_RECEIPT =
  'An error of this service kept the payload from being read. It is kept; the operator can read it again.';

/** What a job that is given up leaves for whoever waits for its result. */
interface Record {
  /** The state in which the job is set aside. Default: as it was. */
  state?: ClaimedJob['state'];
  hasEvent?: boolean;
  crm?: string;
}

export function createGiveUp(ctx: Context): GiveUp {
  return async (job, error) => {
    if (job.kind === NEVER_GIVEN_UP) return;
    const now = ctx.clock.now();
    const recorded = await ctx.db
      .transaction(async (tx): Promise<Record> => {
        // First, so that a worker without a lease changes nothing for its job.
        await lockClaimedJob(tx, job);
        const made = await record(ctx, tx, job, now);
        await setAside(tx, { ...job, state: made.state ?? job.state }, { error, now });
        return made;
      })
      .catch((failure: unknown) => {
        // Another worker has it: it decides.
        if (failure instanceof LeaseLostError) return null;
        throw failure;
      });
    if (recorded === null) return;
    const { kind, ref } = job;
    if (recorded.crm !== undefined) ctx.metrics.crmWrites.inc({ crm: crmLabel(recorded.crm), status: 'error' });
    if (recorded.hasEvent === true) ctx.wakeWorkers();
    ctx.log.error(
      { kind, ref, error },
      `a job threw the same error ${THROWS_MAX} times and is set aside: svc-server jobs list shows it, and after an update svc-server jobs retry runs it again`,
    );
  };
}

async function record(ctx: Context, tx: Db, job: ClaimedJob, now: Date): Promise<Record> {
  switch (job.kind) {
    case WRITE_CRM:
      return recordUnwritten(ctx, tx, job, now);
    case RETRY_SYNC:
      return recordUnretried(ctx, tx, job, now);
    case PROCESS_RECEIPT:
      await setGivenUpReceipt(tx, parseRef(job).subjectId, UNREAD_RECEIPT);
      return {};
    default:
      // Their subjects stay as they are: a delivery, a mail or a list that waits.
      return {};
  }
}

/** Adds the error row of an event, whatever is the matter with its content: only columns are read. */
async function recordUnwritten(ctx: Context, tx: Db, job: ClaimedJob, now: Date): Promise<Record> {
  const before = job.state[RETRY_OF_SYNC_ID];
  const retryOfSyncId = typeof before === 'number' ? before : null;
  const eventId = parseRef(job).subjectId;
  const sync = await insertUnwrittenEvent(tx, { eventId, retryOfSyncId, errorOf: internalError, at: now });
  if (sync === null) return {};
  const { accountId, crm, error, ...ids } = sync;
  const subject = { connectionId: ids.connectionId, sourceId: ids.sourceId, crm, sourcePlatform: ids.platform };
  const [hasEvent = false] = await applySyncOutcomes(ctx, tx, [{ accountId, subject, status: 'error', error }], now);
  const state = { ...withoutFailures(job.state), [RETRY_OF_SYNC_ID]: retryOfSyncId ?? ids.id, [IS_RECORDED]: true };
  return { state, hasEvent, crm };
}

async function recordUnretried(ctx: Context, tx: Db, job: ClaimedJob, now: Date): Promise<Record> {
  const syncId = parseRef(job).subjectId;
  const sync = (await listSyncsToRetry(tx, [syncId])).get(syncId);
  if (sync === undefined) return {};
  const { accountId, connectionId, sourceId, crm, platform } = sync;
  const error = internalError(crm);
  await insertUnwrittenRetry(tx, syncId, error, now);
  // Deleted sources have no health state.
  if (connectionId === null || sourceId === null) return { crm };
  const subject = { connectionId, sourceId, crm, sourcePlatform: platform };
  const [hasEvent = false] = await applySyncOutcomes(ctx, tx, [{ accountId, subject, status: 'error', error }], now);
  return { state: withoutFailures(job.state), hasEvent, crm };
}
