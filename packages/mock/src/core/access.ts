/** Who calls: the key behind a token, with what every call needs to know of its account. */
import { type Access, resolveAccess } from '@svc/domain/requests/access';
import type { AccountRow, ApiKeyRow, ConnectionRow } from '@svc/domain/world';
import { remember } from './remember.ts';
import { accountsById } from './rows.ts';
import type { WorldData } from './world-data.ts';

/** A key that is valid, and its account. */
export interface Caller {
  readonly key: ApiKeyRow;
  readonly account: AccountRow;
}

/** Keys that are valid: a revoked or rotated one is like one that never was. */
const validKeysByToken = remember(
  (keys: readonly ApiKeyRow[]) =>
    new Map(keys.filter((key) => key.revokedAt === null && key.rotatedAt === null).map((key) => [key.token, key])),
);
const connectionsByAccount = remember((connections: readonly ConnectionRow[]) =>
  Map.groupBy(connections, ({ accountId }) => accountId),
);

export function findCaller(data: WorldData, token: string): Caller | null {
  const key = validKeysByToken(data.apiKeys).get(token);
  const account = key && accountsById(data.accounts).get(key.accountId);
  return key === undefined || account === undefined ? null : { key, account };
}

/**
 * What the key sees.
 * @throws ApiError 403 when that is nothing
 */
export function accessOf(data: WorldData, key: ApiKeyRow): Access {
  return resolveAccess(key, connectionsByAccount(data.connections).get(key.accountId) ?? []);
}
