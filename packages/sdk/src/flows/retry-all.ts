/** Retries of everything that failed in a range (specification, "Write actions"), of what can be retried and needs it. */
import { PROFILE_URL_CRMS } from '@svc/contract/vocabulary';
import type { Connection, Sync } from '@svc/contract/types';
import type * as errors from '../errors/errors.ts';
import type { RetryAllSummary, RetrySkipReason } from '../errors/retry-all-summary.ts';
import type { CallOptions } from '../http/fetch.ts';
import type { RangeParams } from '../lists/log-list.ts';

/** Whose failed syncs to retry, and how. */
export interface RetryAllParams extends RangeParams {
  /** Unknown or out of reach: `NotFoundError`. */
  sourceId?: number | undefined;
  /** Out of reach: nothing is found. */
  connectionId?: number | undefined;
  /**
   * Looks at failed syncs only, which takes fewer requests, and retries also what has succeeded since. A retry writes to the
   * CRM again, and changes nothing there that is right already. Default false.
   */
  includesRecovered?: boolean | undefined;
  /** Retries nothing; what would be is in `queued`. Default false. */
  dryRun?: boolean | undefined;
  /** Told after each failed sync. */
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
}

/** @param tools handed over, so that this file shares nothing with the core and can be loaded by itself */
export async function retryAll(
  { syncs, connections, errors }: RetryAllTools,
  params: RetryAllParams,
  options?: CallOptions,
): Promise<RetryAllSummary> {
  const { includesRecovered = false, dryRun = false, onProgress, ...filters } = params;
  let found = 0;
  const queued: number[] = [];
  const skipped: { id: number; reason: RetrySkipReason }[] = [];
  const refused: { id: number; status: number; message: string }[] = [];
  const summary = (): RetryAllSummary => ({ found, queued: [...queued], skipped: [...skipped], refused: [...refused] });
  /** Newest first, so the first sync of an event tells how it stands now. */
  const stands = new Map<string, RetrySkipReason>();
  try {
    const { connections: all } = await connections.list(options);
    // Retry is for the same two CRMs that profile URLs are filled in for.
    const canRetry = new Set(
      all.filter(({ crm }) => PROFILE_URL_CRMS.some((each) => each === crm)).map(({ id }) => id),
    );
    const list = syncs.list({ ...filters, ...(includesRecovered ? { status: 'error' } : {}) }, options);
    for await (const sync of list) {
      const key = eventOf(sync);
      const known = stands.get(key);
      if (known === undefined) stands.set(key, sync.status === 'error' ? 'superseded' : 'recovered');
      if (sync.status !== 'error') continue;
      found += 1;
      const reason = canRetry.has(sync.connectionId) ? known : 'crm';
      if (reason !== undefined) skipped.push({ id: sync.id, reason });
      else if (dryRun) queued.push(sync.id);
      else await retryOne(sync.id);
      onProgress?.(summary());
    }
  } catch (error) {
    if (error instanceof errors.SvcError) error.summary = summary();
    throw error;
  }
  return summary();

  async function retryOne(id: number): Promise<void> {
    try {
      await syncs.retry(id, options);
      queued.push(id);
    } catch (error) {
      const isRefusal = error instanceof errors.ConflictError || error instanceof errors.NotFoundError;
      if (!isRefusal) throw error;
      refused.push({ id, status: error.status, message: error.message });
    }
  }
}

/** Syncs of one event have these in common; without a payload each is an event of its own. */
function eventOf({ id, payloadId, connectionId, eventType, toEmail }: Sync): string {
  return payloadId === null ? String(id) : JSON.stringify([payloadId, connectionId, eventType, toEmail]);
}
