/** Who calls: the key behind a token, with what every call needs to know of its account. */
import { type Access, parseBearer, resolveAccess } from '@svc/domain/requests/access';
import type { AccountRow, ApiKeyRow, ConnectionRow } from '@svc/domain/world';
import type { Branding } from '@svc/domain/pages/branding';
import { memoize } from '../state/memoize.ts';
import { accountsById } from '../state/row-indexes.ts';
import type { WorldData } from '../state/world-data.ts';
import type { MockRequest } from './call.ts';

/** A key that is valid, and its account. */
export interface Caller {
  readonly key: ApiKeyRow;
  readonly account: AccountRow;
}

/** Keys that are valid: a revoked or rotated one is like one that never was. */
const validKeysByToken = memoize(
  (keys: readonly ApiKeyRow[]) =>
    new Map(keys.filter((key) => key.revokedAt === null && key.rotatedAt === null).map((key) => [key.token, key])),
);
const connectionsByAccount = memoize((connections: readonly ConnectionRow[]) =>
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

/** The key that was sent, whether anybody has it or not; null when there is none that could be a key of this mock. */
export function bearerOf({ headers }: MockRequest, { keyPrefix }: Branding): string | null {
  const header = headers['authorization'];
  if (header === undefined) return null;
  try {
    return parseBearer(header, keyPrefix);
  } catch {
    return null;
  }
}
