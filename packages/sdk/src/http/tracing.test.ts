import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import { API_KEY, createFakeService, json, networkFault, refusal } from '../../test/fake-service.ts';
import { createClient, type SpanAttributes, type Tracing } from '../index.ts';

const SYNC = json({ id: 42, createdAt: '', status: 'success' });
const TRACEPARENT = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

function createFakeTracing() {
  const spans: { name: string; attributes: SpanAttributes; error: string | undefined; events: unknown[] }[] = [];
  const tracing: Tracing = {
    startSpan(name, attributes) {
      const span = { name, attributes, error: 'not ended' as string | undefined, events: [] as unknown[] };
      spans.push(span);
      return {
        run: (call) => call(),
        headers: () => ({ traceparent: TRACEPARENT }),
        addEvent: (event, details) => span.events.push([event, details]),
        end(more, error) {
          Object.assign(span.attributes, more);
          span.error = error;
        },
      };
    },
  };
  return { spans, tracing };
}

describe('tracing', () => {
  test('a span for each call, named by the path template, whose trace goes to the service', async () => {
    const { spans, tracing } = createFakeTracing();
    const service = createFakeService(SYNC);
    await createClient({ ...service.options, tracing, baseUrl: 'https://svc.test:8443/x' }).syncs.get(42);
    expect(spans).toEqual([
      {
        name: 'GET /api/v1/syncs/{id}',
        attributes: {
          'http.request.method': 'GET',
          'url.template': '/api/v1/syncs/{id}',
          'server.address': 'svc.test',
          'server.port': 8443,
          'http.response.status_code': 200,
        },
        error: undefined,
        events: [],
      },
    ]);
    expect(service.requests[0]?.headers.get('traceparent')).toBe(TRACEPARENT);
    expect(service.requests[0]?.headers.get('authorization')).toBe(`Bearer ${API_KEY}`);
  });

  test('an event for each retry and wait; hooks are still called', async () => {
    const { spans, tracing } = createFakeTracing();
    const service = createFakeService(networkFault('ECONNRESET', 'read'), refusal(503, 'x'), SYNC);
    const retried: number[] = [];
    const client = createClient({ ...service.options, tracing, onRetry: ({ attempt }) => retried.push(attempt) });
    await client.syncs.get(42);
    expect(spans[0]?.events).toEqual([
      ['svc.retry', { 'http.request.resend_count': 1, 'error.type': 'network', 'svc.delay_ms': 250 }],
      ['svc.retry', { 'http.request.resend_count': 2, 'error.type': '503', 'svc.delay_ms': 500 }],
    ]);
    expect(spans[0]?.attributes).toMatchObject({ 'http.request.resend_count': 2, 'http.response.status_code': 200 });
    expect(retried).toEqual([1, 2]);
    expect(service.requests.map(({ headers }) => headers.has('traceparent'))).toEqual([true, true, true]);

    const limited = createFakeService(refusal(429, 'x', { 'retry-after': '7' }), SYNC);
    const strict = createClient({ ...limited.options, tracing, maxRetries: 0 });
    await expect(strict.syncs.get(42)).rejects.toThrow('x');
    await strict.syncs.get(42);
    expect(spans[1]?.error).toBe('429');
    expect(spans[2]?.events).toEqual([
      ['svc.wait', { 'svc.bucket': 'general', 'svc.reason': 'refused', 'svc.delay_ms': 7000 }],
    ]);
  });

  test.each([
    ['a status', refusal(404, 'no person kim@example.org'), '404', 'no person'],
    ['no connection', networkFault('ECONNREFUSED', 'connect'), 'NetworkError', 'Cannot reach'],
    [
      'a redirect',
      new Response('', { status: 302, headers: { location: '/kim' } }),
      'InvalidResponseError',
      'redirects',
    ],
  ])('the error of %s, without query, body or key', async (_name, reaction, error, message) => {
    const { spans, tracing } = createFakeTracing();
    const client = createClient({ ...createFakeService(reaction).options, maxRetries: 0, tracing });
    await expect(client.contacts.outreach({ email: 'kim@example.org' })).rejects.toThrow(message);
    expect(spans).toMatchObject([{ error, attributes: { 'error.type': error } }]);
    expect(inspect(spans, { depth: 9 })).not.toMatch(new RegExp(`kim|${API_KEY}`));
  });

  test('calls of raw, and those with middleware', async () => {
    const { spans, tracing } = createFakeTracing();
    const service = createFakeService(SYNC);
    const client = createClient({ ...service.options, tracing });
    await client.raw.GET('/api/v1/syncs/{id}', { params: { path: { id: 42 } } });
    client.raw.use({ onRequest: ({ request }) => request });
    await client.syncs.get(42);
    expect(spans.map(({ name }) => name)).toEqual(['GET /api/v1/syncs/{id}', 'GET /api/v1/syncs/{id}']);
    expect(service.requests.map(({ headers }) => headers.get('traceparent'))).toEqual([TRACEPARENT, TRACEPARENT]);
  });
});
