/** What an input names must be there, and must belong together. */
import type { Access } from '@svc/domain/requests/access';
import { findAccount } from '../../store/admin/accounts.ts';
import { findConnections, type StoredConnection } from '../../store/admin/connections.ts';
import { findNamedDestination } from '../../store/destinations.ts';
import type { Db } from '../../store/db.ts';
import { findNamedSource } from '../../store/sources.ts';
import { findRelayConnection } from '../../store/admin/relays.ts';
import { conflict, noSuch } from './admin-error.ts';

/** @throws AdminError when there is no such account */
export async function assertAccount(db: Db, accountId: number): Promise<void> {
  if ((await findAccount(db, accountId)) === null) throw noSuch('account', accountId);
}

/** @throws AdminError when there is no such connection */
export async function existingConnection(db: Db, connectionId: number): Promise<StoredConnection> {
  const [connection] = await findConnections(db, { connectionId });
  if (!connection) throw noSuch('connection', connectionId);
  return connection;
}

/**
 * The connections that a list is about.
 *
 * @throws AdminError when the account or connection is not there, or the one does not belong to the other
 */
export async function selectConnections(
  db: Db,
  filter: { accountId?: number | undefined; connectionId?: number | undefined },
): Promise<StoredConnection[]> {
  const { accountId, connectionId } = filter;
  if (accountId !== undefined) await assertAccount(db, accountId);
  if (connectionId === undefined) return findConnections(db, { accountId });
  const connection = await existingConnection(db, connectionId);
  assertOfAccount(connection, accountId);
  return [connection];
}

/** @throws AdminError when the connection is another account's */
export function assertOfAccount(connection: StoredConnection, accountId: number | undefined): void {
  if (accountId === undefined || connection.accountId === accountId) return;
  throw conflict(
    `Connection ${connection.id} belongs to account ${connection.accountId}, not to account ${accountId}: svc-server connections list --account ${accountId} shows its own.`,
  );
}

/** The operator sees every row of these connections, through the same reads that a key does. */
export function operatorAccess(connections: readonly { id: number }[]): Access {
  return {
    accountId: 0,
    connectionIds: connections.map(({ id }) => id),
    scopes: ['read', 'write'],
    accountScoped: true,
    keyConnectionId: null,
  };
}

type Bindable = 'destination' | 'relay';

/**
 * Checks that a destination or relay may be bound to a source: both must be of one connection, and so of one account.
 *
 * @returns that connection's id
 * @throws AdminError when either is not there, or they are of different connections
 */
export async function assertBindable(db: Db, kind: Bindable, id: number, sourceId: number): Promise<number> {
  const connectionId =
    kind === 'destination' ? (await findNamedDestination(db, id)).connectionId : await findRelayConnection(db, id);
  if (connectionId === null) throw noSuch(kind, id);
  const source = await findNamedSource(db, sourceId);
  if (source.connectionId === null) throw noSuch('source', sourceId);
  if (source.connectionId !== connectionId) {
    throw conflict(
      `Source ${sourceId} belongs to connection ${source.connectionId} and ${kind} ${id} to connection ${connectionId}: only what belongs to one connection can be bound.`,
    );
  }
  return connectionId;
}
