/** Tracing never harms the server: whatever the collector does, memory and waiting are bounded, and losses are counted. */
import { pino } from 'pino';
import { afterEach, expect, test } from 'vitest';
import { readConfig } from '../config/config.ts';
import { createManualClock } from './clock.ts';
import { createOtlpTracing } from './otlp-tracing.ts';
import { activeSpan, inChildSpan, type OpenSpan, runInSpan, type SpanResult, type Tracing } from './tracing.ts';

const open: Tracing[] = [];
afterEach(async () => {
  for (const tracing of open.splice(0)) await tracing.stop();
});

/** `after the next`: 200, a turn of the event loop after the next call was made. */
type Answer = number | 'no connection' | 'nothing' | 'after the next';

function start(answers: Answer[], env: Record<string, string> = {}) {
  const clock = createManualClock(new Date(0));
  const lines: { level: number; msg: string; collector: string }[] = [];
  const counts: Record<SpanResult, number> = { sent: 0, dropped: 0, failed: 0 };
  const calls: RequestInit[] = [];
  const log = pino({}, { write: (line: string) => void lines.push(JSON.parse(line)) });
  const { telemetry } = readConfig({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector.example:4318/', ...env });
  if (telemetry === null) throw new Error('Nothing is traced.');
  const tracing = createOtlpTracing(telemetry, {
    log,
    clock,
    fetch: (url, init = {}) => {
      expect(url).toBe('http://collector.example:4318/v1/traces');
      calls.push(init);
      const answer = answers.shift() ?? 200;
      if (typeof answer === 'number') return Promise.resolve(new Response('{}', { status: answer }));
      if (answer === 'no connection') return Promise.reject(new TypeError('fetch failed'));
      return new Promise((resolve, reject) => {
        if (init.signal?.aborted === true) reject(new Error('aborted'));
        else init.signal?.addEventListener('abort', () => reject(new Error('aborted')), { once: true });
        const number = calls.length;
        const look = () =>
          void setImmediate(calls.length > number ? () => setImmediate(() => resolve(new Response('{}'))) : look);
        if (answer === 'after the next') look();
      });
    },
  });
  tracing.onSpans((result, spans) => {
    counts[result] += spans;
  });
  open.push(tracing);
  const end = (spans: number) => {
    for (let made = 0; made < spans; made += 1) tracing.begin({ name: 'job', kind: 'consumer' })?.end();
  };
  return { tracing, clock, lines, counts, calls, end };
}

/** A full batch is sent at once; a smaller one when tracing stops. */
const BATCH = 1_024;
const QUEUE = 8_192;

test('a collector that does not answer keeps a bounded number of spans; the others are dropped and counted', async () => {
  const { counts, end, tracing, clock } = start(Array<Answer>(20).fill('nothing'));
  end(20_000);
  expect(counts).toEqual({ sent: 0, dropped: 20_000 - QUEUE, failed: 0 });
  const stopped = tracing.stop();
  clock.advance(2_000);
  await stopped;
  expect(counts.failed).toBe(QUEUE);
});

test('stopping waits two seconds, not for the timeout of the collector', async () => {
  const { counts, calls, end, tracing, clock } = start(['nothing', 'nothing'], { OTEL_EXPORTER_OTLP_TIMEOUT: '60000' });
  end(3);
  const stopped = tracing.stop();
  await expect.poll(() => calls.length).toBe(1);
  clock.advance(2_000);
  await stopped;
  expect(counts).toEqual({ sent: 0, dropped: 0, failed: 3 });
});

test('stopping sends what is left', async () => {
  const { counts, calls, end, tracing } = start([]);
  end(3);
  await tracing.stop();
  expect(counts).toEqual({ sent: 3, dropped: 0, failed: 0 });
  expect(calls[0]?.headers).toMatchObject({ 'Content-Type': 'application/x-protobuf' });
});

test('stopping waits for a batch that is under way', async () => {
  const { counts, end, tracing } = start(['after the next']);
  end(BATCH + 3);
  await tracing.stop();
  expect(counts).toEqual({ sent: BATCH + 3, dropped: 0, failed: 0 });
});

test('an outage of the collector is logged once, and so is its end', async () => {
  const { counts, lines, end } = start([400, 401, 302, 200, 200]);
  for (let batch = 1; batch <= 5; batch += 1) {
    end(BATCH);
    await expect.poll(() => counts.sent + counts.failed).toBe(batch * BATCH);
  }
  expect(counts).toEqual({ sent: 2 * BATCH, dropped: 0, failed: 3 * BATCH });
  expect(lines.map(({ level, collector }) => [level, collector])).toEqual([
    [40, 'http://collector.example:4318'],
    [30, 'http://collector.example:4318'],
  ]);
});

test.each<Answer>([503, 429, 'no connection'])('a batch is sent once more after %s', async (answer) => {
  const { counts, calls, clock, end, lines } = start([answer]);
  end(BATCH);
  await expect.poll(() => calls.length).toBe(1);
  // The answer is read in the next turns of the event loop.
  await expect
    .poll(() => {
      clock.advance(1_000);
      return counts.sent;
    })
    .toBe(BATCH);
  expect([calls.length, lines]).toEqual([2, []]);
});

test('a batch is given up after the timeout', async () => {
  const { counts, calls, clock, end } = start(['nothing', 'nothing'], { OTEL_EXPORTER_OTLP_TRACES_TIMEOUT: '3000' });
  end(BATCH);
  await expect.poll(() => calls.length).toBe(1);
  clock.advance(3_000);
  await expect.poll(() => counts.failed).toBe(BATCH);
});

test('samples as configured, and a span of a sampled trace always', () => {
  const { tracing } = start([], { OTEL_TRACES_SAMPLER: 'parentbased_traceidratio', OTEL_TRACES_SAMPLER_ARG: '0' });
  const parent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
  expect(tracing.begin({ name: 'job', kind: 'consumer' })).toBeNull();
  expect(tracing.begin({ name: 'job', kind: 'consumer', parent })?.traceId).toBe('0af7651916cd43dd8448eb211c80319c');
});

test('work that outlives its span is not traced', async () => {
  const { tracing } = start([]);
  const span = tracing.begin({ name: 'job', kind: 'consumer' }) ?? undefined;
  const inside: (OpenSpan | undefined)[] = [];
  let later = Promise.resolve();
  await runInSpan(span, () =>
    inChildSpan({ name: 'call', kind: 'client' }, async (child) => {
      inside.push(child, activeSpan());
      later = new Promise((resolve) => {
        setImmediate(() => {
          inside.push(activeSpan());
          resolve();
        });
      });
    }),
  );
  span?.end();
  await later;
  expect(inside.map((found) => found?.traceId)).toEqual([span?.traceId, span?.traceId, undefined]);
});
