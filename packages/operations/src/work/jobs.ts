import { listSetAside, retrySetAside } from '@svc/engine/queue/set-aside';
import * as declared from '../declared/jobs.ts';
import { implement } from './operation.ts';

/** Returns jobs that were set aside, the oldest of each kind first. */
export const listSetAsideJobs = implement(declared.listJobs, async (ctx, { kind: only = null, limit }) => {
  const jobs = await listSetAside(ctx.db, { kind: only, limit });
  return { jobs: jobs.map(({ setAsideAt, ...job }) => ({ ...job, setAsideAt: setAsideAt.toISOString() })) };
});

/** Runs jobs again that were set aside. */
export const retrySetAsideJobs = implement(declared.retryJobs, async (ctx, { kind: only = null }) => {
  return { retried: await retrySetAside(ctx.db, { kind: only, now: ctx.clock.now() }) };
});
