/**
 * Actions on block lists. Both decide on the locked row, so of two concurrent calls the second sees the first one's
 * result.
 */
import type { BlocklistStatus } from '@svc/contract/vocabulary';
import type { Access } from '@svc/domain/requests/access';
import {
  assertResyncAllowed,
  pauseBlocklist as pause,
  resyncBlocklist as resync,
} from '@svc/domain/blocklists/blocklist';
import type { Context } from '../context.ts';
import { composeRef, FETCH_BLOCKLIST } from '../jobs/kinds.ts';
import { fetchBlocklistJob } from './blocklist-jobs.ts';
import { restartSending } from './restart-sending.ts';
import { enqueue, hasJob } from '../queue/queue.ts';
import { type BlocklistWork, lockBlocklist, setBlocklistState } from '../store/blocklists.ts';
import type { Db } from '../store/database/db.ts';

/** Stops the list's pipeline; entries at the sequencer stay. Returns null when this access has no such list. */
export function pauseBlocklist(ctx: Context, access: Access, id: number): Promise<BlocklistStatus | null> {
  return ctx.db.transaction(async (tx) => {
    const list = await lockBlocklist(tx, access, id);
    if (!list) return null;
    const state = pause(list.state);
    await setBlocklistState(tx, id, state);
    return state.status;
  });
}

/**
 * Begins a new run of the list by fetching everything. Returns null when this access has no such list.
 *
 * @throws ApiError 403, 409 as `assertResyncAllowed` says
 */
export async function resyncBlocklist(ctx: Context, access: Access, id: number): Promise<'FETCHING' | null> {
  const status = await ctx.db.transaction(async (tx) => {
    const list = await lockBlocklist(tx, access, id);
    if (!list) return null;
    return beginResync(tx, list, ctx.clock.now());
  });
  if (status !== null) ctx.wakeWorkers();
  return status;
}

/**
 * Does the same for a list that the caller has locked.
 *
 * @param options.isMoved whether its entries are of another CRM list, client or instance. Default false
 * @throws ApiError 403, 409 as `assertResyncAllowed` says
 */
export async function beginResync(
  tx: Db,
  list: BlocklistWork,
  now: Date,
  options: { isMoved?: boolean } = {},
): Promise<'FETCHING'> {
  const { id, connection, crmListId } = list;
  assertResyncAllowed({
    status: list.state.status,
    // Read after locking, in a separate statement: a statement that waited for the lock would see earlier jobs.
    hasActiveFetchJob: await hasJob(tx, FETCH_BLOCKLIST, composeRef(id)),
    hasCrmSource: crmListId !== null,
    canBlockList: connection.canBlockList,
  });
  const state = resync(list.state);
  await setBlocklistState(tx, id, state);
  await enqueue(tx, fetchBlocklistJob({ id, connectionId: connection.id, run: state.run }, 'full', now, options));
  await restartSending(tx, id, now);
  return state.status;
}
