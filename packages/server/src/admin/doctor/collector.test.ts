import { expect, test } from 'vitest';
import { readConfig } from '@svc/engine/config/config';
import { checkCollector } from './collector.ts';

const { telemetry } = readConfig({
  OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector.example:4318',
  OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20hidden',
});

test.each([
  [200, 'PASS', null],
  [401, 'WARN', 'OTEL_EXPORTER_OTLP_HEADERS'],
  [404, 'WARN', 'without /v1/traces'],
  [415, 'WARN', 'OTEL_EXPORTER_OTLP_PROTOCOL'],
  [503, 'WARN', '4318'],
  [null, 'WARN', '4318'],
])('a collector that answers %s', async (status, verdict, fix) => {
  const calls: RequestInit[] = [];
  const [check, ...others] = await checkCollector(telemetry, async (url, init = {}) => {
    expect(url).toBe('http://collector.example:4318/v1/traces');
    calls.push(init);
    if (status === null) throw new TypeError('fetch failed');
    return new Response('{}', { status });
  });
  expect([check?.status, others]).toEqual([verdict, []]);
  expect(check?.fix ?? '').toContain(fix ?? '');
  expect(calls[0]).toMatchObject({ method: 'POST', headers: { authorization: 'Bearer hidden' } });
  expect(JSON.stringify(check)).not.toContain('hidden');
});

test('without a collector there is nothing to check', async () => {
  expect(await checkCollector(null)).toEqual([]);
});
