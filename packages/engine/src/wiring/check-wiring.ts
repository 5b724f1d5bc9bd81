/**
 * The daily look at the webhooks that `sources connect` registered. It only reports: operators mend with the same command. The job exists
 * as long as the wiring of its source, and puts itself off to the next day with the result.
 */
import type { Context } from '../context.ts';
import { CHECK_WIRING, composeRef, fairnessKeys, parseRef } from '../jobs/kinds.ts';
import { type ClaimedJob, defer, finish, type NewJob } from '../queue/queue.ts';
import { listWiringWork, storeWiringCheck, type WiringWork } from '../store/source-wirings.ts';
import { checkWiring } from './wiring.ts';

const DAY_MS = 24 * 60 * 60_000;
/** After a sequencer did not answer. */
const RETRY_MS = 60 * 60_000;

/** Returns the job that looks for the first time a day after the connection. */
export function checkWiringJob(
  { sourceId, connectionId }: Pick<WiringWork, 'sourceId' | 'connectionId'>,
  now: Date,
): NewJob {
  return {
    kind: CHECK_WIRING,
    ref: composeRef(sourceId),
    fairnessKey: fairnessKeys.connection(connectionId),
    dueAt: new Date(now.getTime() + DAY_MS),
    createdAt: now,
  };
}

export function createCheckWiringHandler(ctx: Context): (job: ClaimedJob) => Promise<void> {
  return async (job) => {
    const [wiring] = await listWiringWork(ctx.db, { sourceId: parseRef(job).subjectId });
    if (wiring === undefined) return await finish(ctx.db, job);
    const verdict = await checkWiring(ctx, wiring);
    const at = ctx.clock.now();
    if (verdict.status === 'unknown') {
      return await defer(ctx.db, job, { dueAt: new Date(at.getTime() + RETRY_MS), error: verdict.reason });
    }
    if (verdict.error !== null && verdict.error !== wiring.error) {
      ctx.log.warn({ sourceId: wiring.sourceId, problem: verdict.error }, 'the webhook of a source differs');
    }
    await ctx.db.transaction(async (tx) => {
      // First, so that a worker without its lease changes nothing.
      await defer(tx, job, { dueAt: new Date(at.getTime() + DAY_MS) });
      await storeWiringCheck(tx, wiring, { at, error: verdict.error });
    });
  };
}
