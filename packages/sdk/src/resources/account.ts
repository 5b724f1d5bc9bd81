import type { AccountMetrics, AccountStatusResponse } from '@svc/contract/types';
import type { ApiPromise } from '../calls/call.ts';
import type { CallOptions } from '../http/fetch.ts';
import type { Operations } from './operations.ts';
import type { RangeParams } from '../lists/log-list.ts';
import { createShapeCheck } from '../calls/shape.ts';

/** A range of at most 31 days, and what to count. */
export interface AccountMetricsParams extends RangeParams {
  /** Out of reach: zeros. */
  connectionId?: number | undefined;
  /** Unknown or out of reach: `NotFoundError`. */
  sourceId?: number | undefined;
}

/** The key's account as a whole. */
export interface AccountResource {
  /**
   * Whether the pipeline can sync, per connection, with blockers and warnings (specification, "Account
   * status"). "Not ready" is an answer, not an error.
   */
  status(options?: CallOptions): ApiPromise<AccountStatusResponse>;
  /**
   * Counts of requests, syncs and deliveries over at most 31 days (specification, "Observability").
   *
   * @throws BadRequestError for a longer range, NotFoundError for a source that is not within reach
   */
  metrics(params: AccountMetricsParams, options?: CallOptions): ApiPromise<AccountMetrics>;
}

const findStatusFault = createShapeCheck<AccountStatusResponse>({
  ready: 'boolean',
  connections: 'objects',
  blockers: 'objects',
  warnings: 'objects',
});

export function createAccountResource({ get, metrics }: Operations): AccountResource {
  return {
    status: get('/api/v1/account/status', findStatusFault),
    metrics: metrics('/api/v1/account/metrics'),
  };
}
