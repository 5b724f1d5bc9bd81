/** Retries the failed syncs of a range that need it and can be retried. */
import { RETRYABLE_CRMS } from '@svc/contract/vocabulary';
import type { Connection, Sync } from '@svc/contract/types';
import { toEventKey } from '@svc/domain/values/event-key';
import type * as errors from '../errors/errors.ts';
import type { RetryAllSummary, RetrySkipReason } from '../errors/retry-all-summary.ts';
import type { CallOptions } from '../http/send-with-retries.ts';
import type { RangeParams } from '../lists/log-list.ts';

/** Options of `syncs.retryAll`. */
export interface RetryAllParams extends RangeParams {
  /** Retries only syncs of this source; `NotFoundError` when it does not exist or is not accessible. */
  sourceId?: number | undefined;
  /** Retries only syncs of this connection; none when it is not accessible. */
  connectionId?: number | undefined;
  /**
   * Also retries failed syncs whose event has been written since. This takes fewer requests, because only failed syncs are read;
   * the CRM gets the same data again. Default false.
   */
  includesRecovered?: boolean | undefined;
  /** Retries nothing; `queued` holds what would be retried. Default false. */
  dryRun?: boolean | undefined;
  /** Called after each retry that was queued, with the failed sync. */
  onQueued?: ((sync: Sync) => void) | undefined;
  /** Called after each failed sync. */
  onProgress?: ((summary: RetryAllSummary) => void) | undefined;
}

type SyncFilters = Pick<RetryAllParams, 'from' | 'to' | 'sourceId' | 'connectionId'> & { status?: 'error' };

export interface RetryAllTools {
  readonly syncs: {
    list(params: SyncFilters, options?: CallOptions): AsyncIterable<Sync>;
    retry(id: number, options?: CallOptions): Promise<unknown>;
  };
  readonly connections: { list(options?: CallOptions): Promise<{ connections: Connection[] }> };
  readonly errors: Pick<typeof errors, 'ConflictError' | 'NotFoundError' | 'SvcError'>;
  readonly now: () => number;
  /** Returns NaN for what is not an instant. */
  readonly parseInstantMs: (text: string) => number;
}

/** @param tools passed in, so that this file imports nothing of the core and can be loaded on demand */
export async function retryAll(
  { syncs, connections, errors, now, parseInstantMs }: RetryAllTools,
  params: RetryAllParams,
  options?: CallOptions,
): Promise<RetryAllSummary> {
  const { includesRecovered = false, dryRun = false, onQueued, onProgress, ...filters } = params;
  let found = 0;
  const queued: number[] = [];
  const skipped: { id: number; reason: RetrySkipReason }[] = [];
  const refused: { id: number; status: number; message: string }[] = [];
  const summary = (): RetryAllSummary => ({ found, queued: [...queued], skipped: [...skipped], refused: [...refused] });
  /** Why older syncs of an event are skipped. The list is newest first, so the first sync of an event decides. */
  const skipReasons = new Map<string, RetrySkipReason>();
  try {
    const { connections: all } = await connections.list(options);
    const canRetry = new Set(all.filter(({ crm }) => RETRYABLE_CRMS.some((each) => each === crm)).map(({ id }) => id));
    const toMs = toInstantMs(filters.to);
    // An event may have been written after the end. Ranges that the service refuses stay as they are.
    const isEarlier = toInstantMs(filters.from) <= toMs && toMs < now();
    const list = syncs.list(
      { ...filters, ...(includesRecovered ? { status: 'error' } : isEarlier ? { to: undefined } : {}) },
      options,
    );
    for await (const sync of list) {
      const key = toEventKey(sync);
      const skipReason = skipReasons.get(key);
      // A failure after the end is not retried instead.
      if (sync.status === 'error' && Date.parse(sync.createdAt) > toMs) continue;
      if (skipReason === undefined) skipReasons.set(key, sync.status === 'error' ? 'superseded' : 'recovered');
      if (sync.status !== 'error') continue;
      found += 1;
      const reason = canRetry.has(sync.connectionId) ? skipReason : 'crm';
      if (reason !== undefined) skipped.push({ id: sync.id, reason });
      else if (dryRun) queued.push(sync.id);
      else await retryOne(sync);
      onProgress?.(summary());
    }
  } catch (error) {
    if (error instanceof errors.SvcError) error.summary = summary();
    throw error;
  }
  return summary();

  function toInstantMs(end: string | Date = ''): number {
    return end instanceof Date ? end.getTime() : parseInstantMs(end);
  }

  async function retryOne(sync: Sync): Promise<void> {
    const { id } = sync;
    try {
      await syncs.retry(id, options);
      queued.push(id);
      onQueued?.(sync);
    } catch (error) {
      const isRefusal = error instanceof errors.ConflictError || error instanceof errors.NotFoundError;
      if (!isRefusal) throw error;
      refused.push({ id, status: error.status, message: error.message });
    }
  }
}
