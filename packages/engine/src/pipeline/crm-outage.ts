/**
 * A CRM that does not work: no answer, timeouts, 5xx. The state is a row of `crm_outages` per connection.
 *
 * - The first failed call begins an outage. The event is retried by itself (`domain/syncs/crm-backoff`).
 * - A failed call of another event confirms it. Now events wait without calls; each gets its error row after a minute, as
 *   it would with calls, and is given up after 24 hours.
 * - One job per connection, `probe-crm`, tries one waiting event at a time with growing gaps (`probe-crm.ts`).
 * - A definite answer ends the outage, and the waiting events become due. While one event failed alone, every other event
 *   is written as usual, and its answer ends the outage too.
 *
 * The log reports an outage once it has caused an error row, and its end.
 */
import { nextCrmCallAt } from '@svc/domain/syncs/crm-backoff';
import type { CrmError, CrmFailed } from '@svc/crm';
import type { Context } from '../context.ts';
import { composeRef, fairnessKeys, PROBE_CRM } from '../jobs/kinds.ts';
import { enqueueOnceMore, type NewJob } from '../queue/queue.ts';
import { advanceProbe, countWaitingEvents } from '../queue/waiting-writes.ts';
import {
  advanceNextProbe,
  type CrmOutage,
  deleteAbandonedOutage,
  deleteCrmOutage,
  getCrmOutage,
  recordCrmFailure,
  recordFailedProbe,
  recordOwnFailure,
  setCrmOutageReported,
} from '../store/crm-outages.ts';
import type { WritingConnection } from '../store/sync-attempts.ts';
import type { Db } from '../store/database/db.ts';

/** Shortest time between two probes that callers request. */
const REQUESTED_PROBE_MS = 60_000;

/**
 * An event with more failed calls of its own says little about the CRM: it may be the cause. It neither begins nor confirms
 * an outage.
 */
const OWN_FAILURES_MAX = 5;

/** Longer than the longest gap between two tries of an event. */
const ABANDONED_MS = 60 * 60 * 1000;

function probeCrmJob(connectionId: number, dueAt: Date, now: Date): NewJob {
  const fairnessKey = fairnessKeys.connection(connectionId);
  return { kind: PROBE_CRM, ref: composeRef(connectionId), fairnessKey, dueAt, createdAt: now };
}

/** What a call says about an outage of the CRM. */
export type OutageCall =
  | { status: 'answered' }
  | {
      status: 'failed';
      eventId: number;
      failed: CrmFailed;
      /** Failed calls of this event, this one included. */
      failureCount: number;
      /** When the event is tried again; null when it is given up. */
      nextTryAt: Date | null;
    };

/**
 * Stores what the calls of a batch say about an outage, in their order: an answer ends it, a failed call begins it, and
 * that of another event confirms it. Returns the outage that ended.
 */
export async function applyCallsToOutage(
  tx: Db,
  connection: WritingConnection,
  calls: readonly OutageCall[],
  { isProbe, at }: { isProbe: boolean; at: Date },
): Promise<EndedOutage | null> {
  let mayHaveOutage = connection.crmOutage !== null;
  let ended: EndedOutage | null = null;
  for (const run of toRuns(calls)) {
    if (run.status === 'answered') {
      if (mayHaveOutage) ended = (await endCrmOutage(tx, connection.id, { isProbe })) ?? ended;
      mayHaveOutage = false;
      continue;
    }
    mayHaveOutage = true;
    for (const call of run.calls) await applyFailedCall(tx, connection, { ...call, isProbe, at });
  }
  return ended;
}

type FailedCall = Extract<OutageCall, { status: 'failed' }>;
type Run = { status: 'answered' } | { status: 'failed'; calls: FailedCall[] };

/** Joins neighbouring calls with the same effect. */
function toRuns(calls: readonly OutageCall[]): Run[] {
  const runs: Run[] = [];
  for (const call of calls) {
    const last = runs.at(-1);
    if (call.status === 'answered') {
      if (last?.status !== 'answered') runs.push(call);
    } else if (last?.status === 'failed') last.calls.push(call);
    else runs.push({ status: 'failed', calls: [call] });
  }
  return runs.map((run) => (run.status === 'failed' ? { ...run, calls: withoutNeedless(run.calls) } : run));
}

/** When several events fail together, the first begins the outage and the last confirms it. The others change nothing and are dropped. */
function withoutNeedless(calls: readonly FailedCall[]): FailedCall[] {
  const own = calls.filter(({ failureCount }) => failureCount > OWN_FAILURES_MAX);
  const shared = calls.filter(({ failureCount }) => failureCount <= OWN_FAILURES_MAX);
  return [...own, ...shared.slice(0, 1), ...shared.slice(1).slice(-1)];
}

async function applyFailedCall(
  tx: Db,
  { id: connectionId, crmOutage }: WritingConnection,
  call: FailedCall & { isProbe: boolean; at: Date },
): Promise<void> {
  const { eventId, at } = call;
  const error = withoutRequestDetails(call.failed.error);
  if (call.isProbe) {
    const asked = call.failed.retry === 'never' ? null : call.failed.retry.afterMs;
    const backoffAt = nextCrmCallAt((crmOutage?.failedProbes ?? 0) + 2, at);
    const nextProbeAt = new Date(Math.max(backoffAt.getTime(), at.getTime() + (asked ?? 0)));
    await recordFailedProbe(tx, { connectionId, at, nextProbeAt, error });
    return;
  }
  const firstProbeAt = nextCrmCallAt(1, at);
  const nextTryAt = call.nextTryAt ?? firstProbeAt;
  if (call.failureCount > OWN_FAILURES_MAX) {
    await recordOwnFailure(tx, { connectionId, eventId, at, nextTryAt, error });
    return;
  }
  await deleteAbandonedOutage(tx, connectionId, new Date(at.getTime() - ABANDONED_MS));
  const outage = await recordCrmFailure(tx, { connectionId, eventId, at, nextTryAt, firstProbeAt, error });
  if (outage.isConfirmed && crmOutage?.isConfirmed !== true) {
    await enqueueOnceMore(tx, probeCrmJob(connectionId, outage.nextProbeAt, at));
  }
}

/** Makes the next probe due for a caller who requested a try, at most one a minute. */
export async function requestProbe(tx: Db, connectionId: number, now: Date): Promise<void> {
  const outage = await getCrmOutage(tx, connectionId);
  if (outage === null) return;
  const earliest = new Date(Math.max(now.getTime(), outage.lastCallAt.getTime() + REQUESTED_PROBE_MS));
  if (earliest >= outage.nextProbeAt) return;
  // The job before the outage, as everywhere, so that two transactions never wait for each other.
  await advanceProbe(tx, connectionId, earliest);
  await advanceNextProbe(tx, connectionId, earliest);
}

export interface EndedOutage extends CrmOutage {
  /** Events that waited for its end. */
  waitingEvents: number;
}

/** Ends the outage after a definite answer. Without a probe a confirmed outage stays: its next probe will tell. */
async function endCrmOutage(
  tx: Db,
  connectionId: number,
  { isProbe }: { isProbe: boolean },
): Promise<EndedOutage | null> {
  const outage = await deleteCrmOutage(tx, connectionId, isProbe ? 'any' : 'unconfirmed');
  if (outage === null) return null;
  // Only the log needs the count. The event of the probe has waited too.
  const others = outage.reportedAt === null ? 0 : await countWaitingEvents(tx, connectionId);
  return { ...outage, waitingEvents: others + (isProbe ? 1 : 0) };
}

/**
 * Logs the outage that caused an error row, once. Not part of the transaction that stores the row: events that wait share a
 * lock of the outage.
 */
export async function reportOutage(
  ctx: Context,
  { id, crm }: Pick<WritingConnection, 'id' | 'crm'>,
  firstFailedAt: Date,
): Promise<void> {
  const outage = await getCrmOutage(ctx.db, id);
  if (outage === null || outage.reportedAt !== null) return;
  // Other events were written since this one failed first: this event fails by itself.
  if (!outage.isConfirmed && outage.failingSince > firstFailedAt) return;
  if (!(await setCrmOutageReported(ctx.db, id, ctx.clock.now()))) return;
  const { connectionId, failingSince: since, error } = outage;
  ctx.log.warn(
    { connectionId, crm, since, code: error.code, httpStatus: error.httpStatus },
    'the CRM of a connection does not work: its events wait, and are tried again for 24 hours',
  );
}

export function logOutageEnd(ctx: Context, { crm }: { crm: string }, outage: EndedOutage): void {
  if (outage.reportedAt === null) return;
  const { connectionId, failingSince: since, waitingEvents } = outage;
  const durationSeconds = Math.round((ctx.clock.now().getTime() - since.getTime()) / 1_000);
  ctx.log.warn(
    { connectionId, crm, since, durationSeconds, waitingEvents },
    'the outage of a CRM is over: its waiting events are processed',
  );
}

/** The error for rows of events that waited; the CRM's own ids belong to the failed call only. */
function withoutRequestDetails({ code, message, httpStatus }: CrmError): CrmError {
  return { code, message, httpStatus };
}
