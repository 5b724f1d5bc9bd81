import type { CrmUse } from '@svc/crm';
import type { Db } from '@svc/engine/store/database/db';

/** A connection with its encrypted token. */
export interface ConnectedConnection {
  id: number;
  accountId: number;
  crm: string;
  organizationId: string;
  organizationDomain: string;
  sealedToken: string;
  /** What the connection uses its token for, as configured now. */
  uses: CrmUse[];
}

/** What a connection `c` uses its token for. */
const USES = (canSync: string) => `(select array_remove(array[
    case when ${canSync} then 'events' end,
    case when ${canSync} and bool_or(s.create_or_update_company) then 'companies' end,
    case when ${canSync} and bool_or(s.assign_contact_owner) then 'owners' end,
    case when c.capability_blocklists and exists (select from blocklists l
      where l.connection_id = c.id and l.is_enabled and l.crm_list_id is not null) then 'lists' end
  ], null) from sources s where s.connection_id = c.id)`;

/** Returns connections that have a token, by ascending id. */
export async function findConnected(db: Db, { limit }: { limit: number }): Promise<ConnectedConnection[]> {
  const { rows } = await db.query<ConnectedConnection>(
    `select c.id, c.account_id as "accountId", c.crm, c.organization_id as "organizationId",
        c.organization_domain as "organizationDomain", c.crm_token as "sealedToken", ${USES('c.capability_sync')} as uses
      from connections c where c.crm_token is not null order by c.id limit $1`,
    [limit],
  );
  return rows;
}

/** Returns what a connection would use a token for, whether or not it has one now. */
export async function findUses(db: Db, connectionId: number, { canSync }: { canSync: boolean }): Promise<CrmUse[]> {
  const { rows } = await db.query<{ uses: CrmUse[] }>(
    `select ${USES('$2::boolean')} as uses from connections c where c.id = $1`,
    [connectionId, canSync],
  );
  return rows[0]?.uses ?? [];
}

/** Counts the connections that have a token. */
export async function countConnected(db: Db): Promise<number> {
  const { rows } = await db.query<{ count: number }>(
    'select count(*) as count from connections where crm_token is not null',
  );
  return rows[0]?.count ?? 0;
}
