/** Checks that the rows named by an input exist and belong together. */
import type { Access } from '@svc/domain/requests/access';
import { findAccount } from '../store/accounts.ts';
import { findConnections, type StoredConnection } from '../store/connections.ts';
import { findNamedDestination } from '@svc/engine/store/destinations';
import type { Db } from '@svc/engine/store/database/db';
import { findNamedSource } from '@svc/engine/store/sources';
import { findRelayConnection } from '../store/bindings.ts';
import { conflict, existing } from './admin-error.ts';

/** @throws AdminError when there is no such account */
export async function assertAccount(db: Db, accountId: number): Promise<void> {
  existing(await findAccount(db, accountId), 'account', accountId);
}

/** @throws AdminError when there is no such connection */
export async function requireConnection(db: Db, connectionId: number): Promise<StoredConnection> {
  return existing((await findConnections(db, { connectionId }))[0], 'connection', connectionId);
}

/**
 * Returns the connections of a list's filter.
 *
 * @throws AdminError when the account or connection does not exist, or they do not belong together
 */
export async function selectConnections(
  db: Db,
  filter: { accountId?: number | undefined; connectionId?: number | undefined },
): Promise<StoredConnection[]> {
  const { accountId, connectionId } = filter;
  if (accountId !== undefined) await assertAccount(db, accountId);
  if (connectionId === undefined) return findConnections(db, { accountId });
  const connection = await requireConnection(db, connectionId);
  assertOfAccount(connection, accountId);
  return [connection];
}

/** @throws AdminError when the connection belongs to another account */
export function assertOfAccount(connection: StoredConnection, accountId: number | undefined): void {
  if (accountId === undefined || connection.accountId === accountId) return;
  throw conflict(
    `Connection ${connection.id} belongs to account ${connection.accountId}, not to account ${accountId}: svc-server connections list --account ${accountId} shows its connections.`,
  );
}

/** Returns an access to all rows of these connections, for reads shared with the API. */
export function operatorAccess(connections: readonly { id: number }[]): Access {
  return {
    accountId: 0,
    connectionIds: connections.map(({ id }) => id),
    scopes: ['read', 'write'],
    accountScoped: true,
    keyConnectionId: null,
  };
}

/** @throws AdminError when there is no such source */
export async function connectionOfSource(db: Db, sourceId: number): Promise<number> {
  return existing((await findNamedSource(db, sourceId)).connectionId, 'source', sourceId);
}

type Bindable = 'destination' | 'relay';

/**
 * Checks that a destination or relay may be bound to a source: both must belong to one connection.
 *
 * @returns that connection's id
 * @throws AdminError when either does not exist, or they belong to different connections
 */
export async function assertBindable(db: Db, kind: Bindable, id: number, sourceId: number): Promise<number> {
  const found =
    kind === 'destination' ? (await findNamedDestination(db, id)).connectionId : await findRelayConnection(db, id);
  const connectionId = existing(found, kind, id);
  const ofSource = await connectionOfSource(db, sourceId);
  if (ofSource !== connectionId) {
    throw conflict(
      `Source ${sourceId} belongs to connection ${ofSource} and ${kind} ${id} to connection ${connectionId}: both must belong to the same connection.`,
    );
  }
  return connectionId;
}
