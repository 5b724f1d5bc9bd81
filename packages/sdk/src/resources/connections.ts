import type { Connection } from '@svc/contract/types';
import type { ApiPromise, CallContext } from '../call.ts';
import type { CallOptions } from '../fetch.ts';
import { hasShape } from '../shape.ts';

export interface ConnectionsResource {
  /** All CRM connections the key can reach; not paged (specification, "Connection"). */
  list(options?: CallOptions): ApiPromise<{ connections: Connection[] }>;
}

const findFault = hasShape<{ connections: Connection[] }>({ connections: 'objects' });

export function createConnectionsResource({ raw, call }: CallContext): ConnectionsResource {
  return {
    list: (options) => call(options, (init) => raw.GET('/api/v1/connections', init), findFault),
  };
}
