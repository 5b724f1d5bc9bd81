import type { SyncHealthState } from '@svc/domain/syncs/sync-health';
import type { Db } from './database/db.ts';

/**
 * Returns the health of a source and connection, locked until the caller's transaction ends, so that concurrent
 * outcomes are counted in the order of their commits.
 */
export async function lockSyncHealth(tx: Db, sourceId: number, connectionId: number): Promise<SyncHealthState> {
  await tx.query(
    {
      name: 'sync-health-ensure',
      text: `insert into sync_health (source_id, connection_id) values ($1, $2) on conflict do nothing`,
    },
    [sourceId, connectionId],
  );
  const { rows } = await tx.query<SyncHealthState>(
    {
      name: 'sync-health-lock',
      text: `select consecutive_failures as "consecutiveFailures", failing_since as "failingSince"
        from sync_health where source_id = $1 and connection_id = $2 for update`,
    },
    [sourceId, connectionId],
  );
  const [state] = rows;
  if (!state) throw new Error(`The sync health of source ${sourceId} is gone.`);
  return state;
}

export async function setSyncHealth(
  tx: Db,
  sourceId: number,
  connectionId: number,
  state: SyncHealthState,
): Promise<void> {
  await tx.query(
    {
      name: 'sync-health-set',
      text: `update sync_health set consecutive_failures = $3, failing_since = $4
        where source_id = $1 and connection_id = $2`,
    },
    [sourceId, connectionId, state.consecutiveFailures, state.failingSince],
  );
}
