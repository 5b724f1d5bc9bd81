import type { Blocklist } from '@svc/contract/types';
import { wrongListId } from '@svc/crm';
import { findBlocklistProblem, hasInstances } from '@svc/sequencers/blocklists';
import { toBlocklist } from '@svc/domain/resources';
import { fetchBlocklistJob } from '@svc/engine/blocklists/blocklist-jobs';
import { enqueue } from '@svc/engine/queue/queue';
import {
  findBlocklistPlatform,
  listBlocklists as listBlocklistRows,
  lockBlocklistOfJob,
} from '@svc/engine/store/blocklists';
import type { Db } from '@svc/engine/store/database/db';
import { insertRow, updateRow } from '@svc/engine/store/database/rows';
import { beginResync } from '@svc/engine/blocklists/blocklists';
import * as declared from '../declared/blocklists.ts';
import { existing, invalidInput } from './admin-error.ts';
import { type AdminContext, assertChange, implement } from './operation.ts';
import { requireConnection, selectConnections } from './references.ts';
import { seal } from './sealing.ts';
import { assertKeyFits, reachableInstance } from './sequencer-keys.ts';

export const addBlocklist = implement(declared.addBlocklist, async (ctx, input) => {
  const connection = await requireConnection(ctx.db, input.connectionId);
  const { capabilities } = connection;
  assertListIdFits(connection, input.crmListId);
  const problem = findBlocklistProblem(input.platform);
  if (problem !== null) throw invalidInput(problem);
  const { sequencerKeyId, sequencerToken, ...fields } = input;
  if ((sequencerKeyId === undefined) === (sequencerToken === undefined)) {
    throw invalidInput('sequencerToken: needs either an API key or the id of a stored one (--key)');
  }
  const { accountId } = connection;
  const key =
    sequencerKeyId === undefined
      ? null
      : await assertKeyFits(ctx.db, sequencerKeyId, { accountId, platform: input.platform });
  const instanceUrl = await reachableInstance(ctx, input.platform, input.instanceUrl);
  const at = ctx.clock.now();
  const listId = await ctx.db.transaction(async (tx) => {
    const crm = input.crmListId === null ? null : connection.crm;
    const row = { ...fields, instanceUrl, sequencerKeyId, crm, status: 'CREATED', isEnabled: true, createdAt: at };
    const { id } = await insertRow<{ id: number }>(tx, 'blocklists', row);
    if (sequencerToken !== undefined) await setToken(ctx, tx, id, sequencerToken);
    if (capabilities.blocklists && crm !== null) {
      await enqueue(tx, fetchBlocklistJob({ id, connectionId: connection.id, run: 0 }, 'full', at));
    }
    return id;
  });
  const blocklist = await readBlocklist(ctx, listId, connection.id);
  const notices = [
    ...(capabilities.blocklists
      ? []
      : [
          `Connection ${connection.id} lacks the blocklists capability, so nothing is read or pushed: svc-server capabilities set --connection ${connection.id} --blocklists on, then resync the list.`,
        ]),
    ...(input.crmListId === null ? ['The list has no CRM source, so it stays empty.'] : []),
    ...(hasInstances(input.platform) && instanceUrl === null && (key?.instanceUrl ?? null) === null
      ? ['The list names no instance, so the server uses the one of SVC_EMAILBISON_URL: --instance-url names another.']
      : []),
  ];
  return { blocklist, notices };
});

export const setBlocklistToken = implement(declared.setBlocklistToken, async (ctx, { blocklistId, sequencerToken }) => {
  const row = await ctx.db.transaction((tx) => setToken(ctx, tx, blocklistId, sequencerToken));
  return { blocklist: await readBlocklist(ctx, blocklistId, row.connectionId) };
});

/** A new CRM list, client or instance begins a resync, because everything must be fetched and pushed again. */
export const updateBlocklist = implement(declared.updateBlocklist, async (ctx, input) => {
  assertChange(input);
  const { id: listId, listName, crmListId, clientId, sequencerKeyId } = input;
  const platform = existing(await findBlocklistPlatform(ctx.db, listId), 'blocklist', listId);
  // Before the transaction, because it resolves the name.
  const instanceUrl =
    input.instanceUrl === undefined ? undefined : await reachableInstance(ctx, platform, input.instanceUrl);
  const { connectionId, isResynced } = await ctx.db.transaction(async (tx) => {
    const list = existing(await lockBlocklistOfJob(tx, listId), 'blocklist', listId);
    const { connection, state } = list;
    assertListIdFits(connection, crmListId);
    if (sequencerKeyId !== undefined) {
      const { accountId } = await requireConnection(tx, connection.id);
      await assertKeyFits(tx, sequencerKeyId, { accountId, platform });
    }
    const isMoved =
      (crmListId !== undefined && crmListId !== list.crmListId) ||
      (clientId !== undefined && clientId !== list.clientId) ||
      (instanceUrl !== undefined && instanceUrl !== list.instanceUrl);
    const crm = crmListId === undefined ? undefined : connection.crm;
    await updateRow(tx, 'blocklists', listId, { listName, crm, crmListId, clientId, instanceUrl, sequencerKeyId });
    const isResynced = isMoved && state.isEnabled && connection.canBlockList && (crmListId ?? list.crmListId) !== null;
    if (isResynced) await beginResync(tx, { ...list, crmListId: crmListId ?? list.crmListId }, ctx.clock.now());
    return { connectionId: connection.id, isResynced: isResynced || !isMoved };
  });
  const notices = isResynced ? [] : ['Nothing is read or pushed yet: resync the list once this is allowed.'];
  return { blocklist: await readBlocklist(ctx, listId, connectionId), notices };
});

/** @throws AdminError when the CRM has no lists with such an id */
function assertListIdFits({ id: connectionId, crm }: { id: number; crm: string }, listId: string | null = null): void {
  const form = listId === null ? null : wrongListId(crm, listId);
  if (form !== null) throw invalidInput(`--crm-list-id: connection ${connectionId} is ${crm}, so it must be ${form}`);
}

export const listBlocklists = implement(declared.listBlocklists, async (ctx, filter) => ({
  blocklists: await readBlocklists(ctx, await selectConnections(ctx.db, filter)),
}));

async function readBlocklists(ctx: AdminContext, connections: readonly { id: number }[]): Promise<Blocklist[]> {
  const rows = await listBlocklistRows(
    ctx.db,
    connections.map((connection) => connection.id),
  );
  return rows.map(toBlocklist);
}

async function readBlocklist(ctx: AdminContext, listId: number, connectionId: number): Promise<Blocklist> {
  const blocklist = (await readBlocklists(ctx, [{ id: connectionId }])).find((row) => row.id === listId);
  return existing(blocklist, 'blocklist', listId);
}

async function setToken(ctx: AdminContext, tx: Db, id: number, token: string): Promise<{ connectionId: number }> {
  const sequencerToken = await seal(ctx, tx, token, { kind: 'sequencer token', id });
  const returning = 'connection_id as "connectionId"';
  const changes = { sequencerToken, sequencerKeyId: null };
  return existing(await updateRow(tx, 'blocklists', id, changes, returning), 'blocklist', id);
}
