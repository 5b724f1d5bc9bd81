import { sql } from 'kysely';
import { build, type Db } from '../../store/database/db.ts';

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

export interface ConnectionColumns {
  organization_domain?: string;
  can_use_api?: boolean;
  capability_sync?: boolean;
  capability_destinations?: boolean;
  capability_blocklists?: boolean;
  /** Encrypted; null disconnects. */
  crm_token?: string | null;
  recorded_error?: null;
}

const columns = () =>
  [
    'id',
    'account_id as accountId',
    'crm',
    'organization_id as organizationId',
    'organization_domain as organizationDomain',
    'can_use_api as canUseApi',
    sql<StoredConnection['capabilities']>`json_build_object('sync', capability_sync,
      'destinations', capability_destinations, 'blocklists', capability_blocklists)`.as('capabilities'),
    sql<boolean>`crm_token is not null`.as('hasCrmToken'),
    'recorded_error as recordedError',
    'created_at as createdAt',
  ] as const;

/** Returns connections by ascending id. */
export function findConnections(
  db: Db,
  filter: { accountId?: number | undefined; connectionId?: number | undefined },
): Promise<StoredConnection[]> {
  let statement = build.selectFrom('connections').select(columns()).orderBy('id');
  if (filter.accountId !== undefined) statement = statement.where('account_id', '=', filter.accountId);
  if (filter.connectionId !== undefined) statement = statement.where('id', '=', filter.connectionId);
  return db.run(statement.compile());
}

/** Returns an account's connection to an organization at a CRM; null when there is none. */
export async function findConnectionOf(
  db: Db,
  key: { accountId: number; crm: string; organizationId: string },
): Promise<StoredConnection | null> {
  const statement = build
    .selectFrom('connections')
    .select(columns())
    .where('account_id', '=', key.accountId)
    .where('crm', '=', key.crm)
    .where('organization_id', '=', key.organizationId)
    .orderBy('id')
    .limit(1);
  const [row] = await db.run(statement.compile());
  return row ?? null;
}

/** Inserts a disconnected connection, because its token is bound to its id. */
export async function insertConnection(
  tx: Db,
  connection: Required<Omit<ConnectionColumns, 'recorded_error' | 'crm_token'>> & {
    account_id: number;
    crm: string;
    organization_id: string;
    created_at: Date;
  },
): Promise<StoredConnection> {
  const [row] = await tx.run(build.insertInto('connections').values(connection).returning(columns()).compile());
  if (!row) throw new Error('The connection was not stored.');
  return row;
}

/** @returns null when there is no such connection */
export async function updateConnection(
  db: Db,
  connectionId: number,
  changes: ConnectionColumns,
): Promise<StoredConnection | null> {
  const statement = build.updateTable('connections').set(changes).where('id', '=', connectionId).returning(columns());
  const [row] = await db.run(statement.compile());
  return row ?? null;
}
