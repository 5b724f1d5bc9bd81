/**
 * One attempt to write one event to its CRM, which becomes one row of `syncs`.
 *
 * A temporary failure (429, 5xx, network) is retried by deferring the job, for at most a minute
 * (`domain/syncs/crm-write`), before a row says `error`. Then the event is tried on for 24 hours without further rows;
 * the next row shows what became of it. If the CRM asks for a longer wait, the error row is written at once and a new
 * attempt follows after the wait. Both hold for a whole connection: while its CRM asked to wait (`crm-cooldown.ts`) or
 * does not work (`crm-outage.ts`), its events wait without calls.
 *
 * After its error row the job is `write-crm` of the event, whichever job made the first attempt, so an event has at most
 * one pending try.
 *
 * The CRM is only upserted by stable keys, so a job that dies between the CRM's answer and our commit writes the same
 * contact and engagement again, not new ones.
 */
import { createHash } from 'node:crypto';
import { connectionErrorAfterWrite } from '@svc/domain/syncs/connection-error';
import { nextCrmWait } from '@svc/domain/syncs/crm-write';
import { givenUpError, syncDisabledError } from '@svc/domain/syncs/sync-errors';
import type { CrmError, CrmFailed, CrmOutcome } from '@svc/crm';
import type { Context } from '../context.ts';
import { crmLabel } from '../runtime/metrics.ts';
import { openCrmAccess, type OpenCrm } from '../crm/access.ts';
import { createCrmRecords } from '../crm/records.ts';
import { holdCrmOutage } from '../store/crm-outages.ts';
import type { Db } from '../store/database/db.ts';
import {
  type EventToWrite,
  getEventToWrite,
  insertSync,
  markDisconnected,
  setConnectionError,
} from '../store/inbound.ts';
import { type ClaimedJob, defer, enqueue, finish, lockClaimedJob, type NewJob } from '../queue/queue.ts';
import { applyCrmAnswer, acquireCrmProbe } from './crm-cooldown.ts';
import {
  applyFailedCall,
  endCrmOutage,
  type EndedOutage,
  logOutageEnd,
  reportOutage,
  requestProbe,
} from './crm-outage.ts';
import { applySyncOutcome } from './sync-health.ts';
import {
  endsOutage,
  fromStep,
  IS_RECORDED,
  IS_TRY_REQUESTED,
  isOutage,
  isTemporary,
  type NextAttempt,
  planNextAttempt,
  readFailures,
  withoutFailures,
} from './write-retries.ts';

export const WRITE_CRM = 'write-crm';

/** Returns the job of an event's first attempt. */
export function writeCrmJob(inboundEventId: number, connectionId: number, now: Date): NewJob {
  return {
    kind: WRITE_CRM,
    ref: inboundEventId,
    fairnessKey: `connection:${connectionId}`,
    dueAt: now,
    createdAt: now,
  };
}

export function createWriteCrmHandler(ctx: Context): (job: ClaimedJob) => Promise<void> {
  return (job) => writeCrm(ctx, job, { isProbe: false });
}

/** Runs a `write-crm` job. @param options.isProbe see `WriteOptions` */
export async function writeCrm(ctx: Context, job: ClaimedJob, { isProbe }: { isProbe: boolean }): Promise<void> {
  const target = await getEventToWrite(ctx.db, Number(job.ref));
  if (!target) {
    await finish(ctx.db, job);
    return;
  }
  const retryOf = job.state['retryOfSyncId'];
  const retryOfSyncId = typeof retryOf === 'number' ? retryOf : null;
  await attemptWrite(ctx, job, target, { retryOfSyncId, isRequested: false, isProbe });
}

interface WriteOptions {
  retryOfSyncId: number | null;
  /** A caller requested this attempt and expects a row. */
  isRequested: boolean;
  /** Calls the CRM although it did not work lately. Only `probe-crm` does. */
  isProbe: boolean;
}

/**
 * Makes one attempt: defers the job while the failure is temporary, otherwise records the outcome and finishes the job.
 */
export async function attemptWrite(
  ctx: Context,
  job: ClaimedJob,
  target: EventToWrite,
  options: WriteOptions,
): Promise<void> {
  const { retryOfSyncId, isRequested, isProbe } = options;
  const { connection } = target;
  if (!connection.canSync && (!isRequested || job.state[IS_RECORDED] === true)) {
    // Syncing was switched off after this job was enqueued. The receipt stays, and no sync is added.
    await ctx.db.transaction((tx) => finish(tx, job));
    return;
  }
  const attempt = { target, retryOfSyncId, isProbe, cooldownProbeUntil: null, next: null, isCall: true };
  const crm = await openCrm(ctx, connection);
  if ('status' in crm) {
    await record(ctx, job, { ...attempt, outcome: crm });
    return;
  }
  if (connection.crmOutage?.isConfirmed === true && !isProbe) {
    await waitForCrm(ctx, job, target, options);
    return;
  }
  const permission = await acquireCrmProbe(ctx, connection);
  if (!permission.mayCall) {
    const state = withoutFailures(job.state);
    await defer(ctx.db, job, { dueAt: permission.dueAt, state, error: 'The CRM asked to wait.' });
    return;
  }
  const written = await write(ctx, crm, target, job.attempts > 1);
  const outcome = isProbe ? withoutCooldown(written) : written;
  const { probeUntil: cooldownProbeUntil } = permission;
  const now = ctx.clock.now();
  const next = planNextAttempt(job.state, outcome, { now, isCooldownProbe: cooldownProbeUntil !== null });
  if (next === null || next.isRecordedNow) {
    await record(ctx, job, { ...attempt, outcome, cooldownProbeUntil, next });
    return;
  }
  const endedOutage = await ctx.db.transaction(async (tx) => {
    const { dueAt, state, error } = next;
    await defer(tx, job, { dueAt, state, error });
    const ended = await applyToOutage(tx, { ...attempt, outcome, cooldownProbeUntil, next }, now);
    await applyCrmAnswer(tx, connection.id, cooldownProbeUntil, outcome);
    return ended;
  });
  if (endedOutage) logOutageEnd(ctx, connection, endedOutage);
}

/** While a CRM does not work, its `Retry-After` only delays the next probe. */
function withoutCooldown(outcome: CrmOutcome): CrmOutcome {
  if (!isOutage(outcome)) return outcome;
  const { cooldownUntilMs: _cooldown, ...failed } = outcome;
  return failed;
}

/** Stores what an answer says about an outage. Returns the outage that it ended. */
async function applyToOutage(tx: Db, attempt: Attempt, at: Date): Promise<EndedOutage | null> {
  const { target, outcome, isProbe, next } = attempt;
  const { connection, id: eventId } = target;
  if (isOutage(outcome) && outcome.cooldownUntilMs === undefined) {
    const failureCount = next === null ? Infinity : (readFailures(next.state)?.count ?? 1);
    const nextTryAt = next?.dueAt ?? null;
    await applyFailedCall(tx, connection, { eventId, isProbe, failed: outcome, failureCount, at, nextTryAt });
    return null;
  }
  if (connection.crmOutage === null || !endsOutage(outcome)) return null;
  return endCrmOutage(tx, connection.id, { isProbe });
}

/** Makes an event wait without a call while its CRM does not work; it still gets its error rows in time. */
async function waitForCrm(
  ctx: Context,
  job: ClaimedJob,
  target: EventToWrite,
  { retryOfSyncId, isRequested }: WriteOptions,
): Promise<void> {
  const { connection } = target;
  const now = ctx.clock.now();
  const failures = readFailures(job.state);
  const isTryRequested = job.state[IS_TRY_REQUESTED] === true || (isRequested && failures === null);
  const state = isTryRequested ? { ...job.state, [IS_TRY_REQUESTED]: true } : job.state;
  const step = nextCrmWait(failures, now, job.state[IS_RECORDED] === true);
  const next = fromStep(state, step, { notBefore: null, error: 'The CRM does not work at the moment.' });
  const waited = await ctx.db.transaction(async (tx) => {
    await lockClaimedJob(tx, job);
    // Before the outage is held: many events may share that lock, and then none could change the row.
    if (isTryRequested) await requestProbe(tx, connection.id, now);
    const outage = await holdCrmOutage(tx, connection.id);
    if (outage?.isConfirmed !== true) {
      // It ended since the job began.
      await defer(tx, job, { dueAt: now });
      return null;
    }
    if (next === null || next.isRecordedNow) {
      const outcome = { status: 'error', error: outage.error, retry: { afterMs: null }, disconnected: false } as const;
      const attempt = { target, outcome, retryOfSyncId, isProbe: false, cooldownProbeUntil: null, next };
      return storeOutcome(ctx, tx, job, { ...attempt, isCall: false });
    }
    const { dueAt, error } = next;
    await defer(tx, job, { dueAt, state: next.state, error });
    return null;
  });
  if (waited) await afterRecord(ctx, target, 'error', waited);
}

/** Returns what the call needs, or why none is possible. */
async function openCrm(ctx: Context, connection: EventToWrite['connection']): Promise<OpenCrm | CrmFailed> {
  return connection.canSync ? openCrmAccess(ctx, connection) : refused(syncDisabledError());
}

async function write(
  ctx: Context,
  { connector, access }: OpenCrm,
  target: EventToWrite,
  isRepeated: boolean,
): Promise<CrmOutcome> {
  const { connection, source, event, receivedAt } = target;
  const [outcome] = await connector.writeEvents({
    access,
    organizationId: connection.organizationId,
    records: createCrmRecords(ctx, connection.id),
    events: [
      {
        source: { ...source.config, writeStateFields: false },
        event,
        idempotencyKey: idempotencyKey(source.path, event.eventKey),
        receivedAt,
        isRepeated,
      },
    ],
  });
  if (outcome === undefined) throw new Error(`The connector of ${connection.crm} returned no outcome.`);
  return outcome;
}

/** Returns the key of the engagement at the CRM, which does not depend on our own ids. */
function idempotencyKey(path: string, eventKey: string): string {
  return createHash('sha256').update(`${path}\n${eventKey}`).digest('hex');
}

function refused(error: CrmError): CrmFailed {
  return { status: 'error', error, retry: 'never', disconnected: false };
}

interface Attempt {
  target: EventToWrite;
  outcome: CrmOutcome;
  retryOfSyncId: number | null;
  isProbe: boolean;
  /** The end of the claimed probe after a cooldown. */
  cooldownProbeUntil: Date | null;
  /** The pending next attempt; null when the outcome is final. */
  next: NextAttempt | null;
  /** False for an event that only waited. */
  isCall: boolean;
}

interface Recorded {
  hasEvent: boolean;
  endedOutage: EndedOutage | null;
  /** Set for a temporary failure, which an outage may have caused. */
  firstFailedAt: Date | null;
}

async function record(ctx: Context, job: ClaimedJob, attempt: Attempt): Promise<void> {
  const recorded = await ctx.db.transaction((tx) => storeOutcome(ctx, tx, job, attempt));
  await afterRecord(ctx, attempt.target, attempt.outcome.status, recorded);
}

async function storeOutcome(ctx: Context, tx: Db, job: ClaimedJob, attempt: Attempt): Promise<Recorded> {
  const { target, outcome, retryOfSyncId, next } = attempt;
  const now = ctx.clock.now();
  // First, so that a worker without its lease stops before it changes anything.
  await finish(tx, job);
  // The outage before the health, as for events that wait, so that two transactions never wait for each other.
  const endedOutage = attempt.isCall ? await applyToOutage(tx, attempt, now) : null;
  const error = errorOf(attempt);
  const syncId = await insertSync(tx, target, { status: outcome.status, error, retryOfSyncId, at: now });
  const { accountId, connection } = target;
  const { id: connectionId, crm, sealedCrmToken: sealedToken } = connection;
  const subject = { connectionId, crm, sourceId: target.source.id, sourcePlatform: target.platform };
  const hasEvent = await applySyncOutcome(ctx, tx, { accountId, subject, status: outcome.status, error, at: now });
  if (sealedToken !== null) {
    const connectionError = connectionErrorAfterWrite({ crm, status: outcome.status, error });
    // Unconditional, because a concurrent write may have recorded an error since.
    if (connectionError !== undefined) await setConnectionError(tx, { id: connectionId, sealedToken }, connectionError);
    if (outcome.status === 'error' && outcome.disconnected) await markDisconnected(tx, connectionId, sealedToken);
  }
  if (next) {
    const state = { ...next.state, retryOfSyncId: retryOfSyncId ?? syncId, [IS_RECORDED]: true };
    const { fairnessKey } = job;
    await enqueue(tx, { kind: WRITE_CRM, ref: target.id, fairnessKey, dueAt: next.dueAt, createdAt: now, state });
  }
  await applyCrmAnswer(tx, connectionId, attempt.cooldownProbeUntil, outcome);
  const firstFailedAt = isTemporary(outcome) ? (readFailures(next?.state ?? job.state)?.firstFailedAt ?? now) : null;
  return { hasEvent, endedOutage, firstFailedAt };
}

/** Logs, counts and wakes after the commit. */
async function afterRecord(
  ctx: Context,
  { connection }: EventToWrite,
  status: CrmOutcome['status'],
  { hasEvent, endedOutage, firstFailedAt }: Recorded,
): Promise<void> {
  // The webhook deliveries of the event are due now.
  if (hasEvent) ctx.wakeWorkers();
  ctx.metrics.crmWrites.inc({ crm: crmLabel(connection.crm), status });
  if (endedOutage) logOutageEnd(ctx, connection, endedOutage);
  if (firstFailedAt) await reportOutage(ctx, connection, firstFailedAt);
}

function errorOf({ target, outcome, next }: Attempt): CrmError | null {
  if (outcome.status === 'success') return null;
  const isGivenUp = isTemporary(outcome) && next === null;
  return isGivenUp ? givenUpError(outcome.error, target.connection.crm) : outcome.error;
}
