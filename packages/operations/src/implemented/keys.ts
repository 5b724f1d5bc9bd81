import { sortedUnique } from '@svc/domain/values/order';
import { newSecret, SECRET_RANDOM_BYTES } from '@svc/domain/values/resource-ids';
import { hashApiKey } from '@svc/engine/secrets/secret-box';
import * as declared from '../declared/keys.ts';
import { findConnections } from '../store/connections.ts';
import type { Db } from '@svc/engine/store/database/db';
import { updateRow } from '@svc/engine/store/database/rows';
import * as store from '../store/keys.ts';
import { conflict, existing, invalidInput } from './admin-error.ts';
import { parseOperatorInstant } from './instants.ts';
import { type AdminContext, implement } from './operation.ts';
import { assertAccount, assertOfAccount, requireConnection, selectConnections } from './references.ts';

export const createKey = implement(declared.createKey, async (ctx, input) => {
  const { accountId, connectionId } = input;
  await assertAccount(ctx.db, accountId);
  if (connectionId !== null) assertOfAccount(await requireConnection(ctx.db, connectionId), accountId);
  const at = ctx.clock.now();
  const expiresAt = input.expires === null ? null : parseExpiry(input.expires, at);
  const token = newToken(ctx);
  const key = await store.insertKey(ctx.db, {
    accountId,
    tokenHash: hashApiKey(token),
    name: input.name,
    scopes: sortedUnique(['read', ...input.scopes]),
    connectionId,
    expiresAt,
    createdAt: at,
  });
  return { key: toAdminKey(key, at), token, notices: await accessNotices(ctx.db, key) };
});

export const listKeys = implement(declared.listKeys, async (ctx, filter) => {
  await selectConnections(ctx.db, filter);
  return { keys: (await store.listKeys(ctx.db, filter)).map((key) => toAdminKey(key, ctx.clock.now())) };
});

/** Makes the key invalid from its commit on. Revoking a revoked key changes nothing. */
export const revokeKey = implement(declared.revokeKey, async (ctx, input) => {
  const key = await ctx.db.transaction(async (tx) => {
    const found = existing(await store.lockKey(tx, input.id), 'key', input.id);
    if (found.revokedAt !== null) return found;
    const revokedAt = ctx.clock.now();
    await updateRow(tx, 'api_keys', found.id, { revokedAt });
    return { ...found, revokedAt };
  });
  return { key: toAdminKey(key, ctx.clock.now()) };
});

export const rotateKey = implement(declared.rotateKey, async (ctx, input) => {
  const token = newToken(ctx);
  const at = ctx.clock.now();
  const key = await ctx.db.transaction(async (tx) => {
    const old = existing(await store.lockKey(tx, input.id), 'key', input.id);
    const state = stateOf(old, at);
    if (state !== 'valid') {
      const how = state === 'expired' ? 'has expired' : `was already ${state}`;
      throw conflict(`Key ${old.id} ${how} and is no longer valid: create a new one.`);
    }
    await updateRow(tx, 'api_keys', old.id, { rotatedAt: at });
    return store.insertKey(tx, { ...old, tokenHash: hashApiKey(token), createdAt: at });
  });
  return { key: toAdminKey(key, at), token, replacedKeyId: input.id };
});

/** Warns of a key without any API-enabled connection. */
async function accessNotices(db: Db, key: store.StoredKey): Promise<string[]> {
  const { accountId, connectionId } = key;
  const reached = await findConnections(db, connectionId === null ? { accountId } : { connectionId });
  if (reached.some(({ canUseApi }) => canUseApi)) return [];
  return [
    'No connection that the key may see has API access, so it sees nothing until one has: svc-server connections add, or svc-server capabilities set --connection ID --api on.',
  ];
}

function newToken(ctx: AdminContext): string {
  return newSecret(ctx.branding.keyPrefix, ctx.randomBytes(SECRET_RANDOM_BYTES));
}

function parseExpiry(text: string, now: Date): Date {
  const expiresAt = parseOperatorInstant('expires', text, { now, ages: 'future' });
  if (expiresAt <= now) throw invalidInput(`expires: ${expiresAt.toISOString()} is in the past`);
  return expiresAt;
}

function stateOf({ revokedAt, rotatedAt, expiresAt }: store.StoredKey, now: Date): declared.AdminKey['state'] {
  if (revokedAt !== null) return 'revoked';
  if (rotatedAt !== null) return 'rotated';
  return expiresAt === null || expiresAt > now ? 'valid' : 'expired';
}

function toAdminKey(key: store.StoredKey, now: Date): declared.AdminKey {
  return { ...key, state: stateOf(key, now) };
}
