import type { ReplyRelay } from '@svc/contract/types';
import type { ApiPromise } from '../calls/call.ts';
import type { CallOptions } from '../http/send-with-retries.ts';
import type { Operations } from './operations.ts';
import { createShapeCheck } from '../calls/shape.ts';

/** Reply relays, which copy sales reps on the replies of prospects. */
export interface ReplyRelaysResource {
  /** Lists all reply relays that the key can access; not paged. */
  list(options?: CallOptions): ApiPromise<{ replyRelays: ReplyRelay[] }>;
}

const findFault = createShapeCheck<{ replyRelays: ReplyRelay[] }>({ replyRelays: 'objects' });

export function createReplyRelaysResource({ get }: Operations): ReplyRelaysResource {
  return { list: get('/api/v1/destinations/reply-relays', findFault) };
}
