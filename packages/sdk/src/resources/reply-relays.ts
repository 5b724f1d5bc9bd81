import type { ReplyRelay } from '@svc/contract/types';
import type { ApiPromise } from '../call.ts';
import type { CallOptions } from '../fetch.ts';
import type { Operations } from '../operations.ts';
import { hasShape } from '../shape.ts';

/** What copies sales reps on the replies of prospects. */
export interface ReplyRelaysResource {
  /** All reply relays the key can reach; not paged (specification, "Reply relay"). */
  list(options?: CallOptions): ApiPromise<{ replyRelays: ReplyRelay[] }>;
}

const findFault = hasShape<{ replyRelays: ReplyRelay[] }>({ replyRelays: 'objects' });

export function createReplyRelaysResource({ get }: Operations): ReplyRelaysResource {
  return { list: get('/api/v1/destinations/reply-relays', findFault) };
}
