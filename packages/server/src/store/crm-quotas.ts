/** Statements of `crm_quotas`: what is known of the limits of each connection's CRM (`crm/quota.ts`). */
import type { CrmQuotaState } from '@svc/domain/syncs/crm-quota';
import type { Db, NamedStatement } from './database/db.ts';

export interface StoredQuota {
  version: number;
  state: CrmQuotaState;
}

export async function getCrmQuota(db: Db, connectionId: number): Promise<StoredQuota | null> {
  const { rows } = await db.query<StoredQuota>(
    { name: 'crm-quotas-get', text: 'select version, state from crm_quotas where connection_id = $1' },
    [connectionId],
  );
  return rows[0] ?? null;
}

const INSERT: NamedStatement = {
  name: 'crm-quotas-insert',
  text: `insert into crm_quotas (connection_id, version, state, look_at) values ($1, $2 + 1, $3, $4)
    on conflict (connection_id) do nothing`,
};
const UPDATE: NamedStatement = {
  name: 'crm-quotas-update',
  text: 'update crm_quotas set version = version + 1, state = $3, look_at = $4 where connection_id = $1 and version = $2',
};

/**
 * Stores a state that was made from the version `before`; 0 stands for no row.
 *
 * @returns false when another process stored one since
 */
export async function setCrmQuota(
  db: Db,
  connectionId: number,
  { before, state }: { before: number; state: CrmQuotaState },
): Promise<boolean> {
  const { stop } = state.day;
  const lookAt = stop === null ? null : new Date(stop.lookMs);
  const statement = before === 0 ? INSERT : UPDATE;
  const { rowCount } = await db.query(statement, [connectionId, before, JSON.stringify(state), lookAt]);
  return rowCount > 0;
}

/** A connection whose share of the day is used up. */
export interface StoppedQuota {
  connectionId: number;
  crm: string;
  state: CrmQuotaState;
  lookAt: Date;
}

/** Returns those whose next look is after `since`, by ascending connection. With no event waiting, nobody looks. */
export async function listStoppedQuotas(db: Db, since: Date): Promise<StoppedQuota[]> {
  const { rows } = await db.query<StoppedQuota>(
    {
      name: 'crm-quotas-list-stopped',
      text: `select q.connection_id as "connectionId", c.crm, q.state, q.look_at as "lookAt"
        from crm_quotas q join connections c on c.id = q.connection_id
        where q.look_at > $1 order by q.connection_id`,
    },
    [since],
  );
  return rows;
}

/** How much of their day the connections of each CRM type have left. */
export interface DailyUse {
  crm: string;
  /** The smallest part that is left, 0 to 1. */
  left: number;
  /** Number of connections whose next look is after `since`. */
  stopped: number;
}

export async function readDailyUse(db: Db, since: Date): Promise<DailyUse[]> {
  const { rows } = await db.query<DailyUse>(
    {
      name: 'crm-quotas-daily-use',
      text: `select c.crm, count(*) filter (where q.look_at > $1) as stopped,
          min(greatest(0, 1 - (q.state->'day'->>'used')::float8 / (q.state->'day'->>'limit')::float8)) as left
        from crm_quotas q join connections c on c.id = q.connection_id group by c.crm`,
    },
    [since],
  );
  return rows;
}
