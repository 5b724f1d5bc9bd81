import type { SyncHealthState } from '@svc/domain/syncs/sync-health';
import type { Db } from './database/db.ts';

/** The health of a source at its connection. */
export interface SyncHealthRow extends SyncHealthState {
  sourceId: number;
}

/**
 * Returns the health of sources of one connection by their ids, locked until the caller's transaction ends, so that
 * concurrent outcomes are counted in the order of their commits.
 */
export async function lockSyncHealth(
  tx: Db,
  connectionId: number,
  sourceIds: readonly number[],
): Promise<Map<number, SyncHealthState>> {
  const states = new Map<number, SyncHealthState>();
  const lock = async (ids: readonly number[]) => {
    const { rows } = await tx.query<SyncHealthRow>(
      {
        name: 'sync-health-lock',
        // By ascending source, so that two transactions never wait for each other.
        text: `select source_id as "sourceId", consecutive_failures as "consecutiveFailures",
            failing_since as "failingSince"
          from sync_health where connection_id = $1 and source_id = any($2) order by source_id for update`,
      },
      [connectionId, ids],
    );
    for (const { sourceId, ...state } of rows) states.set(sourceId, state);
  };
  await lock(sourceIds);
  const missing = sourceIds.filter((id) => !states.has(id)).toSorted((a, b) => a - b);
  if (missing.length > 0) {
    await tx.query(
      {
        name: 'sync-health-ensure',
        text: `insert into sync_health (source_id, connection_id) select unnest($1::bigint[]), $2
          on conflict do nothing`,
      },
      [missing, connectionId],
    );
    await lock(missing);
  }
  return states;
}

export async function setSyncHealth(tx: Db, connectionId: number, rows: readonly SyncHealthRow[]): Promise<void> {
  if (rows.length === 0) return;
  await tx.query(
    {
      name: 'sync-health-set',
      text: `update sync_health set consecutive_failures = changed.consecutive_failures,
          failing_since = changed.failing_since
        from unnest($2::bigint[], $3::int[], $4::timestamptz[])
          as changed (source_id, consecutive_failures, failing_since)
        where sync_health.connection_id = $1 and sync_health.source_id = changed.source_id`,
    },
    [
      connectionId,
      rows.map(({ sourceId }) => sourceId),
      rows.map(({ consecutiveFailures }) => consecutiveFailures),
      rows.map(({ failingSince }) => failingSince?.toISOString() ?? null),
    ],
  );
}
