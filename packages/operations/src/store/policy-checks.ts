/** Which policies name something of a CRM, and when they were compared with it. */
import type { WritePolicy } from '@svc/domain/policy/write-policy';
import type { Db } from '@svc/engine/store/database/db';
import { toStorableJson } from '@svc/engine/store/database/storable-json';

export interface PolicyToCompare {
  /** Of this version, in its connection. */
  key: string;
  connectionId: number;
  crm: string;
  /** Null: the connection's own. */
  sourceId: number | null;
  policy: WritePolicy;
}

/** Returns the latest policies of connected connections that have fields or outcomes, by connection. */
export async function listPoliciesToCompare(db: Db, limit: number): Promise<PolicyToCompare[]> {
  const { rows } = await db.query<PolicyToCompare>(
    `select concat(source_id, ' ', version) as key, connection_id as "connectionId", connections.crm, source_id as "sourceId", policy
      from (
        select distinct on (connection_id, source_id) * from write_policies order by connection_id, source_id, version desc
      ) latest join connections on connections.id = latest.connection_id and crm_token is not null
      where policy -> 'fields' is not null or policy -> 'outcomes' is not null
      order by connection_id, source_id nulls first limit $1`,
    [limit],
  );
  return rows;
}

/** What a comparison with the CRM of a connection found. */
export interface PolicyComparison {
  /** ISO time. */
  at: string;
  /** The compared policies; none: the CRM could not be asked. */
  policies: readonly string[];
  /** What does not fit. */
  problems: readonly string[];
}

/** In `service_meta`, with the id of the connection behind it. */
export const COMPARED = 'policies_compared_';
const keyOf = (connectionId: number) => `${COMPARED}${connectionId}`;

/** Returns the latest comparison of each connection. */
export async function readComparisons(
  db: Db,
  connectionIds: readonly number[],
): Promise<ReadonlyMap<number, PolicyComparison>> {
  const { rows } = await db.query<{ key: string; value: string }>(
    'select key, value from service_meta where key = any($1)',
    [connectionIds.map(keyOf)],
  );
  const values = new Map(rows.map(({ key, value }) => [key, value]));
  return new Map(
    connectionIds.flatMap((id): [number, PolicyComparison][] => {
      const value = values.get(keyOf(id));
      return value === undefined ? [] : [[id, JSON.parse(value) as PolicyComparison]];
    }),
  );
}

export async function storeComparison(db: Db, connectionId: number, comparison: PolicyComparison): Promise<void> {
  await db.query(
    'insert into service_meta (key, value) values ($1, $2) on conflict (key) do update set value = excluded.value',
    [keyOf(connectionId), toStorableJson(comparison)],
  );
}
