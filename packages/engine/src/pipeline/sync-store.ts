/** Reads the events and stores the syncs of all jobs that write to CRMs in one process, those of several connections together. */
import type { Context } from '../context.ts';
import { settle } from '../queue/job-batches.ts';
import { type EventToWrite, listEventsToWrite } from '../store/sync-attempts.ts';
import { createBatcher } from '../store/database/batcher.ts';
import { hasOnlySuccesses, storeSuccesses } from './sync-successes.ts';
import { afterStored, applyResults, type ConnectionResults, type StoredResults } from './sync-results.ts';

export interface SyncStore {
  readonly ctx: Context;
  /** Returns events by id, in the order in which they were received. Those that no longer exist are left out. */
  readEvents(eventIds: readonly number[]): Promise<ReadonlyMap<number, EventToWrite>>;
  /** Stores the results of a batch, then logs, counts and wakes. */
  storeResults(results: ConnectionResults): Promise<void>;
}

/** Batches of different connections that share statements: as many as there are workers. */
const CONNECTIONS_AT_ONCE = 16;

/** Creates a store of syncs. With many connections, their small batches share statements and commits. */
export function createSyncStore(ctx: Context): SyncStore {
  const read = createBatcher<readonly number[], ReadonlyMap<number, EventToWrite>>({
    itemsMax: CONNECTIONS_AT_ONCE,
    run: async (requests) => {
      const events = await listEventsToWrite(ctx.db, requests.flat());
      return requests.map((ids) => {
        const wanted = new Set(ids);
        return new Map([...events].filter(([id]) => wanted.has(id)));
      });
    },
  });
  const store = createBatcher({
    itemsMax: CONNECTIONS_AT_ONCE,
    run: (groups: readonly ConnectionResults[]) => storeResults(ctx, groups),
  });
  return {
    ctx,
    readEvents: read,
    async storeResults(results) {
      if (results.results.length > 0) await afterStored(ctx, results.connection, await store(results));
    },
  };
}

/** Stores results of different connections, all or none. Returns one entry per batch, in order. */
async function storeResults(ctx: Context, batches: readonly ConnectionResults[]): Promise<StoredResults[]> {
  const results = batches.flatMap((batch) => batch.results);
  const held = batches.every(hasOnlySuccesses) ? await storeSuccesses(ctx.db, results, ctx.clock.now()) : null;
  if (held !== null) {
    return batches.map((batch) => {
      const recorded = batch.results.filter((result) => held.has(result));
      return { recorded, hasEvent: false, endedOutage: null, disconnectedBy: null, firstFailedAt: null };
    });
  }
  const jobs = results.map(({ write }) => write.job);
  return settle(ctx.db, jobs, (tx) => applyResults(ctx, tx, batches));
}
