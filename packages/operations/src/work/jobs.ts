import * as z from 'zod';
import { listSetAside, retrySetAside } from '@svc/engine/queue/set-aside';
import { adminOperation } from './operation.ts';

const LIMIT_MAX = 10_000;
const kind = z.string().min(1, 'must name a kind of job, such as write-crm').optional();

const filter = z.strictObject({
  kind,
  limit: z.int('must be a whole number').min(1).max(LIMIT_MAX).default(100),
});

/** Returns jobs that were set aside, the oldest of each kind first. */
export const listSetAsideJobs = adminOperation(filter, async (ctx, { kind: only = null, limit }) => {
  const jobs = await listSetAside(ctx.db, { kind: only, limit });
  return { jobs: jobs.map(({ setAsideAt, ...job }) => ({ ...job, setAsideAt: setAsideAt.toISOString() })) };
});

/** Runs jobs again that were set aside. */
export const retrySetAsideJobs = adminOperation(z.strictObject({ kind }), async (ctx, { kind: only = null }) => {
  return { retried: await retrySetAside(ctx.db, { kind: only, now: ctx.clock.now() }) };
});
