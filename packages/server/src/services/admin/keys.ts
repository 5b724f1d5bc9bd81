import { API_KEY_SCOPES } from '@svc/contract/vocabulary';
import { sortedUnique } from '@svc/domain/order';
import { newSecret, SECRET_RANDOM_BYTES } from '@svc/domain/resource-ids';
import * as z from 'zod';
import { hashApiKey } from '../../secrets.ts';
import { findConnections } from '../../store/admin/connections.ts';
import type { Db } from '../../store/db.ts';
import * as store from '../../store/admin/keys.ts';
import { conflict, noSuch } from './admin-error.ts';
import { id, listFilter, name } from './fields.ts';
import { type AdminContext, adminOperation } from './operation.ts';
import { assertAccount, assertOfAccount, existingConnection, selectConnections } from './references.ts';

export interface AdminKey {
  id: number;
  accountId: number;
  name: string;
  scopes: string[];
  connectionScope: 'account' | 'connection';
  connectionId: number | null;
  createdAt: string;
  /** Set once the key is not valid any more. */
  revokedAt: string | null;
  rotatedAt: string | null;
}

const newKey = z.strictObject({
  accountId: id,
  name: name(100),
  /** Default `read`, which every key holds in any case. */
  scopes: z.array(z.enum(API_KEY_SCOPES, `must be one of ${API_KEY_SCOPES.join(', ')}`)).default(['read']),
  /** Makes it a key of this one connection. */
  connectionId: id.nullable().default(null),
});

/** `token` is in the result and nowhere else: what is stored is its hash. */
export const createKey = adminOperation(newKey, async (ctx, input) => {
  const { accountId, connectionId } = input;
  await assertAccount(ctx.db, accountId);
  if (connectionId !== null) assertOfAccount(await existingConnection(ctx.db, connectionId), accountId);
  const token = newToken(ctx);
  const key = await store.insertKey(ctx.db, {
    accountId,
    tokenHash: hashApiKey(token),
    name: input.name,
    scopes: sortedUnique(['read', ...input.scopes]),
    connectionId,
    at: ctx.clock.now(),
  });
  return { key: toAdminKey(key), token, notices: await reachNotices(ctx.db, key) };
});

export const listKeys = adminOperation(listFilter, async (ctx, filter) => {
  await selectConnections(ctx.db, filter);
  return { keys: (await store.listKeys(ctx.db, filter)).map(toAdminKey) };
});

const oneKey = z.strictObject({ id });

/** From its commit on the key answers 401. Revoking a revoked key changes nothing. */
export const revokeKey = adminOperation(oneKey, async (ctx, input) => {
  const key = await ctx.db.transaction(async (tx) => {
    const found = await existingKey(tx, input.id);
    if (found.revokedAt !== null) return found;
    const revokedAt = ctx.clock.now();
    await store.markKey(tx, found.id, { revoked_at: revokedAt });
    return { ...found, revokedAt };
  });
  return { key: toAdminKey(key) };
});

/** Puts a key of the same name, scopes and connection in its place, in one transaction: the old token answers 401 at once. */
export const rotateKey = adminOperation(oneKey, async (ctx, input) => {
  const token = newToken(ctx);
  const at = ctx.clock.now();
  const key = await ctx.db.transaction(async (tx) => {
    const old = await existingKey(tx, input.id);
    if (old.revokedAt !== null || old.rotatedAt !== null) {
      const how = old.revokedAt === null ? 'rotated' : 'revoked';
      throw conflict(`Key ${old.id} was ${how} already and is not valid any more: create a new one.`);
    }
    await store.markKey(tx, old.id, { rotated_at: at });
    return store.insertKey(tx, { ...old, tokenHash: hashApiKey(token), at });
  });
  return { key: toAdminKey(key), token, replacedKeyId: input.id };
});

async function existingKey(tx: Db, keyId: number): Promise<store.StoredKey> {
  const key = await store.lockKey(tx, keyId);
  if (!key) throw noSuch('key', keyId);
  return key;
}

/** A key that sees no API-enabled connection is valid and useless. */
async function reachNotices(db: Db, key: store.StoredKey): Promise<string[]> {
  const { accountId, connectionId } = key;
  const reached = await findConnections(db, connectionId === null ? { accountId } : { connectionId });
  if (reached.some(({ canUseApi }) => canUseApi)) return [];
  return [
    'No connection within its reach has API access, so the key is answered 403 until one has: svc-server connections add, or svc-server capabilities set --connection ID --api on.',
  ];
}

function newToken(ctx: AdminContext): string {
  return newSecret(ctx.branding.keyPrefix, ctx.randomBytes(SECRET_RANDOM_BYTES));
}

function toAdminKey(key: store.StoredKey): AdminKey {
  return {
    ...key,
    createdAt: key.createdAt.toISOString(),
    revokedAt: key.revokedAt?.toISOString() ?? null,
    rotatedAt: key.rotatedAt?.toISOString() ?? null,
  };
}
