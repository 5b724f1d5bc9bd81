import { hasInstances } from '@svc/sequencers/blocklists';
import { parseWebhookUrl } from '@svc/domain/webhooks/webhook-url';
import type { Db } from '@svc/engine/store/database/db';
import { insertNewRow, updateRow } from '@svc/engine/store/database/rows';
import { restartSending } from '@svc/engine/blocklists/restart-sending';
import {
  listListsOfKey,
  listSequencerKeys as listKeyRows,
  type SequencerKeyRow,
} from '@svc/engine/store/sequencer-keys';
import { lockBlocklistOfJob } from '@svc/engine/store/blocklists';
import { assertReachable } from '@svc/engine/webhooks/webhooks';
import * as declared from '../declared/sequencer-keys.ts';
import { conflict, existing, invalidInput } from './admin-error.ts';
import { type AdminContext, assertChange, implement } from './operation.ts';
import { assertAccount, requireConnection } from './references.ts';
import { seal } from './sealing.ts';

export const addSequencerKey = implement(declared.addSequencerKey, async (ctx, { token, blocklistId, ...input }) => {
  await assertAccount(ctx.db, input.accountId);
  if ((token === undefined) === (blocklistId === undefined)) {
    throw invalidInput('token: needs either an API key or the block list that has it (--from-blocklist)');
  }
  const instanceUrl = await reachableInstance(ctx, input.platform, input.instanceUrl);
  const id = await ctx.db.transaction(async (tx) => {
    const own = blocklistId === undefined ? null : await takeOwnToken(ctx, tx, blocklistId, input);
    const row = { ...input, instanceUrl: instanceUrl ?? own?.instanceUrl ?? null, createdAt: ctx.clock.now() };
    const added = await insertNewRow(tx, 'sequencer_keys', row, ['accountId', 'name']);
    if (added === null) throw nameIsTaken(input.name);
    await setToken(ctx, tx, added, own?.token ?? token ?? '');
    if (blocklistId !== undefined) {
      await updateRow(tx, 'blocklists', blocklistId, { sequencerKeyId: added, sequencerToken: null });
    }
    return added;
  });
  return { key: await requireSequencerKey(ctx.db, id) };
});

/**
 * Returns the API key that a block list has of its own, and locks the list.
 *
 * @throws AdminError when it is of another account or platform, or has none that can be decrypted
 */
async function takeOwnToken(
  ctx: AdminContext,
  tx: Db,
  listId: number,
  { accountId, platform }: { accountId: number; platform: string },
): Promise<{ token: string; instanceUrl: string | null }> {
  const list = existing(await lockBlocklistOfJob(tx, listId), 'blocklist', listId);
  const { accountId: owner } = await requireConnection(tx, list.connection.id);
  if (owner !== accountId) throw conflict(`Block list ${listId} belongs to account ${owner}.`);
  if (list.platform !== platform) throw conflict(`Block list ${listId} is of ${list.platform}, not of ${platform}.`);
  const { sequencerKeyId, sealedSequencerToken, instanceUrl } = list;
  if (sequencerKeyId !== null) throw conflict(`Block list ${listId} uses sequencer key ${sequencerKeyId} already.`);
  if (sealedSequencerToken !== null) {
    try {
      return { token: ctx.secrets.decrypt(sealedSequencerToken, { kind: 'sequencer token', id: listId }), instanceUrl };
    } catch {
      throw conflict(`The API key of block list ${listId} cannot be decrypted: run svc-server doctor for details.`);
    }
  }
  throw conflict(`Block list ${listId} has no API key of its own.`);
}

export const updateSequencerKey = implement(declared.updateSequencerKey, async (ctx, input) => {
  assertChange(input);
  const { accountId, platform } = await requireSequencerKey(ctx.db, input.id);
  const instanceUrl =
    input.instanceUrl === undefined ? undefined : await reachableInstance(ctx, platform, input.instanceUrl);
  const others = (await listKeyRows(ctx.db, { accountId })).filter(({ id }) => id !== input.id);
  if (input.name !== undefined && others.some(({ name }) => name === input.name)) throw nameIsTaken(input.name);
  await updateRow(ctx.db, 'sequencer_keys', input.id, { name: input.name, instanceUrl });
  return { key: await requireSequencerKey(ctx.db, input.id) };
});

export const setSequencerKeyToken = implement(declared.setSequencerKeyToken, async (ctx, { id, token }) => {
  await ctx.db.transaction(async (tx) => {
    await setToken(ctx, tx, id, token);
    for (const listId of await listListsOfKey(tx, id)) await restartSending(tx, listId, ctx.clock.now());
  });
  return { key: await requireSequencerKey(ctx.db, id) };
});

export const listSequencerKeys = implement(declared.listSequencerKeys, async (ctx, { accountId }) => {
  if (accountId !== undefined) await assertAccount(ctx.db, accountId);
  return { keys: await listKeyRows(ctx.db, { accountId: accountId ?? null }) };
});

/** @throws AdminError when there is no such key */
export async function requireSequencerKey(db: Db, id: number): Promise<SequencerKeyRow> {
  return existing((await listKeyRows(db, { id }))[0], 'sequencer-key', id);
}

/** @throws AdminError when the key belongs to another account or platform */
export async function assertKeyFits(
  db: Db,
  keyId: number,
  { accountId, platform }: { accountId: number; platform: string },
): Promise<SequencerKeyRow> {
  const key = await requireSequencerKey(db, keyId);
  if (key.accountId !== accountId) throw conflict(`Sequencer key ${keyId} belongs to account ${key.accountId}.`);
  if (key.platform !== platform) throw conflict(`Sequencer key ${keyId} is of ${key.platform}, not of ${platform}.`);
  return key;
}

/**
 * Checks the address that a customer gives of an own instance, and returns it without a slash at the end.
 *
 * @throws AdminError when the platform has no instances
 * @throws ApiError when this address must not be called
 */
export async function reachableInstance(
  ctx: AdminContext,
  platform: string,
  wanted: string | null,
): Promise<string | null> {
  if (wanted === null) return null;
  if (!hasInstances(platform)) {
    throw invalidInput(`--instance-url: all customers of ${platform} share one address, so none is named`);
  }
  const parsed = parseWebhookUrl(wanted, ctx.outbound);
  await assertReachable(ctx, parsed);
  const { search, hash } = new URL(parsed);
  if (search !== '' || hash !== '') throw invalidInput('--instance-url: must have no query and no fragment');
  return parsed.replace(/\/+$/, '');
}

function nameIsTaken(name: string): Error {
  return conflict(`The account has a sequencer key "${name}" already: sequencer-keys set-token replaces its API key.`);
}

async function setToken(ctx: AdminContext, tx: Db, id: number, token: string): Promise<void> {
  const sealed = await seal(ctx, tx, token, { kind: 'sequencer key', id });
  existing(await updateRow(tx, 'sequencer_keys', id, { token: sealed }), 'sequencer-key', id);
}
