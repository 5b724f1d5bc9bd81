/** The CRM of a world: writes succeed, except where the settings say otherwise or the connection is disconnected. */
import type { SyncStatus } from '@svc/contract/vocabulary';
import { crmDisconnectedError } from '@svc/domain/sync-errors';
import type { ConnectionRow, SourceRow, SyncRow } from '@svc/domain/world';
import { applySyncOutcome } from '../core/events.ts';
import { nextLogId } from '../core/ids.ts';
import { addRow } from '../core/log.ts';
import type { Settings } from '../core/settings.ts';
import { update } from '../core/world.ts';
import type { WorldRun } from './run-due.ts';

export interface CrmWrite {
  readonly source: SourceRow;
  readonly connection: ConnectionRow;
  readonly eventType: string;
  readonly toEmail: string;
  readonly platform: string;
  readonly payloadId: number;
}

/** Writes one event: a new row of `syncs`, with what it does to the health of its source. */
export function writeToCrm({ world, now, deps }: WorldRun, write: CrmWrite): void {
  const { source, connection, eventType, toEmail, platform, payloadId } = write;
  const { data, settings } = world.state;
  const outcome = outcomeOf(settings, write);
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
    ...outcome,
  };
  update(world, { data: { ...data, syncs: addRow(data.syncs, row) } });
  applySyncOutcome(world, { source, connection, ...outcome, at: now }, deps.urls.dashboard);
}

function outcomeOf(
  { crmFailures }: Settings,
  { source, connection }: CrmWrite,
): { readonly status: SyncStatus; readonly error: SyncRow['error'] } {
  const failure = crmFailures.find(
    ({ connectionId = connection.id, sourceId = source.id }) =>
      connectionId === connection.id && sourceId === source.id,
  );
  if (failure !== undefined) return { status: failure.status, error: { ...failure.error } };
  if (connection.crmToken === null) return { status: 'error', error: crmDisconnectedError(connection.crm) };
  return { status: 'success', error: null };
}
