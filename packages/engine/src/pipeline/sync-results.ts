/**
 * Stores what became of events that were written, refused or made to wait together: few statements in one transaction,
 * however many events and connections there are. They finish or defer exactly the jobs that this worker still holds; the
 * results of the others are dropped.
 */
import type { WritePlan } from '@svc/domain/policy/plan-write';
import type { PlannedField } from '@svc/domain/policy/planned-fields';
import { connectionErrorAfterWrite } from '@svc/domain/syncs/connection-error';
import { givenUpError } from '@svc/domain/syncs/sync-errors';
import type { CrmError, CrmOutcome } from '@svc/crm';
import type { Context } from '../context.ts';
import { composeRef, WRITE_CRM } from '../jobs/kinds.ts';
import { IS_RECORDED, RETRY_OF_SYNC_ID } from '../jobs/write-state.ts';
import { crmLabel } from '../runtime/metrics.ts';
import {
  type EventToWrite,
  insertSyncs,
  lockConnections,
  markDisconnected,
  setConnectionErrors,
  type WritingConnection,
} from '../store/sync-attempts.ts';
import type { Db } from '../store/database/db.ts';
import { type Deferral, deferAll, lockClaimedJobs } from '../queue/job-batches.ts';
import { type ClaimedJob, enqueue, finishAll } from '../queue/queue.ts';
import { logDisconnected } from '../crm/disconnected.ts';
import { applyCrmAnswer } from './crm-cooldown.ts';
import { applyCallsToOutage, type EndedOutage, logOutageEnd, type OutageCall, reportOutage } from './crm-outage.ts';
import { applySyncOutcomes } from './sync-health.ts';
import { endsOutage, isOutage, isQuotaWait, isTemporary, type NextAttempt, readFailures } from './next-attempt.ts';

/** One attempt to write an event. */
export interface EventWrite {
  job: ClaimedJob;
  target: EventToWrite;
  plan: WritePlan;
  fields: readonly PlannedField[];
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

/** The results of one batch. */
export interface ConnectionResults {
  connection: WritingConnection;
  /** In the order in which the events were received. */
  results: readonly WriteResult[];
  /** The calls were made although the CRM did not work lately. Default false. */
  isProbe?: boolean;
  /** The end of the claimed probe after a cooldown. Default null: there was none. */
  cooldownProbeUntil?: Date | null;
}

/** What is done after the commit. */
export interface StoredResults {
  recorded: WriteResult[];
  hasEvent: boolean;
  endedOutage: EndedOutage | null;
  /** Why the CRM refused the token of the connection, which this deleted; null when it did not. */
  disconnectedBy: CrmError | null;
  /** When the newest temporary failure that has an error row began; null without one. */
  firstFailedAt: Date | null;
}

/**
 * Stores results in the caller's transaction.
 *
 * Everyone changes jobs, outages, health and connections in this order, and several of them by ascending ids, so that two
 * transactions never wait for each other.
 *
 * @param batches of different connections
 * @returns one entry per batch, in order
 */
export async function applyResults(
  ctx: Context,
  tx: Db,
  batches: readonly ConnectionResults[],
): Promise<StoredResults[]> {
  const at = ctx.clock.now();
  // First, so that a worker without a lease changes nothing for its job.
  const held = await endAttempts(
    tx,
    batches.flatMap(({ results }) => results),
  );
  const stored: (StoredResults & { batch: ConnectionResults; mine: WriteResult[] })[] = [];
  for (const batch of batches.toSorted((a, b) => a.connection.id - b.connection.id)) {
    const mine = batch.results.filter(({ write }) => held.has(write.job.id));
    const { connection, isProbe = false } = batch;
    const endedOutage = await applyCallsToOutage(tx, connection, mine.flatMap(toOutageCall), { isProbe, at });
    const recorded = mine.filter(isRecorded);
    const firstFailedAt = latestFailure(recorded, at);
    stored.push({ batch, mine, recorded, endedOutage, hasEvent: false, disconnectedBy: null, firstFailedAt });
  }
  await addSyncs(ctx, tx, stored, at);
  await applyToConnections(tx, stored);
  return batches.map((batch) => {
    const found = stored.find((entry) => entry.batch === batch);
    if (!found) throw new Error('A batch has no results.');
    return found;
  });
}

/** Adds the rows and the pending tries that follow them, and counts the rows for the health of their sources. */
async function addSyncs(ctx: Context, tx: Db, stored: readonly StoredResults[], at: Date): Promise<void> {
  const recorded = stored.flatMap((entry) => entry.recorded.filter(isRecorded).map((result) => ({ entry, result })));
  const syncs = recorded.map(({ result }) => ({
    ...result.write,
    status: result.outcome.status,
    error: errorOf(result),
  }));
  const syncIds = await insertSyncs(tx, syncs, at);
  const outcomes = syncs.map(({ target, status, error }) => ({
    accountId: target.connection.accountId,
    subject: subjectOf(target),
    status,
    error,
  }));
  const hasEvents = await applySyncOutcomes(ctx, tx, outcomes, at);
  for (const [index, { entry }] of recorded.entries()) entry.hasEvent ||= hasEvents[index] === true;
  const retries = recorded.flatMap(({ result: { write, next } }, index) => {
    if (next === null) return [];
    const state = { ...next.state, [RETRY_OF_SYNC_ID]: write.retryOfSyncId ?? syncIds[index], [IS_RECORDED]: true };
    const { fairnessKey } = write.job;
    return [
      { kind: WRITE_CRM, ref: composeRef(write.target.id), fairnessKey, dueAt: next.dueAt, createdAt: at, state },
    ];
  });
  if (retries.length > 0) await enqueue(tx, ...retries);
}

/** Logs, counts and wakes after the commit. */
export async function afterStored(
  ctx: Context,
  connection: WritingConnection,
  { recorded, hasEvent, endedOutage, disconnectedBy, firstFailedAt }: StoredResults,
): Promise<void> {
  // The webhook deliveries of the event are due now.
  if (hasEvent) ctx.wakeWorkers();
  const crm = crmLabel(connection.crm);
  for (const { outcome } of recorded) if (outcome) ctx.metrics.crmWrites.inc({ crm, status: outcome.status });
  if (endedOutage) logOutageEnd(ctx, connection, endedOutage);
  if (disconnectedBy) logDisconnected(ctx, connection, disconnectedBy);
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

/** Returns the last word of a batch about its connection as a whole; nothing when it has none. */
function connectionErrorOf(
  { id, crm, sealedCrmToken: sealedToken }: WritingConnection,
  results: readonly WriteResult[],
): { id: number; sealedToken: string; error: string | null }[] {
  // An event that waits for its CRM's quota has no row, but the connection says why.
  const errors = results.map(({ outcome, next }) =>
    outcome !== null && (next === null || next.isRecordedNow || isQuotaWait(outcome))
      ? connectionErrorAfterWrite({ crm, status: outcome.status, error: errorIn(outcome) })
      : undefined,
  );
  const error = errors.findLast((entry) => entry !== undefined);
  return sealedToken === null || error === undefined ? [] : [{ id, sealedToken, error }];
}

/** Stores what the answers say about their connections as a whole. */
async function applyToConnections(
  tx: Db,
  stored: readonly (StoredResults & { batch: ConnectionResults; mine: readonly WriteResult[] })[],
): Promise<void> {
  const changes = stored.flatMap((entry) => {
    const { batch, mine } = entry;
    const { connection, cooldownProbeUntil = null } = batch;
    const [refusal] = mine.flatMap(({ outcome }) =>
      outcome?.status === 'error' && outcome.disconnected ? [outcome.error] : [],
    );
    const cooldown = longestCooldown(mine);
    const answer = cooldown ?? mine.findLast(({ isCall }) => isCall)?.outcome ?? null;
    const isChange = refusal !== undefined || cooldown !== null || cooldownProbeUntil !== null;
    return isChange ? [{ entry, connection, refusal, answer, cooldownProbeUntil }] : [];
  });
  if (changes.length > 0) {
    await lockConnections(
      tx,
      stored.map(({ batch }) => batch.connection.id),
    );
  }
  await setConnectionErrors(
    tx,
    stored.flatMap(({ batch, mine }) => connectionErrorOf(batch.connection, mine)),
  );
  for (const { entry, connection, refusal, answer, cooldownProbeUntil } of changes) {
    const { id, sealedCrmToken } = connection;
    const isDisconnectedNow =
      refusal !== undefined && sealedCrmToken !== null && (await markDisconnected(tx, id, sealedCrmToken));
    if (isDisconnectedNow) entry.disconnectedBy = refusal;
    if (answer) await applyCrmAnswer(tx, id, cooldownProbeUntil, answer);
  }
}

/** Returns the answer of the batch that asks for the longest cooldown. */
function longestCooldown(results: readonly WriteResult[]): CrmOutcome | null {
  let longest: { outcome: CrmOutcome; untilMs: number } | null = null;
  for (const { outcome } of results) {
    if (outcome?.status !== 'error' || outcome.cooldownUntilMs === undefined) continue;
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
