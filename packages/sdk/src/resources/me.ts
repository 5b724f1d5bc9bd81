import type { MeResponse } from '@svc/contract/types';
import type { ApiPromise } from '../calls/call.ts';
import type { CallOptions } from '../http/send-with-retries.ts';
import type { Operations } from './operations.ts';
import { createShapeCheck } from '../calls/shape.ts';

/** The API key of the client. */
export interface MeResource {
  /** Returns the key's account, scopes and connections. */
  get(options?: CallOptions): ApiPromise<MeResponse>;
}

const findFault = createShapeCheck<MeResponse>({ account: 'object', apiKey: 'object', connections: 'objects' });

export function createMeResource({ get }: Operations): MeResource {
  return { get: get('/api/v1/me', findFault) };
}
