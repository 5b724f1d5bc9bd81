import type { Connection } from '@svc/contract/types';
import type { ApiPromise } from '../calls/call.ts';
import type { CallOptions } from '../http/send-with-retries.ts';
import type { Operations } from './operations.ts';
import { createShapeCheck } from '../calls/shape.ts';

/** Connections of the account to CRMs. */
export interface ConnectionsResource {
  /** Lists all CRM connections that the key can access; not paged. */
  list(options?: CallOptions): ApiPromise<{ connections: Connection[] }>;
}

const findFault = createShapeCheck<{ connections: Connection[] }>({ connections: 'objects' });

export function createConnectionsResource({ get }: Operations): ConnectionsResource {
  return { list: get('/api/v1/connections', findFault) };
}
