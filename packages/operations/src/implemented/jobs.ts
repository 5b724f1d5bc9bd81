import { listSetAside, retrySetAside } from '@svc/engine/queue/set-aside';
import * as declared from '../declared/jobs.ts';
import { implement } from './operation.ts';

export const listSetAsideJobs = implement(declared.listJobs, async (ctx, { kind = null, limit }) => ({
  jobs: await listSetAside(ctx.db, { kind, limit }),
}));

export const retrySetAsideJobs = implement(declared.retryJobs, async (ctx, { kind = null }) => ({
  retried: await retrySetAside(ctx.db, { kind, now: ctx.clock.now() }),
}));
