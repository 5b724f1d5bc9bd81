/** The trace of a job: kept by every way to defer it, and handed on only on purpose. */
import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { backends } from '../../test/support/backends.ts';
import { readConfig } from '../config/config.ts';
import { createOtlpTracing } from '../runtime/otlp-tracing.ts';
import { noTracing, type OpenSpan, runInSpan, type SpanStart, type Tracing } from '../runtime/tracing.ts';
import type { Database } from '../store/database/db.ts';
import { claim } from './claims.ts';
import { deferAll } from './job-batches.ts';
import { endJobs } from './job-ends.ts';
import { inJobSpans } from './job-spans.ts';
import { type ClaimedJob, defer, enqueue, type NewJob, saveProgress } from './queue.ts';

const START = new Date('2026-03-01T00:00:00Z');
const TRACE = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
const later = new Date(START.getTime() + 1_000);

const newJob = (ref: string, more: Partial<NewJob> = {}): NewJob => ({
  kind: 'work',
  ref,
  fairnessKey: ref,
  dueAt: START,
  createdAt: START,
  ...more,
});

let tracing: Tracing;
beforeAll(() => {
  const { telemetry } = readConfig({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector.example' });
  if (telemetry === null) throw new Error('Nothing is traced.');
  const fetch = async () => new Response('{}');
  tracing = createOtlpTracing(telemetry, { log: pino({ level: 'silent' }), fetch });
});
afterAll(() => tracing.stop());

const begin = (kind: SpanStart['kind']): OpenSpan => {
  const span = tracing.begin({ name: 'test', kind });
  if (span === null) throw new Error('not sampled');
  return span;
};

describe.each(backends)('traces of jobs on $name', ({ isAvailable, open }) => {
  describe.skipIf(!isAvailable)('in the queue', () => {
    let db: Database;
    beforeAll(async () => {
      db = await open();
    });
    afterAll(() => db.close());
    beforeEach(() => db.query('truncate jobs, job_owners'));

    const claimAll = async (at: Date): Promise<ClaimedJob[]> => {
      const leaseUntil = new Date(at.getTime() + 60_000);
      const jobs = await claim(db, { now: at, kinds: ['work'], limit: 100, leaseUntil });
      return jobs.toSorted((one, other) => (one.ref < other.ref ? -1 : 1));
    };
    const states = async () => {
      const { rows } = await db.query<{ state: object }>('select state from jobs order by ref');
      return rows.map(({ state }) => state);
    };

    test('a job that is deferred keeps its trace, with and without a new state', async () => {
      const refs = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];
      await enqueue(db, ...refs.map((ref) => newJob(ref, { trace: TRACE, state: { tries: 0 } })));
      const [a, b, c, d, e, f, g] = await claimAll(START);
      if (!a || !b || !c || !d || !e || !f || !g) throw new Error('seven jobs were due');
      const state = { tries: 1 };
      await defer(db, a, { dueAt: later, state });
      await defer(db, b, { dueAt: later });
      await db.transaction((tx) =>
        deferAll(tx, [
          { job: c, dueAt: later, state },
          { job: d, dueAt: later },
        ]),
      );
      await endJobs(db, [
        { job: e, dueAt: later, state },
        { job: f, dueAt: later },
      ]);
      await saveProgress(db, g, state);
      const [old, changed] = [0, 1].map((tries) => ({ tries, traceparent: TRACE }));
      expect(await states()).toEqual([changed, old, changed, old, changed, old, changed]);
    });

    test('a job is in the trace of the request that adds it, not in that of a job, unless it says so', async () => {
      const [request, job] = [begin('server'), begin('consumer')];
      await runInSpan(request, () => enqueue(db, newJob('a'), newJob('b', { trace: null })));
      await runInSpan(job, () => enqueue(db, newJob('c'), newJob('d', { trace: TRACE })));
      expect(await states()).toEqual([{ traceparent: request.traceparent }, {}, {}, { traceparent: TRACE }]);
    });

    test('jobs of different traces each have a span of their own trace, and untraced ones none', async () => {
      const [one, other] = [begin('server').traceparent, begin('server').traceparent];
      await enqueue(db, newJob('a'), newJob('b', { trace: one }), newJob('c', { trace: other }));
      const jobs = await claimAll(START);
      await inJobSpans(tracing, jobs, { startedAt: 0, endedAt: 1 }, async () => {
        expect(jobs.map(({ span }) => span?.traceId)).toEqual([undefined, one.split('-')[1], other.split('-')[1]]);
        expect(jobs.map(({ span }) => span?.isEnded)).toEqual([undefined, false, false]);
      });
      expect(jobs.map(({ span }) => span?.isEnded)).toEqual([undefined, true, true]);
    });

    test('jobs without a trace share one that begins with them; without tracing there is none', async () => {
      await enqueue(db, newJob('a'), newJob('b'));
      const jobs = await claimAll(START);
      const times = { startedAt: 0, endedAt: 1 };
      await inJobSpans(noTracing, jobs, times, async () =>
        expect(jobs.map(({ span }) => span)).toEqual([undefined, undefined]),
      );
      await inJobSpans(tracing, jobs, times, async () => {
        expect(jobs[0]?.span).toBeDefined();
        expect(jobs[1]?.span).toBe(jobs[0]?.span);
      });
    });
  });
});
