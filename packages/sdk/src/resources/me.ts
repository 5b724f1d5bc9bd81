import type { MeResponse } from '@svc/contract/types';
import type { ApiPromise, CallContext } from '../call.ts';
import type { CallOptions } from '../fetch.ts';
import { hasShape } from '../shape.ts';

export interface MeResource {
  /** The key's account, scopes and connections (specification, "Identity"). */
  get(options?: CallOptions): ApiPromise<MeResponse>;
}

const findFault = hasShape<MeResponse>({ account: 'object', apiKey: 'object', connections: 'objects' });

export function createMeResource({ raw, call }: CallContext): MeResource {
  return {
    get: (options) => call(options, (init) => raw.GET('/api/v1/me', init), findFault),
  };
}
