import type { AccountMetrics, AccountStatusResponse } from '@svc/contract/types';
import type { ApiPromise } from '../calls/call.ts';
import type { CallOptions } from '../http/send-with-retries.ts';
import type { Operations } from './operations.ts';
import type { RangeParams } from '../lists/log-list.ts';
import { createShapeCheck } from '../calls/shape.ts';

/** Filters of `account.metrics`, and a range of at most 31 days. */
export interface AccountMetricsParams extends RangeParams {
  /** Only of this connection; all counts are 0 when it is not accessible. */
  connectionId?: number | undefined;
  /** Only of this source; `NotFoundError` when it does not exist or is not accessible. */
  sourceId?: number | undefined;
}

/** The key's account as a whole. */
export interface AccountResource {
  /**
   * Returns whether the pipeline can sync, per connection, with blockers and warnings. "Not ready" is an answer, not an error.
   */
  status(options?: CallOptions): ApiPromise<AccountStatusResponse>;
  /**
   * Returns counts of requests, syncs and deliveries over at most 31 days (README.md#lists).
   *
   * @throws BadRequestError for a longer range, NotFoundError for a source that does not exist or is not accessible
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
