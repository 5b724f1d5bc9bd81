import type { CrmUse } from '@svc/crm';
import { isSameOrganization } from '@svc/engine/crm/same-organization';
import type { Db } from '@svc/engine/store/database/db';
import { insertRow, updateRow } from '@svc/engine/store/database/rows';

/** A connection as shown to operators, without its token. */
export interface StoredConnection {
  id: number;
  accountId: number;
  crm: string;
  organizationId: string;
  organizationDomain: string;
  canUseApi: boolean;
  capabilities: { sync: boolean; destinations: boolean; blocklists: boolean };
  hasCrmToken: boolean;
  recordedError: string | null;
  createdAt: Date;
}

export interface ConnectionChanges {
  organizationDomain?: string | undefined;
  canUseApi?: boolean | undefined;
  capabilitySync?: boolean | undefined;
  capabilityDestinations?: boolean | undefined;
  capabilityBlocklists?: boolean | undefined;
  /** Encrypted; null disconnects. */
  crmToken?: string | null;
  recordedError?: null;
}

const COLUMNS = `id, account_id as "accountId", crm, organization_id as "organizationId",
  organization_domain as "organizationDomain", can_use_api as "canUseApi",
  json_build_object('sync', capability_sync, 'destinations', capability_destinations,
    'blocklists', capability_blocklists) as capabilities,
  crm_token is not null as "hasCrmToken", recorded_error as "recordedError", created_at as "createdAt"`;

/** Returns the connections by ascending id. */
export async function findConnections(
  db: Db,
  {
    accountId = null,
    connectionId = null,
  }: { accountId?: number | null | undefined; connectionId?: number | null | undefined },
): Promise<StoredConnection[]> {
  const { rows } = await db.query<StoredConnection>(
    `select ${COLUMNS} from connections
      where ($1::bigint is null or account_id = $1) and ($2::bigint is null or id = $2) order by id`,
    [accountId, connectionId],
  );
  return rows;
}

/** Returns an account's connection to an organization at a CRM; null when there is none. */
export async function findConnectionOf(
  db: Db,
  key: { accountId: number; crm: string; organizationId: string },
): Promise<StoredConnection | null> {
  const { rows } = await db.query<StoredConnection>(
    `select ${COLUMNS} from connections where account_id = $1 and crm = $2 order by organization_id = $3 desc, id`,
    [key.accountId, key.crm, key.organizationId],
  );
  return rows.find((row) => isSameOrganization(key.crm, row.organizationId, key.organizationId)) ?? null;
}

/** Inserts a disconnected connection, because its token is bound to its id. */
export function insertConnection(
  tx: Db,
  connection: ConnectionChanges & { accountId: number; crm: string; organizationId: string; createdAt: Date },
): Promise<StoredConnection> {
  return insertRow(tx, 'connections', { ...connection }, COLUMNS);
}

/** @returns null when there is no such connection */
export function updateConnection(db: Db, id: number, changes: ConnectionChanges): Promise<StoredConnection | null> {
  return updateRow(db, 'connections', id, { ...changes }, COLUMNS);
}

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
