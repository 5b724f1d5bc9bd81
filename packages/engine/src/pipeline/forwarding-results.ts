/** Stores the results of posts to destinations, of forwarding and replay alike. */
import { type ForwardingAttempt, forwardingOutcome } from '@svc/domain/forwarding/forwarding';
import type { Context } from '../context.ts';
import { type JobEnd, noteJobEnd } from '../queue/job-ends.ts';
import { createBatcher } from '../store/database/batcher.ts';
import type { DeliverySubject } from '../store/deliveries.ts';
import { type ForwardingResult, insertDeliveries } from './forwarding-results.sql.ts';

/** Adds the delivery of an attempt and ends its job. */
export type RecordAttempt = (
  subject: DeliverySubject,
  attempt: ForwardingAttempt & { at: Date },
  end: JobEnd,
) => Promise<void>;

/**
 * Returns a function that stores attempts that end at the same time together.
 *
 * It throws `LeaseLostError` when the job is no longer held; nothing is stored then.
 */
export function createAttemptRecorder(ctx: Pick<Context, 'db' | 'metrics'>): RecordAttempt {
  const insert = createBatcher<ForwardingResult, boolean>({ run: (results) => insertDeliveries(ctx.db, results) });
  return async (subject, { at, ...attempt }, end) => {
    const outcome = forwardingOutcome(attempt);
    noteJobEnd(end, await insert({ end, subject, outcome, at }));
    ctx.metrics.forwardingDeliveries.inc({ status: outcome.status });
  };
}
