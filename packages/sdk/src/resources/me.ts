import type { MeResponse } from '@svc/contract/types';
import type { ApiPromise } from '../call.ts';
import type { CallOptions } from '../fetch.ts';
import type { Operations } from '../operations.ts';
import { hasShape } from '../shape.ts';

/** The key itself. */
export interface MeResource {
  /** The key's account, scopes and connections (specification, "Identity"). */
  get(options?: CallOptions): ApiPromise<MeResponse>;
}

const findFault = hasShape<MeResponse>({ account: 'object', apiKey: 'object', connections: 'objects' });

export function createMeResource({ get }: Operations): MeResource {
  return { get: get('/api/v1/me', findFault) };
}
