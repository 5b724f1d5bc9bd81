/**
 * Traces as a collector gets them: an event is followed from the sequencer's post through the queue and another process to the CRM,
 * to a destination, to a sales rep's mailbox and back from a webhook; and nothing of a tenant is in any of it.
 */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { operations } from '@svc/contract/operations';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readConfig } from '@svc/engine/config/config';
import { createManualClock } from '@svc/engine/runtime/clock';
import { createOtlpTracing } from '@svc/engine/runtime/otlp-tracing';
import { enqueue } from '@svc/engine/queue/queue';
import { traceFields } from '@svc/engine/runtime/tracing';
import { anyBackend } from '@svc/engine/test/backends';
import { type CollectedSpan, type Collector, startCollector } from '../support/collector.ts';
import { startTestServer, type TestServer } from '../support/harness.ts';
import { settleWithin } from '../support/replies.ts';

const CALLER = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

describe('traces', () => {
  let collector: Collector;
  let server: TestServer;
  let lines: Record<string, unknown>[];
  let requestIds: number[];
  const planted = { email: 'planted.lead@secret-company.example', name: 'Planted Person', text: 'planted words' };

  beforeAll(async () => {
    collector = await startCollector();
    lines = [];
    const log = pino(
      { level: 'debug', mixin: traceFields },
      { write: (line: string) => void lines.push(JSON.parse(line)) },
    );
    const { telemetry } = readConfig({
      OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
      OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20collector-token',
      OTEL_EXPORTER_OTLP_COMPRESSION: 'gzip',
      OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
    });
    if (telemetry === null) throw new Error('Nothing is traced.');
    // Its clock stands still, so that a busy machine does not cut the last spans off.
    const tracing = createOtlpTracing(telemetry, { log, clock: createManualClock(new Date()) });
    server = await startTestServer(anyBackend, { tracing, log, env: { SVC_PAYLOAD_DAYS: '30' } });
    await server.db.query('truncate jobs');
    const another = await server.startAnother();

    const event = (number: number) => ({
      event_type: 'EMAIL_REPLY',
      to_email: `${number}.${planted.email}`,
      to_name: planted.name,
      stats_id: `planted-${number}`,
      campaign_name: 'Planted campaign',
      reply_message: { message_id: `<planted-${number}@secret-company.example>`, text: planted.text },
    });
    requestIds = [];
    // Two posts that are read and written together; the second caller has a trace of its own.
    for (const [index, headers] of [{}, { traceparent: CALLER }].entries()) {
      const { json } = await server.post('/webhooks/demo-smartlead', event(index), headers);
      requestIds.push(json.requestId);
    }
    await settleWithin({ ...server, running: another }, 10 * 60_000);
    // Repeats are read by this process.
    await server.post('/webhooks/demo-smartlead', event(0));
    await server.running.runner.runDue();
    // The third failure in a row is an event for the customer's webhook.
    server.crm.failNext(3, 400);
    for (const number of [7, 8, 9]) {
      await server.post('/webhooks/demo-smartlead', event(number));
      await server.running.runner.runDue();
    }
    const broken = { kind: 'process-receipt', ref: 'no-number', fairnessKey: 'broken' };
    await enqueue(server.db, { ...broken, dueAt: server.clock.now(), createdAt: server.clock.now() });
    await server.running.runner.runDue();
    await server.db.query('truncate jobs');
    await fetch(`${server.url}/webhooks/planted-wrong-code`, { method: 'POST', body: '{}' });
    await server.get('listSyncs', `/api/v1/syncs?from=2026-03-01&to=2026-03-31&toEmail=${planted.email}`);
    await server.get('getHealthLive', '/health/live', null);
    await fetch(`${server.url}/metrics`);
    await another.close();
    await server.close();
    await tracing.stop();
  });
  afterAll(() => collector.close());

  const named = (name: string) => collector.spans().filter((span) => span.name === name);
  const one = (name: string, traceId: string) => {
    const [span, ...others] = named(name).filter((found) => found.traceId === traceId);
    if (span === undefined || others.length > 0) throw new Error(`${others.length + Number(!!span)} spans ${name}`);
    return span;
  };
  const childrenOf = ({ traceId, spanId }: CollectedSpan) =>
    collector.spans().filter((span) => span.traceId === traceId && span.parentSpanId === spanId);

  test('follows both events through the queue and another process, each in its own trace', () => {
    const [first, second] = named('inbound');
    if (!first || !second) throw new Error('no spans of the posts');
    expect(first.traceId).not.toBe(second.traceId);
    for (const post of [first, second]) {
      expect(post).toMatchObject({
        kind: 2,
        attributes: { 'http.request.method': 'POST', 'http.response.status_code': 200 },
      });
      const read = one('job process-receipt', post.traceId);
      const write = one('job write-crm', post.traceId);
      const mail = one('job relay-reply', post.traceId);
      const forwards = named('job forward-event').filter(({ traceId }) => traceId === post.traceId);
      expect(read.parentSpanId).toBe(post.spanId);
      expect(forwards.length).toBeGreaterThan(0);
      for (const job of [write, mail, ...forwards]) {
        expect(job).toMatchObject({ kind: 5, parentSpanId: read.spanId, attributes: { 'svc.job.result': 'done' } });
      }
      for (const forward of forwards) {
        expect(childrenOf(forward).find(({ name }) => name === 'post')).toMatchObject({
          kind: 3,
          attributes: { 'http.response.status_code': 200 },
        });
      }
      expect(childrenOf(mail).map(({ name }) => name)).toContain('mail');
    }
  });

  test('shows the statements and CRM calls of a batch in the first trace, and links the others to it', () => {
    const [first, second] = named('inbound');
    if (!first || !second) throw new Error('no spans of the posts');
    const [batch, other] = [one('job write-crm', first.traceId), one('job write-crm', second.traceId)];
    expect(batch.attributes).toMatchObject({ 'svc.job.count': 2 });
    expect([batch.links, other.links]).toEqual([
      [{ traceId: second.traceId, spanId: one('job process-receipt', second.traceId).spanId }],
      [{ traceId: first.traceId, spanId: batch.spanId }],
    ]);
    const names = childrenOf(batch).map(({ name }) => name);
    expect(names).toContain('HUBSPOT contacts_upsert');
    expect(names).toContain('syncs-store-successes');
    expect(childrenOf(first).map(({ name }) => name)).toContain('inbound-receive-traced');
    expect(named('claim').map(({ parentSpanId }) => parentSpanId)).toContain(batch.parentSpanId);
  });

  test('a webhook about a failure is in the trace of the event that failed', () => {
    const [delivery] = named('job deliver-webhook');
    if (delivery === undefined) throw new Error('no webhook was called');
    expect(one('job write-crm', delivery.traceId).spanId).toBe(delivery.parentSpanId);
    expect(childrenOf(delivery).map(({ name }) => name)).toContain('post');
  });

  test('a failed CRM call is marked by the class of its answer', () => {
    expect(
      collector
        .spans()
        .filter(({ isError }) => isError)
        .map(({ attributes }) => attributes['error.type']),
    ).toContain('4xx');
  });

  test('a job that fails is marked, without the text of its error, and its log line has the trace', () => {
    const [failed, ...others] = named('job process-receipt').filter(({ isError }) => isError);
    expect([failed?.attributes['error.type'], failed?.attributes['svc.job.result'], others]).toEqual([
      'failed',
      'failed',
      [],
    ]);
    const line = lines.find(({ msg }) => msg === 'a job failed and will run again');
    expect(line?.['trace_id']).toBe(failed?.traceId);
  });

  test("links the caller's trace instead of following it", () => {
    const [traceId, spanId] = CALLER.split('-').slice(1, 3);
    expect(named('inbound').map(({ links }) => links)).toContainEqual([{ traceId, spanId }]);
    expect(collector.spans().map((span) => span.traceId)).not.toContain(traceId);
  });

  test('requests of the API are named by their operation; probes and scrapes are no traces', () => {
    const requests = collector.spans().filter(({ kind }) => kind === 2);
    const ids: readonly string[] = operations.map(({ id }) => id);
    expect(requests.map(({ name }) => name)).toContain('listSyncs');
    expect(requests.filter(({ name }) => name !== 'inbound' && !ids.includes(name))).toEqual([]);
  });

  test('log lines inside a span have its ids', () => {
    const ofRead = lines.filter(({ msg }) => msg === 'a request adds nothing to the CRM, or not all of it');
    const spans = new Map(collector.spans().map(({ traceId, spanId }) => [spanId, traceId]));
    expect(ofRead.length).toBeGreaterThan(0);
    for (const line of [
      ...ofRead,
      ...lines.filter(({ msg, operation }) => msg === 'request' && operation === 'listSyncs'),
    ]) {
      expect(spans.get(String(line['span_id']))).toBe(line['trace_id']);
    }
  });

  test('sends the configured headers and attributes', () => {
    expect(collector.headers()[0]).toMatchObject({
      authorization: 'Bearer collector-token',
      'content-encoding': 'gzip',
      'content-type': 'application/json',
    });
    expect(collector.resource()).toMatchObject({
      'service.name': 'svc-server',
      'deployment.environment.name': 'test',
    });
  });

  test('nothing of a tenant is in what the collector gets', () => {
    const raw = collector.raw();
    const texts = new Set([...stringsOf(server.world), ...stringsOf(planted), 'planted', 'collector-token']);
    const searched = [...texts].filter((text) => text.length >= 5 && !isVocabulary(text));
    expect(searched.length).toBeGreaterThan(200);
    expect(searched.filter((text) => isIn(raw, text))).toEqual([]);
    const attributes = collector.spans().flatMap((span) => Object.entries(span.attributes));
    expect([...new Set(attributes.map(([key]) => key))].toSorted()).toEqual([
      'db.system.name',
      'error.type',
      'http.request.method',
      'http.response.status_code',
      'svc.crm',
      'svc.crm.operation',
      'svc.crm.status',
      'svc.job.count',
      'svc.job.result',
    ]);
    // Ids are numbers: only counts and statuses are allowed to be.
    for (const [key, value] of attributes) {
      if (typeof value === 'number') expect(['http.response.status_code', 'svc.job.count']).toContain(key);
    }
  });
});

/** Times and ids of spans are long rows of digits, which have every short number in them by chance. */
function isIn(raw: string, text: string): boolean {
  return /^[0-9a-f]+$/.test(text) ? new RegExp(`(?<![0-9a-f])${text}(?![0-9a-f])`).test(raw) : raw.includes(text);
}

/** Words of the API that a world uses too: statuses, types, platforms. */
function isVocabulary(text: string): boolean {
  return /^[A-Za-z_]+$/.test(text) && text.length < 12;
}

function stringsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(stringsOf) : [];
}

test('one module imports OpenTelemetry, and it is imported only when it is needed', () => {
  const packages = path.join(import.meta.dirname, '../../..');
  const files = ['engine', 'operations', 'server'].flatMap((name) =>
    readdirSync(path.join(packages, name, 'src'), { recursive: true, encoding: 'utf8' })
      .filter((file) => /(?<!\.test)\.ts$/.test(file))
      .map((file) => path.join(name, 'src', file)),
  );
  const importers = (what: RegExp) =>
    files.filter((file) => what.test(readFileSync(path.join(packages, file), 'utf8')));
  expect(importers(/from '@opentelemetry\//)).toEqual([path.join('engine', 'src', 'runtime', 'otlp-tracing.ts')]);
  expect(importers(/from '[^']*\/otlp-tracing(\.ts)?'/)).toEqual([]);
  expect(importers(/import\('[^']*\/otlp-tracing(\.ts)?'\)/)).toEqual([path.join('server', 'src', 'main', 'start.ts')]);
});
