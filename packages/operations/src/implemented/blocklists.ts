import { wrongListId } from '@svc/crm';
import { findBlocklistProblem, hasInstances } from '@svc/sequencers/blocklists';
import { nextRoundAt, ROUND_INTERVAL_MS } from '@svc/domain/blocklists/blocklist-schedule';
import { toBlocklist } from '@svc/domain/resources';
import { parseDuration } from '@svc/domain/values/duration';
import { fetchBlocklistJob, topUpBlocklistJob } from '@svc/engine/blocklists/blocklist-jobs';
import { restartSending } from '@svc/engine/blocklists/restart-sending';
import { bringForward, enqueue } from '@svc/engine/queue/queue';
import {
  findBlocklistPlatform,
  listBlocklists as listBlocklistRows,
  lockBlocklistOfJob,
} from '@svc/engine/store/blocklists';
import { countRemovals, dropAllRemovals, type RemovalCounts } from '@svc/engine/store/blocklist-removals';
import { countSuppressions, sendSuppressionsAgain } from '@svc/engine/store/suppressions';
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
  const { sequencerKeyId, sequencerToken, suppresses, every, ...fields } = input;
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
    const row = {
      ...{ ...fields, ...settingsOf({ suppresses, every }), instanceUrl, sequencerKeyId, crm },
      ...{ status: 'CREATED', isEnabled: true, createdAt: at },
    };
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
    ...(input.crmListId === null && suppresses.length === 0 ? ['The list has no CRM source, so it stays empty.'] : []),
    ...domainNotice(input.blockType, suppresses),
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

/** Returns the columns of what a list takes of events and of how often its CRM list is read; undefined ones do not change. */
function settingsOf({ suppresses, every }: { suppresses?: string[] | undefined; every?: string | undefined }) {
  return {
    suppresses:
      suppresses === undefined ? undefined : suppresses.length === 0 ? null : JSON.stringify([...new Set(suppresses)]),
    everyMinutes: every === undefined ? undefined : Math.round((parseDuration(every) ?? ROUND_INTERVAL_MS) / 60_000),
  };
}

function domainNotice(blockType: string, suppresses: readonly string[]): string[] {
  return blockType === 'DOMAIN' && suppresses.length > 0
    ? [
        'Each such contact blocks the domain of their address, and so everybody there; domains of mail hosts are left out.',
      ]
    : [];
}

/**
 * A new CRM list, client or instance begins a resync, because everything must be fetched and pushed again. A new client or instance also gets
 * the contacts of earlier events.
 */
export const updateBlocklist = implement(declared.updateBlocklist, async (ctx, input) => {
  assertChange(input);
  const { id: listId, listName, crmListId, clientId, sequencerKeyId, suppresses = [], removes } = input;
  const { everyMinutes, ...settings } = settingsOf(input);
  const platform = existing(await findBlocklistPlatform(ctx.db, listId), 'blocklist', listId);
  // Before the transaction, because it resolves the name.
  const instanceUrl =
    input.instanceUrl === undefined ? undefined : await reachableInstance(ctx, platform, input.instanceUrl);
  const { connectionId, blockType, isSent } = await ctx.db.transaction(async (tx) => {
    const list = existing(await lockBlocklistOfJob(tx, listId), 'blocklist', listId);
    const { connection, state } = list;
    assertListIdFits(connection, crmListId);
    if (sequencerKeyId !== undefined) {
      const { accountId } = await requireConnection(tx, connection.id);
      await assertKeyFits(tx, sequencerKeyId, { accountId, platform });
    }
    const isElsewhere =
      (clientId !== undefined && clientId !== list.clientId) ||
      (instanceUrl !== undefined && instanceUrl !== list.instanceUrl);
    const isMoved = isElsewhere || (crmListId !== undefined && crmListId !== list.crmListId);
    const crm = crmListId === undefined ? undefined : connection.crm;
    // A list without a CRM list cannot be resynced, so this continues it when it is paused.
    const isEnabled = suppresses.length > 0 && (crmListId ?? list.crmListId) === null ? true : undefined;
    await updateRow(tx, 'blocklists', listId, {
      ...{ listName, crm, crmListId, clientId, instanceUrl, sequencerKeyId },
      ...{ ...settings, everyMinutes, isEnabled, removes },
    });
    // They are of another CRM list, or of another list at the sequencer.
    if (isMoved) await dropAllRemovals(tx, listId);
    if (isElsewhere) await sendSuppressionsAgain(tx, listId);
    const now = ctx.clock.now();
    const ofJob = { id: listId, connectionId: connection.id, run: state.run };
    if (isElsewhere || sequencerKeyId !== undefined || suppresses.length > 0) await restartSending(tx, listId, now);
    if (everyMinutes !== undefined) {
      const dueAt = nextRoundAt(state.lastAttemptedAt ?? now, everyMinutes);
      await bringForward(tx, topUpBlocklistJob(ofJob, { createdAt: now, dueAt }));
    }
    const isActive = (isEnabled ?? state.isEnabled) && connection.canBlockList;
    if (isMoved && isActive && (crmListId ?? list.crmListId) !== null) {
      await beginResync(tx, { ...list, crmListId: crmListId ?? list.crmListId }, now, { isMoved });
    }
    const { blockType } = list;
    return { connectionId: connection.id, blockType, isSent: isActive || !isMoved };
  });
  const notices = [
    ...(isSent ? [] : ['Nothing is read or pushed yet: resync the list once this is allowed.']),
    ...domainNotice(blockType, suppresses),
  ];
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

async function readBlocklists(
  ctx: AdminContext,
  connections: readonly { id: number }[],
): Promise<declared.AdminBlocklist[]> {
  const rows = await listBlocklistRows(
    ctx.db,
    connections.map((connection) => connection.id),
  );
  const counts = await countSuppressions(
    ctx.db,
    rows.map(({ id }) => id),
  );
  const byList = new Map(counts.map((count) => [count.listId, count]));
  const removals = new Map(
    (
      await countRemovals(
        ctx.db,
        rows.map(({ id }) => id),
      )
    ).map((count) => [count.listId, count]),
  );
  return rows.map((row) => {
    const { kinds, everyMinutes, pushed = 0, waiting = 0, refused = 0, error = null } = byList.get(row.id) ?? {};
    return {
      ...toBlocklist(row),
      suppresses: [...(kinds ?? [])],
      suppressions: { pushed, waiting, refused, error },
      ...removalsOf(removals.get(row.id)),
      everyMinutes: everyMinutes ?? ROUND_INTERVAL_MS / 60_000,
    };
  });
}

function removalsOf(counts: RemovalCounts | undefined): Pick<declared.AdminBlocklist, 'removes' | 'removals'> {
  const { removes = false, removed = 0, waiting = 0, refused = 0, error = null } = counts ?? {};
  return { removes, removals: { removed, waiting, refused, error } };
}

async function readBlocklist(
  ctx: AdminContext,
  listId: number,
  connectionId: number,
): Promise<declared.AdminBlocklist> {
  const blocklist = (await readBlocklists(ctx, [{ id: connectionId }])).find((row) => row.id === listId);
  return existing(blocklist, 'blocklist', listId);
}

async function setToken(ctx: AdminContext, tx: Db, id: number, token: string): Promise<{ connectionId: number }> {
  const sequencerToken = await seal(ctx, tx, token, { kind: 'sequencer token', id });
  const returning = 'connection_id as "connectionId"';
  const changes = { sequencerToken, sequencerKeyId: null };
  const row = await updateRow<{ connectionId: number }>(tx, 'blocklists', id, changes, returning);
  const { connectionId } = existing(row, 'blocklist', id);
  await restartSending(tx, id, ctx.clock.now());
  return { connectionId };
}
