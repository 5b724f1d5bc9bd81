import type { AccountStatusResponse } from '@svc/contract/types';
import type { ApiPromise, CallContext } from '../call.ts';
import type { CallOptions } from '../fetch.ts';
import { hasShape } from '../shape.ts';

export interface AccountResource {
  /**
   * Whether the pipeline can sync, per connection, with blockers and warnings (specification, "Account
   * status"). "Not ready" is an answer, not an error.
   */
  status(options?: CallOptions): ApiPromise<AccountStatusResponse>;
}

const findFault = hasShape<AccountStatusResponse>({
  ready: 'boolean',
  connections: 'objects',
  blockers: 'objects',
  warnings: 'objects',
});

export function createAccountResource({ raw, call }: CallContext): AccountResource {
  return {
    status: (options) => call(options, (init) => raw.GET('/api/v1/account/status', init), findFault),
  };
}
