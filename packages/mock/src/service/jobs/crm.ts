/** The CRM of a world: it takes everything, except where the settings say otherwise or the connection is disconnected. */
import { connectionErrorAfterWrite } from '@svc/domain/syncs/connection-error';
import { type CrmFailures, disconnects, isTransientStatus, nextCrmRetry } from '@svc/domain/syncs/crm-write';
import { crmDisconnectedError, syncDisabledError } from '@svc/domain/syncs/sync-errors';
import type { ConnectionRow, SourceRow } from '@svc/domain/world';
import { nextLogId } from '../../state/ids.ts';
import { addRow } from '../../state/log.ts';
import { connectionsById, sourcesById } from '../../state/row-indexes.ts';
import type { CrmFailure, Settings } from '../../state/settings.ts';
import { addJob, type JobWork, removeJob, type SyncRow } from '../../state/world-data.ts';
import { update, updateData, type World } from '../../state/world.ts';
import { applySyncOutcome } from '../events.ts';
import type { JobRun, WorldRun } from './job-run.ts';

export interface CrmWrite {
  readonly source: SourceRow;
  readonly connection: ConnectionRow;
  readonly eventType: string;
  readonly toEmail: string;
  readonly platform: string;
  readonly payloadId: number;
}

export type SyncOutcome = Pick<SyncRow, 'status' | 'error' | 'isEventKnown'>;

/** What is enqueued when the write may succeed later. */
export type Later = (tries: CrmFailures) => JobWork;

/**
 * Writes one event: a new row of `syncs`, with what it does to the health of its source. A failure that may pass is tried
 * again for a while before there is a row.
 * @param before failures of this write so far
 */
export function writeToCrm(run: WorldRun, write: CrmWrite, before: CrmFailures | null, later: Later): void {
  const { world, now } = run;
  const outcome = outcomeOf(world.state.settings, write);
  const httpStatus = httpStatusOf(outcome.error);
  const next = outcome.status === 'error' && isTransientStatus(httpStatus) ? nextCrmRetry(before, now) : null;
  if (next !== null) {
    updateData(world, addJob(world.state.data, later(next.tries), next.dueAt));
    return;
  }
  recordSync(run, write, outcome);
  recordConnectionError(world, write.connection, outcome);
  if (outcome.status === 'error' && disconnects(httpStatus)) disconnect(world, write.connection);
}

/** What the write says about its connection as a whole. */
function recordConnectionError(world: World, { id, crm }: ConnectionRow, { status, error }: SyncOutcome): void {
  const recordedError = connectionErrorAfterWrite({ crm, status, error });
  const { connections } = world.state.data;
  if (recordedError === undefined || recordedError === connectionsById(connections).get(id)?.recordedError) return;
  updateData(world, { connections: connections.map((row) => (row.id === id ? { ...row, recordedError } : row)) });
}

/** A new row of `syncs`, with what it does to the health of its source. */
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

/** The next attempt of a write that nothing was recorded of yet. */
export function writeAgain(run: JobRun<'write-crm'>): void {
  const { world, job } = run;
  updateData(world, removeJob(world.state.data, job));
  const { data } = world.state;
  const source = sourcesById(data.sources).get(job.sourceId);
  const connection = source && connectionsById(data.connections).get(source.connectionId);
  if (source === undefined || connection === undefined) return;
  // Switched off since it was enqueued: what was received is kept, and nothing is synced.
  if (!connection.capabilities.sync) return;
  const { sourceId, requestId, eventType, toEmail } = job;
  const write = { source, connection, eventType, toEmail, platform: source.platform, payloadId: requestId };
  const work = { kind: 'write-crm', sourceId, requestId, eventType, toEmail } as const;
  writeToCrm(run, write, job.tries, (tries) => ({ ...work, tries }));
}

/** Why a list of the connection's CRM cannot be read; null when it can. Failures of one source alone have nothing to do with lists. */
export function listFailureOf({ state }: World, { id }: ConnectionRow): CrmFailure | null {
  const failure = state.settings.crmFailures.find(
    ({ connectionId = id, sourceId, status }) => connectionId === id && sourceId === undefined && status === 'error',
  );
  return failure ?? null;
}

/** The token is not taken any more. */
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

/** Of the CRM's answer, as far as the error names one. */
export function httpStatusOf(error: Readonly<Record<string, unknown>> | null): number | null {
  const status = error?.['httpStatus'];
  return typeof status === 'number' ? status : null;
}
