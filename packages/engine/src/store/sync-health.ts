import type { SyncHealthState } from '@svc/domain/syncs/sync-health';
import type { Db } from './database/db.ts';

/** A source and its connection, whose health is one state. */
export interface SyncHealthPair {
  sourceId: number;
  connectionId: number;
}

export interface SyncHealthRow extends SyncHealthPair, SyncHealthState {}

/**
 * Returns the health of pairs, locked until the caller's transaction ends, so that concurrent outcomes are counted in the
 * order of their commits.
 */
export async function lockSyncHealth(tx: Db, pairs: readonly SyncHealthPair[]): Promise<SyncHealthRow[]> {
  // New rows before any lock, and all locks in one order, so that two transactions never wait for each other.
  await tx.query(
    {
      name: 'sync-health-ensure',
      text: `insert into sync_health (source_id, connection_id)
        select source_id, connection_id from unnest($1::bigint[], $2::bigint[]) as pairs (source_id, connection_id)
        order by 1, 2 on conflict do nothing`,
    },
    toArrays(pairs),
  );
  const { rows } = await tx.query<SyncHealthRow>(
    {
      name: 'sync-health-lock',
      text: `select source_id as "sourceId", connection_id as "connectionId",
          consecutive_failures as "consecutiveFailures", failing_since as "failingSince"
        from sync_health
        where (source_id, connection_id) in (select * from unnest($1::bigint[], $2::bigint[]))
        order by source_id, connection_id for update`,
    },
    toArrays(pairs),
  );
  return rows;
}

export async function setSyncHealth(tx: Db, rows: readonly SyncHealthRow[]): Promise<void> {
  if (rows.length === 0) return;
  await tx.query(
    {
      name: 'sync-health-set',
      text: `update sync_health set consecutive_failures = changed.consecutive_failures,
          failing_since = changed.failing_since
        from unnest($1::bigint[], $2::bigint[], $3::int[], $4::timestamptz[])
          as changed (source_id, connection_id, consecutive_failures, failing_since)
        where sync_health.source_id = changed.source_id and sync_health.connection_id = changed.connection_id`,
    },
    [
      ...toArrays(rows),
      rows.map(({ consecutiveFailures }) => consecutiveFailures),
      rows.map(({ failingSince }) => failingSince?.toISOString() ?? null),
    ],
  );
}

function toArrays(pairs: readonly SyncHealthPair[]): number[][] {
  return [pairs.map(({ sourceId }) => sourceId), pairs.map(({ connectionId }) => connectionId)];
}
