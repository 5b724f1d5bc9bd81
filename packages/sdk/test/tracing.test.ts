/** The example of the README for OpenTelemetry, with an implementation of its API that records. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { context, type Context, propagation, ROOT_CONTEXT, type Span, SpanStatusCode, trace } from '@opentelemetry/api';
import { beforeAll, expect, test, vi } from 'vitest';
import { createClient } from '../src/client.ts';
import { createFakeService, json, refusal } from './fake-service.ts';

const spans: { name: string; status: SpanStatusCode; isEnded: boolean; events: string[] }[] = [];
const storage = new AsyncLocalStorage<Context>();

beforeAll(() => {
  context.setGlobalContextManager({
    active: () => storage.getStore() ?? ROOT_CONTEXT,
    with: (own, run, self, ...args) => storage.run(own, () => run.apply(self, args)),
    bind: (_own, target) => target,
    enable: () => context as never,
    disable: () => context as never,
  });
  propagation.setGlobalPropagator({
    inject: (own, carrier, setter) =>
      setter.set(carrier, 'traceparent', `${spans.indexOf(trace.getSpan(own) as never)}`),
    extract: (own) => own,
    fields: () => ['traceparent'],
  });
  trace.setGlobalTracerProvider({
    getTracer: () => ({
      startSpan(name: string) {
        const span = { name, status: SpanStatusCode.OK, isEnded: false, events: [] as string[] };
        spans.push(span);
        return Object.assign(span, {
          addEvent: (event: string) => span.events.push(event),
          setAttributes: () => span,
          setStatus: ({ code }: { code: SpanStatusCode }) => Object.assign(span, { status: code }),
          end: () => void (span.isEnded = true),
        }) as unknown as Span;
      },
      startActiveSpan: () => undefined as never,
    }),
  });
});

test('the example starts, propagates and ends spans', async () => {
  vi.stubGlobal('baseUrl', 'http://svc.test');
  vi.stubGlobal('apiKey', 'osapi_x');
  const { tracing } = await import('./readme/tracing.ts');
  const service = createFakeService(refusal(503, 'x'), json({ id: 1, createdAt: '', status: 'success' }));
  const active: unknown[] = [];
  const onRequest = () => active.push(trace.getActiveSpan());
  const client = createClient({ ...service.options, tracing, onRequest });
  await client.syncs.get(1);
  await expect(createClient({ ...createFakeService(refusal(404, 'x')).options, tracing }).syncs.get(1)).rejects.toThrow(
    'x',
  );
  expect(spans).toMatchObject([
    { name: 'GET /api/v1/syncs/{id}', status: SpanStatusCode.UNSET, isEnded: true, events: ['svc.retry'] },
    { name: 'GET /api/v1/syncs/{id}', status: SpanStatusCode.ERROR, isEnded: true, events: [] },
  ]);
  expect(active).toEqual([spans[0], spans[0]]);
  expect(service.requests.map(({ headers }) => headers.get('traceparent'))).toEqual(['0', '0']);
});
