/** A part of node-redis. */
declare const redis: {
  set(key: string, value: string, options: { readonly NX?: true; readonly EX: number }): Promise<string | null>;
  get(key: string): Promise<string | null>;
  del(key: string): Promise<number>;
};

// Example of the README:
import type { SeenStore } from '@svc/sdk/webhooks';

const seen: SeenStore = {
  // Claims expire, so that the event of a crashed process is handled when it is sent again.
  claim: async (id) => {
    if (await redis.set(`svc:${id}`, 'busy', { NX: true, EX: 60 })) return 'claimed';
    return (await redis.get(`svc:${id}`)) === 'done' ? 'done' : 'busy';
  },
  complete: (id) => redis.set(`svc:${id}`, 'done', { EX: 604_800 }),
  release: (id) => redis.del(`svc:${id}`),
};
// End of the example.
export { seen };
