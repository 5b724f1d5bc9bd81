import type { Report, WorldIndex } from './integrity-index.ts';
import type { WorldEntity } from './schema.ts';

/** The account, connection and source of a row; absent fields are not checked. */
export interface RowReferences {
  readonly accountId?: number;
  readonly connectionId?: number | null;
  readonly sourceId?: number | null;
}

/**
 * Checks that account, connection and source of a row exist, that the connection belongs to the account and the source to the
 * connection.
 * @param field the field that holds the source's id
 */
export function checkReferences(
  entity: WorldEntity,
  rowIndex: number,
  row: RowReferences,
  index: WorldIndex,
  report: Report,
  field = 'sourceId',
): void {
  const { accountId, connectionId, sourceId } = row;
  if (accountId !== undefined && !index.accounts.has(accountId)) {
    report(entity, rowIndex, 'accountId', `there is no account ${accountId}`);
  }
  if (connectionId !== undefined && connectionId !== null) {
    const connection = index.connections.get(connectionId);
    if (connection === undefined) {
      report(entity, rowIndex, 'connectionId', `there is no connection ${connectionId}`);
    } else if (accountId !== undefined && connection.accountId !== accountId) {
      report(entity, rowIndex, 'connectionId', `connection ${connectionId} is not of account ${accountId}`);
    }
  }
  if (sourceId !== undefined && sourceId !== null) {
    const source = index.sources.get(sourceId);
    if (source === undefined) {
      report(entity, rowIndex, field, `there is no source ${sourceId}`);
    } else if (source.connectionId !== connectionId) {
      report(entity, rowIndex, field, `source ${sourceId} is not on connection ${connectionId ?? null}`);
    }
  }
}
