/** Begins the next round of an idle block list: a fetch of new entries, or of all when none were pushed yet. */
import { isCurrentRun, roundStarted } from '@svc/domain/blocklists/blocklist';
import { nextRoundAt } from '@svc/domain/blocklists/blocklist-schedule';
import type { Context } from '../context.ts';
import { lockBlocklistOfJob, setBlocklistState } from '../store/blocklists.ts';
import { fetchBlocklistJob, readBlocklistJob } from './blocklist-jobs.ts';
import { type ClaimedJob, defer, enqueue, finish } from '../queue/queue.ts';

export function createTopUpBlocklistHandler(ctx: Context): (job: ClaimedJob) => Promise<void> {
  return async (job) => {
    const { blocklistId, run } = readBlocklistJob(job);
    const at = ctx.clock.now();
    await ctx.db.transaction(async (tx) => {
      const list = await lockBlocklistOfJob(tx, blocklistId);
      const round =
        list && isCurrentRun(list.state, run) && list.crmListId !== null ? roundStarted(list.state, { at }) : null;
      if (!list || round === null) {
        await finish(tx, job);
        return;
      }
      // Switched off: the rounds continue when it is on again.
      if (!list.connection.canBlockList) {
        await defer(tx, job, { dueAt: nextRoundAt(at, list.everyMinutes) });
        return;
      }
      await finish(tx, job);
      await setBlocklistState(tx, list.id, round.state);
      await enqueue(tx, fetchBlocklistJob({ id: list.id, connectionId: list.connection.id, run }, round.mode, at));
    });
    ctx.wakeWorkers();
  };
}
