/**
 * Stores what became of the events of one connection that were written, refused or made to wait together: one
 * transaction with few statements, however many they are. It finishes or defers exactly the jobs that this worker still
 * holds; the results of the others are dropped.
 */
import { connectionErrorAfterWrite } from '@svc/domain/syncs/connection-error';
import { givenUpError } from '@svc/domain/syncs/sync-errors';
import type { CrmError, CrmOutcome } from '@svc/crm';
import type { Context } from '../context.ts';
import { crmLabel } from '../runtime/metrics.ts';
import {
  type EventToWrite,
  insertSyncs,
  markDisconnected,
  setConnectionError,
  type WritingConnection,
} from '../store/crm-writes.ts';
import type { Db } from '../store/database/db.ts';
import { type Deferral, deferAll, lockClaimedJobs, settle } from '../queue/job-batches.ts';
import { type ClaimedJob, enqueue, finishAll } from '../queue/queue.ts';
import { applyCrmAnswer } from './crm-cooldown.ts';
import { applyCallsToOutage, type EndedOutage, logOutageEnd, type OutageCall, reportOutage } from './crm-outage.ts';
import { applySyncOutcomes } from './sync-health.ts';
import {
  endsOutage,
  IS_RECORDED,
  isOutage,
  isQuotaWait,
  isTemporary,
  type NextAttempt,
  readFailures,
} from './write-retries.ts';

/** The job `write-crm`, which writes an event to its CRM. */
export const WRITE_CRM = 'write-crm';

/** One attempt to write an event. */
export interface EventWrite {
  job: ClaimedJob;
  target: EventToWrite;
  retryOfSyncId: number | null;
  /** A caller requested this attempt and expects a row. */
  isRequested: boolean;
}

export interface WriteResult {
  write: EventWrite;
  /** Null when the event only waits, or is dropped. */
  outcome: CrmOutcome | null;
  /** Whether the outcome is an answer to a call, or the lack of one. */
  isCall: boolean;
  /** The pending next attempt; null when there is none. */
  next: NextAttempt | null;
}

export interface ResultOptions {
  /** The calls were made although the CRM did not work lately. */
  isProbe: boolean;
  /** The end of the claimed probe after a cooldown; null without one. */
  cooldownProbeUntil: Date | null;
}

/** What is done after the commit. */
export interface StoredResults {
  recorded: WriteResult[];
  hasEvent: boolean;
  endedOutage: EndedOutage | null;
  /** When the newest temporary failure that has an error row began; null without one. */
  firstFailedAt: Date | null;
}

/** Stores the results in a transaction of their own, then logs, counts and wakes. */
export async function storeResults(
  ctx: Context,
  connection: WritingConnection,
  results: readonly WriteResult[],
  options: ResultOptions,
): Promise<void> {
  if (results.length === 0) return;
  const jobs = results.map(({ write }) => write.job);
  const stored = await settle(ctx.db, jobs, (tx) => applyResults(ctx, tx, connection, results, options));
  await afterStored(ctx, connection, stored);
}

/** Stores the results in the caller's transaction. @param results in the order in which the events were received */
export async function applyResults(
  ctx: Context,
  tx: Db,
  connection: WritingConnection,
  results: readonly WriteResult[],
  { isProbe, cooldownProbeUntil }: ResultOptions,
): Promise<StoredResults> {
  const at = ctx.clock.now();
  // First, so that a worker without a lease changes nothing for its job.
  const held = await endAttempts(tx, results);
  const mine = results.filter(({ write }) => held.has(write.job.id));
  // The outage before the health, as for events that wait, so that two transactions never wait for each other.
  const calls = mine.flatMap(toOutageCall);
  const endedOutage = await applyCallsToOutage(tx, connection, calls, { isProbe, at });
  const recorded = mine.filter(isRecorded);
  const syncs = recorded.map((result) => ({ ...result.write, status: result.outcome.status, error: errorOf(result) }));
  const syncIds = await insertSyncs(tx, syncs, at);
  const hasEvent = await applySyncOutcomes(
    ctx,
    tx,
    syncs.map(({ target, status, error }) => ({
      accountId: connection.accountId,
      subject: subjectOf(target),
      status,
      error,
    })),
    at,
  );
  await applyToConnection(tx, connection, mine);
  const retries = recorded.flatMap(({ write, next }, index) => {
    if (next === null) return [];
    const state = { ...next.state, retryOfSyncId: write.retryOfSyncId ?? syncIds[index], [IS_RECORDED]: true };
    const { fairnessKey } = write.job;
    return [{ kind: WRITE_CRM, ref: write.target.id, fairnessKey, dueAt: next.dueAt, createdAt: at, state }];
  });
  if (retries.length > 0) await enqueue(tx, ...retries);
  const answer = longestCooldown(mine) ?? mine.findLast(({ isCall }) => isCall)?.outcome;
  if (answer) await applyCrmAnswer(tx, connection.id, cooldownProbeUntil, answer);
  return { recorded, hasEvent, endedOutage, firstFailedAt: latestFailure(recorded, at) };
}

/** Logs, counts and wakes after the commit. */
export async function afterStored(
  ctx: Context,
  connection: WritingConnection,
  { recorded, hasEvent, endedOutage, firstFailedAt }: StoredResults,
): Promise<void> {
  // The webhook deliveries of the event are due now.
  if (hasEvent) ctx.wakeWorkers();
  const crm = crmLabel(connection.crm);
  for (const { outcome } of recorded) if (outcome) ctx.metrics.crmWrites.inc({ crm, status: outcome.status });
  if (endedOutage) logOutageEnd(ctx, connection, endedOutage);
  if (firstFailedAt) await reportOutage(ctx, connection, firstFailedAt);
}

/** Whether the attempt gets a row, so that its job ends. */
function isRecorded(result: WriteResult): result is WriteResult & { outcome: CrmOutcome } {
  return result.outcome !== null && (result.next === null || result.next.isRecordedNow);
}

/** Finishes and defers the jobs. Returns the ids of those that this worker held. */
async function endAttempts(tx: Db, results: readonly WriteResult[]): Promise<ReadonlySet<number>> {
  const ended: ClaimedJob[] = [];
  const deferrals: Deferral[] = [];
  for (const { write, next } of results) {
    if (next === null || next.isRecordedNow) ended.push(write.job);
    else deferrals.push({ job: write.job, dueAt: next.dueAt, state: next.state, error: next.error });
  }
  if (ended.length > 0 && deferrals.length > 0)
    await lockClaimedJobs(tx, [...ended, ...deferrals.map(({ job }) => job)]);
  const finished = ended.length === 0 ? [] : await finishAll(tx, ended);
  return new Set([...finished, ...(await deferAll(tx, deferrals))]);
}

function toOutageCall({ write, outcome, isCall, next }: WriteResult): OutageCall[] {
  if (!isCall || outcome === null) return [];
  if (isOutage(outcome) && outcome.cooldownUntilMs === undefined) {
    const failureCount = next === null ? Infinity : (readFailures(next.state)?.count ?? 1);
    const nextTryAt = next?.dueAt ?? null;
    return [{ status: 'failed', eventId: write.target.id, failed: outcome, failureCount, nextTryAt }];
  }
  return endsOutage(outcome) ? [{ status: 'answered' }] : [];
}

function subjectOf({ source, connection, platform }: EventToWrite) {
  return { connectionId: connection.id, crm: connection.crm, sourceId: source.id, sourcePlatform: platform };
}

/** Applies the last word of the batch about the connection as a whole. */
async function applyToConnection(
  tx: Db,
  { id, crm, sealedCrmToken: sealedToken }: WritingConnection,
  results: readonly WriteResult[],
): Promise<void> {
  if (sealedToken === null) return;
  // An event that waits for its CRM's quota has no row, but the connection says why.
  const told = results.filter((result) => isRecorded(result) || (result.outcome && isQuotaWait(result.outcome)));
  const errors = told.map(({ outcome }) =>
    outcome === null ? undefined : connectionErrorAfterWrite({ crm, status: outcome.status, error: errorIn(outcome) }),
  );
  const error = errors.findLast((entry) => entry !== undefined);
  // Unconditional, because a concurrent write may have recorded an error since.
  if (error !== undefined) await setConnectionError(tx, { id, sealedToken }, error);
  const isDisconnected = told.some(({ outcome }) => outcome?.status === 'error' && outcome.disconnected);
  if (isDisconnected) await markDisconnected(tx, id, sealedToken);
}

/** Returns the answer of the batch that asks for the longest cooldown. */
function longestCooldown(results: readonly WriteResult[]): CrmOutcome | null {
  let longest: { outcome: CrmOutcome; untilMs: number } | null = null;
  for (const { outcome, isCall } of results) {
    if (!isCall || outcome?.status !== 'error' || outcome.cooldownUntilMs === undefined) continue;
    if (longest === null || outcome.cooldownUntilMs > longest.untilMs) {
      longest = { outcome, untilMs: outcome.cooldownUntilMs };
    }
  }
  return longest?.outcome ?? null;
}

function latestFailure(recorded: readonly WriteResult[], at: Date): Date | null {
  const times = recorded.flatMap(({ write, outcome, next }) =>
    outcome && isTemporary(outcome) ? [readFailures(next?.state ?? write.job.state)?.firstFailedAt ?? at] : [],
  );
  return times.length === 0 ? null : new Date(Math.max(...times.map((time) => time.getTime())));
}

function errorOf({ write, outcome, next }: WriteResult & { outcome: CrmOutcome }): CrmError | null {
  const error = errorIn(outcome);
  const isGivenUp = isTemporary(outcome) && next === null;
  return isGivenUp && error ? givenUpError(error, write.target.connection.crm) : error;
}

function errorIn(outcome: CrmOutcome): CrmError | null {
  return outcome.status === 'success' ? null : outcome.error;
}
