import type { CrmUse } from '@svc/crm';
import type { Db } from '../../store/database/db.ts';

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

/** Returns connections that have a token, by ascending id. */
export async function findConnected(
  db: Db,
  { connectionId = null, limit }: { connectionId?: number | null; limit: number },
): Promise<ConnectedConnection[]> {
  const { rows } = await db.query<ConnectedConnection>(
    `select c.id, c.account_id as "accountId", c.crm, c.organization_id as "organizationId",
        c.organization_domain as "organizationDomain", c.crm_token as "sealedToken",
        array_remove(array[
          case when c.capability_sync then 'events' end,
          case when c.capability_sync and s.companies then 'companies' end,
          case when c.capability_sync and s.owners then 'owners' end,
          case when c.capability_blocklists and exists (select from blocklists l
            where l.connection_id = c.id and l.is_enabled and l.crm_list_id is not null) then 'lists' end
        ], null) as uses
      from connections c, lateral (select bool_or(create_or_update_company) as companies,
        bool_or(assign_contact_owner) as owners from sources where connection_id = c.id) s
      where c.crm_token is not null and ($1::bigint is null or c.id = $1) order by c.id limit $2`,
    [connectionId, limit],
  );
  return rows;
}

/** Counts the connections that have a token. */
export async function countConnected(db: Db): Promise<number> {
  const { rows } = await db.query<{ count: number }>(
    'select count(*) as count from connections where crm_token is not null',
  );
  return rows[0]?.count ?? 0;
}
