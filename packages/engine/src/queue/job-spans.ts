/** The spans of jobs. Nothing here does anything while no trace is recorded. */
import { type OpenSpan, runInSpan, type Tracing } from '../runtime/tracing.ts';
import { type ClaimedJob, TRACEPARENT } from './queue.ts';

/** When the claim of a batch began and ended, in `spanTime()`. */
export interface ClaimTimes {
  startedAt: number;
  endedAt: number;
}

const FAILED = 'failed';

/**
 * Runs jobs that were claimed together in one span. It continues the first trace among them. Each other trace gets a span of
 * the job too, linked in both directions, so that every event's own trace is complete, and the statements and calls of the
 * batch are one step away.
 */
export async function inJobSpans(
  tracing: Tracing,
  jobs: readonly ClaimedJob[],
  claim: ClaimTimes,
  work: () => Promise<void>,
): Promise<void> {
  const spans = beginSpans(tracing, jobs, claim);
  try {
    await runInSpan(spans[0], work);
  } finally {
    for (const job of jobs) job.span?.set('svc.job.result', job.result ?? FAILED);
    const failed = new Set(jobs.filter(({ result }) => result === undefined).map((job) => job.span));
    for (const span of spans.toReversed()) span.end(failed.has(span) ? FAILED : undefined);
  }
}

function beginSpans(tracing: Tracing, jobs: readonly ClaimedJob[], claim: ClaimTimes): OpenSpan[] {
  const traced = jobs.flatMap((job) => {
    const parent = job.state[TRACEPARENT];
    return typeof parent === 'string' ? [{ job, parent }] : [];
  });
  const [lead, ...others] = traced;
  const start = {
    name: `job ${jobs[0]?.kind}`,
    kind: 'consumer',
    attributes: { 'svc.job.count': jobs.length },
  } as const;
  if (lead !== undefined) {
    const { startedAt } = claim;
    tracing.begin({ name: 'claim', kind: 'client', parent: lead.parent, startedAt })?.end(undefined, claim.endedAt);
  }
  const batch = tracing.begin({ ...start, parent: lead?.parent, links: others.map(({ parent }) => parent) });
  if (batch === null) return [];
  // A batch of which no job follows from a trace is a trace of its own.
  for (const job of lead === undefined ? jobs : [lead.job]) job.span = batch;
  const links = [batch.traceparent];
  return [
    batch,
    ...others.flatMap(({ job, parent }) => {
      const span = tracing.begin({ ...start, parent, links });
      if (span !== null) job.span = span;
      return span ?? [];
    }),
  ];
}
