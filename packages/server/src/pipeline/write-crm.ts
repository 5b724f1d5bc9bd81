/**
 * One attempt to write one event to its CRM, which becomes one row of `syncs`.
 *
 * A failure that may pass (429, 5xx, network) is tried again inside the job, by deferring it, for at most
 * a minute (`domain/syncs/crm-write`) before a row says `error`. A CRM that asks to wait for longer gets its row at once, and the job comes
 * back after that wait as a new attempt. As long as the CRM asks to wait again, that row says all there is to say; the next
 * one says what became of the event. A wait of minutes or hours holds for the whole connection (`crm-cooldown.ts`): its other
 * events wait without a call and without a row of their own. The CRM is only ever upserted by a stable key, so
 * a job that dies between the CRM's answer and our commit writes the same contact and engagement again, not new ones.
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

/** Set in the state of a job whose event has a row that says that the CRM asked to wait. */
const IS_TOLD = 'isWaitTold';

/** The job that makes the first attempt of an event. */
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

/** One attempt: the job is deferred while the failure may pass, else its outcome is recorded and it is finished. */
export async function attemptWrite(
  ctx: Context,
  job: ClaimedJob,
  target: EventToWrite,
  {
    retryOfSyncId,
    isRequested,
  }: { retryOfSyncId: number | null /** Somebody waits for a row. */; isRequested: boolean },
): Promise<void> {
  const { connection } = target;
  if (!connection.canSync && (!isRequested || job.state[IS_TOLD] === true)) {
    // Switched off since it was enqueued. The receipt is kept; nothing is synced, now or later.
    await ctx.db.transaction((tx) => finish(tx, job));
    return;
  }
  const crm = openCrm(ctx, connection);
  if ('status' in crm) {
    await record(ctx, job, { target, outcome: crm, retryOfSyncId, probe: null, deferral: null });
    return;
  }
  const permission = await acquireCrmProbe(ctx, connection);
  if (!permission.mayCall) {
    await defer(ctx.db, job, {
      dueAt: permission.dueAt,
      state: withoutTries(job.state),
      error: 'The CRM asked to wait.',
    });
    return;
  }
  const outcome = await write(crm, target);
  const { probe } = permission;
  const deferral = deferralOf(job, outcome, { now: ctx.clock.now(), isProbe: probe !== null });
  if (!deferral?.isSilent) {
    await record(ctx, job, { target, outcome, retryOfSyncId, probe, deferral });
    return;
  }
  await ctx.db.transaction(async (tx) => {
    await defer(tx, job, deferral);
    await applyCrmAnswer(tx, connection.id, probe, outcome);
  });
}

interface OpenCrm {
  connector: CrmConnector;
  accessToken: string;
}

/** What a call needs, or why there is no call to be made. */
function openCrm(ctx: Context, { id, crm, canSync, sealedCrmToken }: EventToWrite['connection']): OpenCrm | CrmFailed {
  if (!canSync) return refused(syncDisabledError());
  // Whether this release could write to it does not matter to whoever has to connect it again.
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
    source,
    event,
    idempotencyKey: idempotencyKey(source.path, event.eventKey),
    receivedAt: target.receivedAt,
  });
}

/** The key of the engagement at the CRM: the same for the same event, also after our own ids have changed. */
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
  /** Tried again without a row for this attempt. */
  isSilent: boolean;
}

function deferralOf(
  job: ClaimedJob,
  outcome: CrmOutcome,
  { now, isProbe }: { now: Date /** The connection was in its cooldown before. */; isProbe: boolean },
): Deferral | null {
  if (outcome.status !== 'error' || outcome.retry === 'never') return null;
  const { cooldownUntilMs = 0 } = outcome;
  const nowMs = now.getTime();
  const before = {
    count: numberIn(job.state, 'tries', 0),
    firstFailedAt: new Date(numberIn(job.state, 'firstFailureMs', nowMs)),
  };
  const wishMs = Math.max(nowMs + (outcome.retry.afterMs ?? 0), cooldownUntilMs);
  const { tries, dueAt, isInTime } = planCrmRetry(before, now, new Date(wishMs));
  const isAskedFor = wishMs > nowMs;
  // The event that hit the limit first has already recorded it.
  const wasTold = job.state[IS_TOLD] === true || (isProbe && cooldownUntilMs > 0);
  const isSilent = isInTime || (isAskedFor && wasTold);
  // A wait the CRM asked for outlives the row that says `error`; a failure of unknown length does not.
  if (!isSilent && !isAskedFor) return null;
  return {
    dueAt,
    state:
      cooldownUntilMs > 0
        ? withoutTries(job.state)
        : { ...job.state, tries: tries.count, firstFailureMs: tries.firstFailedAt.getTime() },
    error: outcome.error.message,
    isSilent,
  };
}

/** A long wait ends the failures before it: what fails after it has its minute. */
function withoutTries({ tries: _tries, firstFailureMs: _first, ...kept }: ClaimedJob['state']): ClaimedJob['state'] {
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
  probe: Date | null;
  /** The CRM asked to come back later. */
  deferral: Deferral | null;
}

async function record(ctx: Context, job: ClaimedJob, attempt: Attempt): Promise<void> {
  const { target, outcome, retryOfSyncId, probe, deferral } = attempt;
  const now = ctx.clock.now();
  const hasEvent = await ctx.db.transaction(async (tx) => {
    // First, so that a worker whose lease was lost stops before it does anything.
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
    const isTold = await applySyncOutcome(ctx, tx, { accountId, subject, status: outcome.status, error, at: now });
    const { id, crm, sealedCrmToken: sealedToken } = target.connection;
    if (sealedToken !== null) {
      const connectionError = connectionErrorAfterWrite({ crm, status: outcome.status, error });
      // Whatever was recorded before the CRM was called: another write may have recorded something since.
      if (connectionError !== undefined) await setConnectionError(tx, { id, sealedToken }, connectionError);
      if (outcome.status === 'error' && outcome.disconnected) await markDisconnected(tx, id, sealedToken);
    }
    if (deferral) {
      const { kind, ref, fairnessKey } = job;
      const state = { retryOfSyncId: retryOfSyncId ?? syncId, [IS_TOLD]: true };
      await enqueue(tx, { kind, ref, fairnessKey, dueAt: deferral.dueAt, createdAt: now, state });
    }
    await applyCrmAnswer(tx, target.connection.id, probe, outcome);
    return isTold;
  });
  // Its webhook deliveries are due at once.
  if (hasEvent) ctx.wakeWorkers();
  ctx.metrics.crmWrites.inc({ crm: crmLabel(target.connection.crm), status: outcome.status });
}
