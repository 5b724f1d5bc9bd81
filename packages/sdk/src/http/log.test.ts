import { describe, expect, test, vi } from 'vitest';
import { API_KEY, createFakeService, json, refusal } from '../../test/fake-service.ts';
import { createClient, type Logger } from '../index.ts';

const ME = { account: { id: 1 }, apiKey: {}, connections: [] };

function keepLines() {
  const lines: string[] = [];
  const at = (level: string) => (line: string) => lines.push(`${level} ${line}`);
  const logger: Logger = { debug: at('debug'), info: at('info'), warn: at('warn') };
  return { lines, logger };
}

describe('the log', () => {
  test('has a line about each answer, retry and wait, without key or query', async () => {
    const service = createFakeService(
      refusal(503, 'Down'),
      refusal(429, 'Too many', { 'retry-after': '7' }),
      json({ data: [], hasMore: false, nextCursor: null }),
    );
    const { lines, logger } = keepLines();
    const client = createClient({ ...service.options, logger });
    await client.syncs.list({ from: '2026-01-01', to: '2026-01-02' }).toArray();
    expect(lines).toEqual([
      'info svc: GET /api/v1/syncs answered 503 in 0 ms, request req-503',
      'warn svc: GET /api/v1/syncs failed (status 503), retrying in 250 ms',
      'info svc: GET /api/v1/syncs answered 429 in 0 ms, request req-429',
      'warn svc: GET /api/v1/syncs failed (status 429), retrying in 7000 ms',
      'info svc: GET /api/v1/syncs answered 200 in 0 ms',
    ]);
    expect(lines.join('\n')).not.toContain(API_KEY);
  });

  test('logs every attempt at level debug, failures at warn, nothing at off', async () => {
    for (const [logLevel, expected] of [
      ['debug', ['debug svc: GET /api/v1/me (attempt 1)', 'info svc: GET /api/v1/me answered 200 in 0 ms']],
      ['warn', []],
      ['off', []],
    ] as const) {
      const { lines, logger } = keepLines();
      await createClient({ ...createFakeService(json(ME)).options, logger, logLevel }).me.get();
      expect(lines).toEqual(expected);
    }
  });

  test('a line about a wait says how long and why', async () => {
    const service = createFakeService(refusal(429, 'Too many', { 'retry-after': '30' }), json(ME));
    const { lines, logger } = keepLines();
    const client = createClient({ ...service.options, logger, logLevel: 'warn', maxRetries: 0 });
    await expect(client.me.get()).rejects.toMatchObject({ status: 429 });
    await client.me.get();
    expect(lines).toEqual(['warn svc: waiting 30 s for the general rate limit: a 429 asked for it']);
  });

  test('the hooks of the caller are called as well', async () => {
    const { logger } = keepLines();
    const statuses: number[] = [];
    const { options } = createFakeService(json(ME));
    await createClient({ ...options, logger, onResponse: ({ status }) => statuses.push(status) }).me.get();
    expect(statuses).toEqual([200]);
  });

  test('with SVC_LOG a client without a logger logs to the console', async () => {
    vi.stubEnv('SVC_LOG', 'info');
    const info = vi.spyOn(console, 'info').mockImplementation(() => {});
    await createClient(createFakeService(json(ME)).options).me.get();
    expect(info.mock.calls).toEqual([['svc: GET /api/v1/me answered 200 in 0 ms']]);
    for (const silent of ['off', '']) {
      vi.stubEnv('SVC_LOG', silent);
      await createClient(createFakeService(json(ME)).options).me.get();
    }
    expect(info).toHaveBeenCalledTimes(1);
  });
});
