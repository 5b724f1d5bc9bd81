/**
 * One attempt to write one event to its CRM, which becomes one row of `syncs`.
 *
 * A failure that may pass (429, 5xx, network) is tried again inside the job, by deferring it, for at most
 * `TRANSIENT_RETRY_MS` before a row says `error`; a CRM that asks to wait for longer gets its row at once, and the job
 * comes back after that wait as a new attempt with a row of its own. The CRM is only ever upserted by a stable key, so
 * a job that dies between the CRM's answer and our commit writes the same contact and engagement again, not new ones.
 */
import { createHash } from 'node:crypto';
import { crmDisconnectedError } from '@svc/domain/sync-errors';
import type { CrmError, CrmOutcome } from '../connectors/crm/index.ts';
import type { Context } from '../context.ts';
import { crmLabel } from '../metrics.ts';
import { applySyncOutcome } from '../services/sync-health.ts';
import { type EventToWrite, getEventToWrite, insertSync, markDisconnected } from '../store/inbound.ts';
import { type ClaimedJob, defer, enqueue, finish, type NewJob } from './queue.ts';

export const WRITE_CRM = 'write-crm';

/** How long a passing failure is tried again before its sync is recorded as `error`. */
const TRANSIENT_RETRY_MS = 60_000;
const BACKOFF_FIRST_MS = 1_000;

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
    await attemptWrite(ctx, job, target, typeof retryOf === 'number' ? retryOf : null);
  };
}

/** One attempt: the job is deferred while the failure may pass, else its outcome is recorded and it is finished. */
export async function attemptWrite(
  ctx: Context,
  job: ClaimedJob,
  target: EventToWrite,
  retryOfSyncId: number | null,
): Promise<void> {
  const outcome = await write(ctx, target);
  const deferral = deferralOf(job, outcome, ctx.clock.now());
  if (deferral?.isSilent) await defer(ctx.db, job, deferral);
  else await record(ctx, job, { target, outcome, retryOfSyncId, parking: deferral });
}

async function write(ctx: Context, target: EventToWrite): Promise<CrmOutcome> {
  const { connection, source, event } = target;
  const connector = ctx.crmConnector(connection.crm);
  if (!connector) {
    const message = `This release cannot write to ${connection.crm}.`;
    return refused({ code: 'crm_not_supported', message, httpStatus: null });
  }
  if (connection.sealedCrmToken === null) {
    return refused(crmDisconnectedError(connection.crm));
  }
  return connector.writeEvent({
    accessToken: ctx.secrets.decrypt(connection.sealedCrmToken),
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

function refused(error: CrmError): CrmOutcome {
  return { status: 'error', error, retry: 'never', disconnected: false };
}

interface Deferral {
  dueAt: Date;
  state: Record<string, unknown>;
  error: string;
  /** Tried again before anything is recorded. */
  isSilent: boolean;
}

function deferralOf(job: ClaimedJob, outcome: CrmOutcome, now: Date): Deferral | null {
  if (outcome.status !== 'error' || outcome.retry === 'never') return null;
  const nowMs = now.getTime();
  const tries = numberIn(job.state, 'tries', 0) + 1;
  const firstFailureMs = numberIn(job.state, 'firstFailureMs', nowMs);
  const wishMs = Math.max(nowMs + (outcome.retry.afterMs ?? 0), outcome.parkUntilMs ?? 0);
  const dueMs = Math.max(wishMs, nowMs + BACKOFF_FIRST_MS * 2 ** Math.min(10, tries - 1));
  const isSilent = dueMs - firstFailureMs <= TRANSIENT_RETRY_MS;
  // A wait the CRM asked for outlives the row that says `error`; a failure of unknown length does not.
  if (!isSilent && wishMs <= nowMs) return null;
  return {
    dueAt: new Date(dueMs),
    state: { ...job.state, tries, firstFailureMs },
    error: outcome.error.message,
    isSilent,
  };
}

function numberIn(state: ClaimedJob['state'], key: string, otherwise: number): number {
  const value = state[key];
  return typeof value === 'number' ? value : otherwise;
}

interface Attempt {
  target: EventToWrite;
  outcome: CrmOutcome;
  retryOfSyncId: number | null;
  /** The CRM asked to come back later. */
  parking: Deferral | null;
}

async function record(ctx: Context, job: ClaimedJob, attempt: Attempt): Promise<void> {
  const { target, outcome, retryOfSyncId, parking } = attempt;
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
    if (outcome.status === 'error' && outcome.disconnected && target.connection.sealedCrmToken !== null) {
      await markDisconnected(tx, target.connection.id, target.connection.sealedCrmToken);
    }
    if (parking) {
      const { kind, ref, fairnessKey } = job;
      const state = { retryOfSyncId: retryOfSyncId ?? syncId };
      await enqueue(tx, { kind, ref, fairnessKey, dueAt: parking.dueAt, createdAt: now, state });
    }
    return isTold;
  });
  // Its webhook deliveries are due at once.
  if (hasEvent) ctx.wakeWorkers();
  ctx.metrics.crmWrites.inc({ crm: crmLabel(target.connection.crm), status: outcome.status });
}
