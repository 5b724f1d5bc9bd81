import type { Blocklist, BlocklistPaused, BlocklistResyncQueued } from '@svc/contract/types';
import type { ApiPromise, CallContext } from '../calls/call.ts';
import { AbortError, ConfigurationError, ConflictError, SvcError } from '../errors/errors.ts';
import type { CallOptions } from '../http/send-with-retries.ts';
import type { Operations } from './operations.ts';
import type { ResyncAndWaitOptions, ResyncResult } from '../flows/resync-and-wait.ts';
import { createShapeCheck } from '../calls/shape.ts';

/** Filters of `blocklists.list`. */
export interface BlocklistListParams {
  /** Only of this connection; no rows when it is not accessible. */
  connectionId?: number | undefined;
}

/** Block lists of sequencers, which are synced with lists in the CRM. */
export interface BlocklistsResource {
  /** Lists block lists with the state of their pipelines; not paged. */
  list(params?: BlocklistListParams, options?: CallOptions): ApiPromise<{ blocklists: Blocklist[] }>;
  /**
   * Stops the service's own pipeline; the sequencer keeps its entries. Pausing a paused list succeeds too. Needs a key with write
   * scope.
   *
   * @throws NotFoundError when it does not exist or is not accessible, PermissionError without write scope
   */
  pause(id: number, options?: CallOptions): ApiPromise<BlocklistPaused>;
  /**
   * Enables the list and queues a resync, which fetches and pushes everything again. Needs a key
   * with write scope. `resyncAndWait` also waits for the end.
   *
   * @throws ConflictError while a resync is running, and for a list without a CRM source
   * @throws PermissionError without write scope, or when block lists are not enabled
   */
  resync(id: number, options?: CallOptions): ApiPromise<BlocklistResyncQueued>;
  /**
   * Resyncs the list and polls it until it has ended (README.md#flows-of-several-calls).
   *
   * @returns how it ended; an outcome other than `synced` is not thrown
   * @throws the errors of `resync`, except for a running resync, and the errors of a failed poll
   * @example
   * const { outcome, blocklist } = await client.blocklists.resyncAndWait(7, { timeoutMs: 600_000 });
   */
  resyncAndWait(id: number, options?: ResyncAndWaitOptions): Promise<ResyncResult>;
}

const findListFault = createShapeCheck<{ blocklists: Blocklist[] }>({ blocklists: 'objects' });
const findStateFault = createShapeCheck<Pick<Blocklist, 'id' | 'isEnabled'>>({ id: 'number', isEnabled: 'boolean' });

export function createBlocklistsResource({ one, send }: Operations, context: CallContext): BlocklistsResource {
  const resource: BlocklistsResource = {
    list: (query, options) => send('GET', '/api/v1/blocklists', options, findListFault, () => ({ query })),
    pause: one<BlocklistPaused, number>('POST', '/api/v1/blocklists/{id}/pause', findStateFault),
    resync: one<BlocklistResyncQueued, number>('POST', '/api/v1/blocklists/{id}/resync', findStateFault),
    resyncAndWait: async (id, options = {}) => {
      // Loaded on demand, to keep the core small.
      const { resyncAndWait } = await import('../flows/resync-and-wait.ts');
      return resyncAndWait(
        { ...context, errors: { AbortError, ConfigurationError, ConflictError, SvcError } },
        resource,
        id,
        options,
      );
    },
  };
  return resource;
}
