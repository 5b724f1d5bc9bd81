import type { Connection } from '@svc/contract/types';
import type { ApiPromise } from '../calls/call.ts';
import type { CallOptions } from '../http/fetch.ts';
import type { Operations } from './operations.ts';
import { createShapeCheck } from '../calls/shape.ts';

/** CRMs that the account is connected to. */
export interface ConnectionsResource {
  /** All CRM connections the key can reach; not paged (specification, "Connection"). */
  list(options?: CallOptions): ApiPromise<{ connections: Connection[] }>;
}

const findFault = createShapeCheck<{ connections: Connection[] }>({ connections: 'objects' });

export function createConnectionsResource({ get }: Operations): ConnectionsResource {
  return { list: get('/api/v1/connections', findFault) };
}
