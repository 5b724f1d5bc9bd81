import type { Blocklist, BlocklistPaused, BlocklistResyncQueued } from '@svc/contract/types';
import type { ApiPromise, CallContext } from '../calls/call.ts';
import { AbortError, ConfigurationError, ConflictError, SvcError } from '../errors/errors.ts';
import type { CallOptions } from '../http/fetch.ts';
import type { Operations } from './operations.ts';
import type { ResyncAndWaitOptions, ResyncResult } from '../flows/resync-and-wait.ts';
import { createShapeCheck } from '../calls/shape.ts';

/** Which block lists. */
export interface BlocklistListParams {
  /** Out of reach: no rows. */
  connectionId?: number | undefined;
}

/** Block lists of sequencers, kept in step with lists in the CRM. */
export interface BlocklistsResource {
  /** Block lists, with where their pipeline stands; not paged (specification, "Blocklist"). */
  list(params?: BlocklistListParams, options?: CallOptions): ApiPromise<{ blocklists: Blocklist[] }>;
  /**
   * Stops the service's own pipeline; what the sequencer has stays. Pausing a paused list is a success too. Needs a key with
   * write scope.
   *
   * @throws NotFoundError when it is missing or not within reach, PermissionError without write scope
   */
  pause(id: number, options?: CallOptions): ApiPromise<BlocklistPaused>;
  /**
   * Enables the list and has everything fetched and pushed anew (specification, "Write actions"). Needs a key with write
   * scope. To see it through: `resyncAndWait`.
   *
   * @throws ConflictError while one is under way, and for a list without a CRM source
   * @throws PermissionError without write scope, or where block lists are not enabled
   */
  resync(id: number, options?: CallOptions): ApiPromise<BlocklistResyncQueued>;
  /**
   * The flow that the specification recommends for schedules: resync, then look until the list is at rest.
   *
   * @returns how it ended; to leave FETCHING and SYNCING alone is not yet a success
   * @throws what `resync` throws, but for a resync that is under way; a failed look ends the wait as a failed call does
   * @example
   * const { outcome, blocklist } = await client.blocklists.resyncAndWait(7, { timeoutMs: 600_000 });
   */
  resyncAndWait(id: number, options?: ResyncAndWaitOptions): Promise<ResyncResult>;
}

const findListFault = createShapeCheck<{ blocklists: Blocklist[] }>({ blocklists: 'objects' });

export function createBlocklistsResource({ one, send }: Operations, context: CallContext): BlocklistsResource {
  const resource: BlocklistsResource = {
    list: (query, options) => send('GET', '/api/v1/blocklists', options, findListFault, () => ({ query })),
    pause: one('POST', '/api/v1/blocklists/{id}/pause'),
    resync: one('POST', '/api/v1/blocklists/{id}/resync'),
    resyncAndWait: async (id, options = {}) => {
      // Loaded when it is called: the core stays small for those who never do.
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
