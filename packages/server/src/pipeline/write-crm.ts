/**
 * One attempt to write one event to its CRM, which becomes one row of `syncs`.
 *
 * A temporary failure (429, 5xx, network) is retried by deferring the job, for at most a minute
 * (`domain/syncs/crm-write`), before a row says `error`. If the CRM asks for a longer wait, the error row is written at
 * once and a new attempt follows after the wait. While the CRM keeps asking to wait, no further rows are added; the
 * next row shows the final result. A wait of minutes or hours applies to the whole connection (`crm-cooldown.ts`): its
 * other events wait without a call or a row.
 *
 * The CRM is only upserted by stable keys, so a job that dies between the CRM's answer and our commit writes the same
 * contact and engagement again, not new ones.
 */
import { createHash } from 'node:crypto';
import { connectionErrorAfterWrite } from '@svc/domain/syncs/connection-error';
import { planCrmRetry } from '@svc/domain/syncs/crm-write';
import { crmDisconnectedError, syncDisabledError, retryHint } from '@svc/domain/syncs/sync-errors';
import type { CrmConnector, CrmError, CrmFailed, CrmOutcome } from '@svc/crm';
import type { Context } from '../context.ts';
import { crmLabel } from '../runtime/metrics.ts';
import { openSecret, RESTORE_KEY } from '../secrets/open-secret.ts';
import { applySyncOutcome } from './sync-health.ts';
import {
  type EventToWrite,
  getEventToWrite,
  insertSync,
  markDisconnected,
  setConnectionError,
} from '../store/inbound.ts';
import { applyCrmAnswer, acquireCrmProbe } from './crm-cooldown.ts';
import { type ClaimedJob, defer, enqueue, finish, type NewJob } from '../queue/queue.ts';

export const WRITE_CRM = 'write-crm';

/** Set in a job's state when a row already says that the CRM asked to wait. Old spelling, stored in databases. */
const WAIT_IS_RECORDED = 'isWaitTold';

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
  return async (job) => {
    const target = await getEventToWrite(ctx.db, Number(job.ref));
    if (!target) {
      await finish(ctx.db, job);
      return;
    }
    const retryOf = job.state['retryOfSyncId'];
    await attemptWrite(ctx, job, target, {
      retryOfSyncId: typeof retryOf === 'number' ? retryOf : null,
      isRequested: false,
    });
  };
}

/**
 * Makes one attempt: defers the job while the failure is temporary, otherwise records the outcome and finishes the job.
 */
export async function attemptWrite(
  ctx: Context,
  job: ClaimedJob,
  target: EventToWrite,
  {
    retryOfSyncId,
    isRequested,
  }: { retryOfSyncId: number | null /** A caller requested this attempt and expects a row. */; isRequested: boolean },
): Promise<void> {
  const { connection } = target;
  if (!connection.canSync && (!isRequested || job.state[WAIT_IS_RECORDED] === true)) {
    // Syncing was switched off after this job was enqueued. The receipt stays, and no sync is added.
    await ctx.db.transaction((tx) => finish(tx, job));
    return;
  }
  const crm = openCrm(ctx, connection);
  if ('status' in crm) {
    await record(ctx, job, { target, outcome: crm, retryOfSyncId, probeUntil: null, deferral: null });
    return;
  }
  const permission = await acquireCrmProbe(ctx, connection);
  if (!permission.mayCall) {
    await defer(ctx.db, job, {
      dueAt: permission.dueAt,
      state: withoutFailureCount(job.state),
      error: 'The CRM asked to wait.',
    });
    return;
  }
  const outcome = await write(crm, target);
  const { probeUntil } = permission;
  const deferral = planDeferral(job, outcome, { now: ctx.clock.now(), isProbe: probeUntil !== null });
  if (!deferral?.isSilent) {
    await record(ctx, job, { target, outcome, retryOfSyncId, probeUntil, deferral });
    return;
  }
  await ctx.db.transaction(async (tx) => {
    await defer(tx, job, deferral);
    await applyCrmAnswer(tx, connection.id, probeUntil, outcome);
  });
}

interface OpenCrm {
  connector: CrmConnector;
  accessToken: string;
}

/** Returns the connector and token of a call, or why no call is possible. */
function openCrm(ctx: Context, { id, crm, canSync, sealedCrmToken }: EventToWrite['connection']): OpenCrm | CrmFailed {
  if (!canSync) return refused(syncDisabledError());
  // A disconnected connection is reported first, even if this release cannot write to its CRM.
  if (sealedCrmToken === null) return refused(crmDisconnectedError(crm));
  const connector = ctx.crmConnector(crm);
  if (!connector) {
    return refused({ code: 'crm_not_supported', message: `This release cannot write to ${crm}.`, httpStatus: null });
  }
  const accessToken = openSecret(ctx, sealedCrmToken, { kind: 'CRM token', id });
  if (accessToken !== null) return { connector, accessToken };
  const message = `The stored token of ${crm} cannot be decrypted: ${RESTORE_KEY}, or connect ${crm} again${retryHint(crm)}.`;
  return refused({ code: 'token_unreadable', message, httpStatus: null });
}

function write({ connector, accessToken }: OpenCrm, target: EventToWrite): Promise<CrmOutcome> {
  const { connection, source, event } = target;
  return connector.writeEvent({
    accessToken,
    organizationId: connection.organizationId,
    source: source.config,
    event,
    idempotencyKey: idempotencyKey(source.path, event.eventKey),
    receivedAt: target.receivedAt,
  });
}

/** Returns the key of the engagement at the CRM, which does not depend on our own ids. */
function idempotencyKey(path: string, eventKey: string): string {
  return createHash('sha256').update(`${path}\n${eventKey}`).digest('hex');
}

function refused(error: CrmError): CrmFailed {
  return { status: 'error', error, retry: 'never', disconnected: false };
}

interface Deferral {
  dueAt: Date;
  state: Record<string, unknown>;
  error: string;
  /** Retried without a row for this attempt. */
  isSilent: boolean;
}

function planDeferral(
  job: ClaimedJob,
  outcome: CrmOutcome,
  { now, isProbe }: { now: Date /** Whether the attempt was the probe after a cooldown. */; isProbe: boolean },
): Deferral | null {
  if (outcome.status !== 'error' || outcome.retry === 'never') return null;
  const { cooldownUntilMs = 0 } = outcome;
  const nowMs = now.getTime();
  const before = {
    count: numberIn(job.state, 'tries', 0),
    firstFailedAt: new Date(numberIn(job.state, 'firstFailureMs', nowMs)),
  };
  const wantedMs = Math.max(nowMs + (outcome.retry.afterMs ?? 0), cooldownUntilMs);
  const { failures, dueAt, isInTime } = planCrmRetry(before, now, new Date(wantedMs));
  const isRequestedByCrm = wantedMs > nowMs;
  // The error row of the first event that hit the limit already exists.
  const isRecorded = job.state[WAIT_IS_RECORDED] === true || (isProbe && cooldownUntilMs > 0);
  const isSilent = isInTime || (isRequestedByCrm && isRecorded);
  // A wait that the CRM asked for continues after the error row; a failure of unknown length does not.
  const givesUp = !isSilent && !isRequestedByCrm;
  if (givesUp) return null;
  return {
    dueAt,
    state:
      cooldownUntilMs > 0
        ? withoutFailureCount(job.state)
        : { ...job.state, tries: failures.count, firstFailureMs: failures.firstFailedAt.getTime() },
    error: outcome.error.message,
    isSilent,
  };
}

/** Resets the count of failures after a long wait, so that a later failure is retried for a full minute. */
function withoutFailureCount({
  tries: _tries,
  firstFailureMs: _first,
  ...kept
}: ClaimedJob['state']): ClaimedJob['state'] {
  return kept;
}

function numberIn(state: ClaimedJob['state'], key: string, otherwise: number): number {
  const value = state[key];
  return typeof value === 'number' ? value : otherwise;
}

interface Attempt {
  target: EventToWrite;
  outcome: CrmOutcome;
  retryOfSyncId: number | null;
  probeUntil: Date | null;
  /** Set when the CRM asked to come back later. */
  deferral: Deferral | null;
}

async function record(ctx: Context, job: ClaimedJob, attempt: Attempt): Promise<void> {
  const { target, outcome, retryOfSyncId, probeUntil, deferral } = attempt;
  const now = ctx.clock.now();
  const hasEvent = await ctx.db.transaction(async (tx) => {
    // First, so that a worker without its lease stops before it changes anything.
    await finish(tx, job);
    const error = outcome.status === 'success' ? null : outcome.error;
    const syncId = await insertSync(tx, target, {
      status: outcome.status,
      error,
      retryOfSyncId,
      at: now,
    });
    const subject = {
      connectionId: target.connection.id,
      crm: target.connection.crm,
      sourceId: target.source.id,
      sourcePlatform: target.platform,
    };
    const { accountId } = target;
    const hasWrittenEvent = await applySyncOutcome(ctx, tx, {
      accountId,
      subject,
      status: outcome.status,
      error,
      at: now,
    });
    const { id, crm, sealedCrmToken: sealedToken } = target.connection;
    if (sealedToken !== null) {
      const connectionError = connectionErrorAfterWrite({ crm, status: outcome.status, error });
      // Unconditional, because a concurrent write may have recorded an error since.
      if (connectionError !== undefined) await setConnectionError(tx, { id, sealedToken }, connectionError);
      if (outcome.status === 'error' && outcome.disconnected) await markDisconnected(tx, id, sealedToken);
    }
    if (deferral) {
      const { kind, ref, fairnessKey } = job;
      const state = { retryOfSyncId: retryOfSyncId ?? syncId, [WAIT_IS_RECORDED]: true };
      await enqueue(tx, { kind, ref, fairnessKey, dueAt: deferral.dueAt, createdAt: now, state });
    }
    await applyCrmAnswer(tx, target.connection.id, probeUntil, outcome);
    return hasWrittenEvent;
  });
  // The webhook deliveries of the event are due now.
  if (hasEvent) ctx.wakeWorkers();
  ctx.metrics.crmWrites.inc({ crm: crmLabel(target.connection.crm), status: outcome.status });
}
