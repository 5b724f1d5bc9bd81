/** Finds the caller of a request: the key of its token, its account and its access. */
import { type Access, parseBearer, resolveAccess } from '@svc/domain/requests/access';
import type { AccountRow, ApiKeyRow, ConnectionRow } from '@svc/domain/world';
import type { Branding } from '@svc/domain/pages/branding';
import { memoize } from '../state/memoize.ts';
import { accountsById } from '../state/row-indexes.ts';
import type { WorldData } from '../state/world-data.ts';
import type { MockRequest } from './call.ts';

/** A valid key and its account. */
export interface Caller {
  readonly key: ApiKeyRow;
  readonly account: AccountRow;
}

/** Keys that are neither revoked nor rotated. */
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
 * Returns what the key can see.
 * @throws ApiError 403 when it can see nothing
 */
export function accessOf(data: WorldData, key: ApiKeyRow): Access {
  return resolveAccess(key, connectionsByAccount(data.connections).get(key.accountId) ?? []);
}

/** Returns the token that was sent, known or not; null without a well-formed one. */
export function bearerOf({ headers }: MockRequest, { keyPrefix }: Branding): string | null {
  const header = headers['authorization'];
  if (header === undefined) return null;
  try {
    return parseBearer(header, keyPrefix);
  } catch {
    return null;
  }
}
