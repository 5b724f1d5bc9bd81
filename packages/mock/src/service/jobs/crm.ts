/** The simulated CRM of a world. Writes succeed unless a `crmFailures` setting matches or the connection is disconnected. */
import { connectionErrorAfterWrite } from '@svc/domain/syncs/connection-error';
import {
  type CrmFailures,
  type CrmRetryStep,
  disconnects,
  isTransientStatus,
  nextCrmRetry,
} from '@svc/domain/syncs/crm-backoff';
import { NO_MATCHING_CONTACT, nextTryForContact } from '@svc/domain/policy/missing-contact';
import { isWritten, type PlannedEvent } from '@svc/domain/policy/plan-write';
import { crmDisconnectedError, givenUpError, syncDisabledError } from '@svc/domain/syncs/sync-errors';
import type { ConnectionRow, SourceRow } from '@svc/domain/world';
import { nextLogId } from '../../state/ids.ts';
import { addRow } from '../../state/log.ts';
import { connectionsById, sourcesById } from '../../state/row-indexes.ts';
import type { CrmFailure, Settings } from '../../state/settings.ts';
import { addJob, type JobWork, removeJob, type SyncRow } from '../../state/world-data.ts';
import { update, updateData, type World } from '../../state/world.ts';
import { applySyncOutcome } from '../events.ts';
import type { JobRun, WorldRun } from './job-run.ts';
import { isKnownContact, planOf } from './write-plan.ts';

export interface CrmWrite {
  readonly source: SourceRow;
  readonly connection: ConnectionRow;
  readonly eventType: string;
  readonly toEmail: string;
  readonly event: PlannedEvent;
  readonly platform: string;
  readonly payloadId: number;
}

export type SyncOutcome = Pick<SyncRow, 'status' | 'error' | 'isEventKnown'>;

/** Creates the job that repeats a write after a transient failure. */
export type CreateRetry = (tries: CrmFailures) => JobWork;

/** Transient failures of a write so far. */
export interface WriteHistory {
  readonly tries: CrmFailures | null;
  /** Whether a sync of the pending write says `error`. Default: false. */
  readonly isRecorded?: boolean | undefined;
  /** Since when the CRM does not have the contact, which a sync says. */
  readonly noContactSince?: Date | undefined;
}

/**
 * Writes one event and records it as a new sync, which updates the source's sync health. After a transient failure the write is
 * repeated for a while before a sync is recorded, and for a day afterwards.
 * @param createRetry creates the job that repeats a write without a sync; afterwards it is always `write-crm`
 */
export function writeToCrm(run: WorldRun, write: CrmWrite, history: WriteHistory, createRetry: CreateRetry): void {
  const { world, now } = run;
  const { tries: before, isRecorded = false } = history;
  const plan = planOf(world, write);
  if (!isWritten(plan)) return;
  const outcome = outcomeOf(world.state.settings, write);
  const httpStatus = httpStatusOf(outcome.error);
  const isTransient = outcome.status === 'error' && isTransientStatus(httpStatus);
  if (outcome.status === 'success' && !plan.mayCreate && !isKnownContact(world, write)) {
    waitForContact(run, write, history);
    return;
  }
  const next = isTransient ? nextCrmRetry(before, now, { isRecorded }) : null;
  if (next !== null && next.dueAt !== null) {
    const { failures, isRecordedNow, dueAt } = next;
    const job = isRecorded || isRecordedNow ? recordedWriteJob(write, failures) : createRetry(failures);
    updateData(world, addJob(world.state.data, job, dueAt));
    if (!isRecordedNow) return;
  }
  recordSync(run, write, withReason(outcome, next, write.connection.crm));
  recordConnectionError(world, write.connection, outcome);
  if (outcome.status === 'error' && disconnects(httpStatus)) disconnect(world, write.connection);
}

/** Records that the CRM does not have the contact, once, and tries again daily. */
function waitForContact(run: WorldRun, write: CrmWrite, { noContactSince }: WriteHistory): void {
  const { world, now } = run;
  const since = noContactSince ?? now;
  const dueAt = nextTryForContact(since, now);
  if (dueAt !== null) {
    const job = { ...recordedWriteJob(write, null), noContactSince: since };
    updateData(world, addJob(world.state.data, job, dueAt));
  }
  if (noContactSince === undefined) recordSync(run, write, { status: 'warning', error: { ...NO_MATCHING_CONTACT } });
}

/** Repeats a write of which a sync exists. */
function recordedWriteJob(
  { source, payloadId, eventType, toEmail, event }: CrmWrite,
  tries: CrmFailures | null,
): Extract<JobWork, { kind: 'write-crm' }> {
  const { id: sourceId } = source;
  return { kind: 'write-crm', sourceId, requestId: payloadId, eventType, toEmail, event, tries, isRecorded: true };
}

function withReason(outcome: SyncOutcome, next: CrmRetryStep | null, crm: string): SyncOutcome {
  const isGivenUp = next !== null && next.dueAt === null && outcome.error !== null;
  return isGivenUp ? { ...outcome, error: givenUpError({ ...outcome.error }, crm) } : outcome;
}

/** Sets or clears the connection's recorded error after a write. */
function recordConnectionError(world: World, { id, crm }: ConnectionRow, { status, error }: SyncOutcome): void {
  const recordedError = connectionErrorAfterWrite({ crm, status, error });
  const { connections } = world.state.data;
  if (recordedError === undefined || recordedError === connectionsById(connections).get(id)?.recordedError) return;
  updateData(world, { connections: connections.map((row) => (row.id === id ? { ...row, recordedError } : row)) });
}

/** Adds a sync and updates its source's sync health. */
export function recordSync({ world, now, deps }: WorldRun, write: CrmWrite, outcome: SyncOutcome): void {
  const { source, connection, eventType, toEmail, platform, payloadId } = write;
  const { data } = world.state;
  const row: SyncRow = {
    id: nextLogId(data.syncs),
    accountId: connection.accountId,
    connectionId: connection.id,
    sourceId: source.id,
    payloadId,
    eventType,
    toEmail,
    platform,
    createdAt: now,
    isEventKnown: true,
    ...outcome,
  };
  update(world, { data: { ...data, syncs: addRow(data.syncs, row) } });
  applySyncOutcome(world, { source, connection, ...outcome, at: now }, deps.urls.dashboard);
}

/** Repeats a write after a transient failure. */
export function repeatWrite(run: JobRun<'write-crm'>): void {
  const { world, job } = run;
  updateData(world, removeJob(world.state.data, job));
  const { data } = world.state;
  const source = sourcesById(data.sources).get(job.sourceId);
  const connection = source && connectionsById(data.connections).get(source.connectionId);
  if (source === undefined || connection === undefined) return;
  // The capability was switched off meanwhile.
  if (!connection.capabilities.sync) return;
  const { sourceId, requestId, eventType, toEmail, event } = job;
  const write = { source, connection, eventType, toEmail, event, platform: source.platform, payloadId: requestId };
  const work = { kind: 'write-crm', sourceId, requestId, eventType, toEmail, event } as const;
  writeToCrm(run, write, job, (tries) => ({ ...work, tries }));
}

/** Returns the failure rule that makes reading the CRM's lists fail, or null. Rules for one source do not apply to lists. */
export function listFailureOf({ state }: World, { id }: ConnectionRow): CrmFailure | null {
  const failure = state.settings.crmFailures.find(
    ({ connectionId = id, sourceId, status }) => connectionId === id && sourceId === undefined && status === 'error',
  );
  return failure ?? null;
}

/** Removes the connection's CRM token. */
export function disconnect(world: World, { id }: ConnectionRow): void {
  const connections = world.state.data.connections.map((row) => (row.id === id ? { ...row, crmToken: null } : row));
  updateData(world, { connections });
}

function outcomeOf({ crmFailures }: Settings, { source, connection }: CrmWrite): SyncOutcome {
  if (!connection.capabilities.sync) return { status: 'error', error: syncDisabledError() };
  if (connection.crmToken === null) return { status: 'error', error: crmDisconnectedError(connection.crm) };
  const failure = crmFailures.find(
    ({ connectionId = connection.id, sourceId = source.id }) =>
      connectionId === connection.id && sourceId === source.id,
  );
  return failure === undefined
    ? { status: 'success', error: null }
    : { status: failure.status, error: { ...failure.error } };
}

/** Returns the status of the CRM's answer when the error has one. */
export function httpStatusOf(error: Readonly<Record<string, unknown>> | null): number | null {
  const status = error?.['httpStatus'];
  return typeof status === 'number' ? status : null;
}
