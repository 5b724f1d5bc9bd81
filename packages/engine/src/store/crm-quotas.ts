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

/** A state that was made from the version `before` of a connection's quota; 0 stands for no row. */
export interface QuotaChange {
  connectionId: number;
  before: number;
  state: CrmQuotaState;
}

/** Stores states over exactly those that they were made from. Returns the connections whose state was stored. */
export async function setCrmQuotas(db: Db, changes: readonly QuotaChange[]): Promise<ReadonlySet<number>> {
  const added = changes.filter(({ before }) => before === 0);
  const changed = changes.filter(({ before }) => before > 0);
  const stored = [
    ...(added.length === 0 ? [] : await storeQuotas(db, INSERT, added)),
    ...(changed.length === 0 ? [] : await storeQuotas(db, UPDATE, changed)),
  ];
  return new Set(stored);
}

const CHANGES = `unnest($1::bigint[], $2::bigint[], $3::text[], $4::timestamptz[])
  as changes (connection_id, before, state, look_at)`;
/** Both lock in the order of the ids, so that two processes never wait for each other. */
const INSERT: NamedStatement = {
  name: 'crm-quotas-insert',
  text: `insert into crm_quotas (connection_id, version, state, look_at)
    select connection_id, before + 1, state::jsonb, look_at from ${CHANGES} order by connection_id
    on conflict (connection_id) do nothing returning connection_id as "connectionId"`,
};
const UPDATE: NamedStatement = {
  name: 'crm-quotas-update',
  text: `with held as materialized (
      select q.connection_id, changes.state, changes.look_at
      from crm_quotas q join ${CHANGES} on changes.connection_id = q.connection_id and changes.before = q.version
      order by q.connection_id for update of q
    )
    update crm_quotas q set version = q.version + 1, state = held.state::jsonb, look_at = held.look_at
    from held where q.connection_id = held.connection_id returning q.connection_id as "connectionId"`,
};

async function storeQuotas(db: Db, statement: NamedStatement, changes: readonly QuotaChange[]): Promise<number[]> {
  const { rows } = await db.query<{ connectionId: number }>(statement, [
    changes.map(({ connectionId }) => connectionId),
    changes.map(({ before }) => before),
    changes.map(({ state }) => JSON.stringify(state)),
    changes.map(({ state: { day } }) => (day.stop === null ? null : new Date(day.stop.lookMs).toISOString())),
  ]);
  return rows.map(({ connectionId }) => connectionId);
}

/** A connection whose share of the day is used up. */
export interface StoppedQuota {
  connectionId: number;
  crm: string;
  state: CrmQuotaState;
  lookAt: Date;
}

/**
 * Returns the quotas whose next look is after `since`, by ascending connection. With no event waiting, nobody looks.
 */
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

/** What is known of the limits of a connection's CRM. */
export interface KnownQuota {
  connectionId: number;
  crm: string;
  state: CrmQuotaState;
}

/** Returns the quotas of these connections that have called their CRM, by ascending connection. */
export async function listCrmQuotas(db: Db, connectionIds: readonly number[]): Promise<KnownQuota[]> {
  const { rows } = await db.query<KnownQuota>(
    {
      name: 'crm-quotas-list',
      text: `select q.connection_id as "connectionId", c.crm, q.state
        from crm_quotas q join connections c on c.id = q.connection_id
        where q.connection_id = any($1::bigint[]) order by q.connection_id`,
    },
    [connectionIds],
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
