/** The lines of `svc-mock`: hints, and each call with `--verbose`. */
import { toBranding } from '@svc/domain/pages/branding';
import { afterEach, describe, expect, test } from 'vitest';
import { demoWorld } from '../../demo-world.ts';
import { createEngine, type Engine } from '../../service/engine.ts';
import { postWithFetch } from '../post-with-fetch.ts';
import { setBackgroundTimer } from '../timers.ts';
import { createCallLog } from './call-log.ts';
import type { HttpServer } from './http-server.ts';
import { startStandalone } from './standalone.ts';

const NOW = new Date('2026-01-15T12:00:00.000Z');
const FOREIGN_KEY = 'osapi_live_0123456789abcdef0123456789abcdef';

let running: { readonly engine: Engine; readonly server: HttpServer };
afterEach(async () => {
  running.engine.close();
  await running.server.close();
});

async function start({ isVerbose = true } = {}) {
  const lines: string[] = [];
  const branding = toBranding({});
  const log = createCallLog({ write: (line) => lines.push(line), isVerbose, branding });
  const engine = createEngine({
    file: demoWorld(),
    branding,
    now: NOW,
    realNow: () => NOW,
    setTimer: setBackgroundTimer,
    post: postWithFetch,
    onCall: log.onCall,
    baseUrl: 'http://127.0.0.1',
  });
  const server = await startStandalone(engine, { log });
  running = { engine, server };
  const call = async (at: string, { key, body, headers }: { key?: string; body?: unknown; headers?: object } = {}) => {
    const [method = '', path = ''] = at.split(' ');
    const response = await fetch(server.url + path, {
      method,
      headers: { ...(key === undefined ? {} : { authorization: `Bearer ${key}` }), ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    }).catch(() => null);
    await response?.text().catch(() => '');
    return response;
  };
  /** The lines so far, without durations. */
  const shown = () => lines.map((line) => line.replace(/\d+ ms$/, 'N ms'));
  return { call, shown, lines };
}

describe('with --verbose, one line says', () => {
  test('method, path, status, operation, world and key', async () => {
    const { call, shown } = await start();
    await call('POST /__svc/worlds', { body: { id: 'mine' } });
    await call('GET /api/v1/sources?connectionId=1', { key: 'osapi_demo_read_mine' });
    await call('GET /health/live');
    await call('POST /webhooks/demo-smartlead', { body: {} });
    await call('GET /docs');
    await call('POST /__svc/clock', { key: 'osapi_demo_read_mine', body: { advance: '1h' } });
    await call('POST /__svc/worlds/default/reset');
    await call('POST /__svc/worlds/other/reset');
    expect(shown()).toEqual([
      'POST /__svc/worlds 201 control, N ms',
      'GET /api/v1/sources?connectionId=1 200 listSources, world mine, key "Dashboard", N ms',
      'GET /health/live 200 getHealthLive, world default, N ms',
      expect.stringMatching(/^POST \/webhooks\/demo-smartlead \d+ inbound, world default, N ms$/),
      'GET /docs 200 page, world default, N ms',
      'POST /__svc/clock 200 control, world mine, N ms',
      'POST /__svc/worlds/default/reset 200 control, world default, N ms',
      'POST /__svc/worlds/other/reset 404 control, N ms',
    ]);
  });

  test('the nearest operation of a call that matched none', async () => {
    const { call, shown } = await start();
    await call('GET /api/v1/sync', { key: 'osapi_demo_read' });
    expect(shown().at(-1)).toBe(
      'GET /api/v1/sync 404 no operation (nearest: GET /api/v1/syncs (listSyncs)), world default, key "Dashboard", N ms',
    );
  });

  test.each([
    [{ kind: 'status', status: 503 }, '503', 'fault-1 (status 503)'],
    [{ kind: 'latency', latencyMs: 3 }, '200', 'fault-1 (latency 3 ms)'],
    [{ kind: 'truncate' }, '200 truncated', 'fault-1 (truncate)'],
    [{ kind: 'reset' }, 'connection reset', 'fault-1 (reset)'],
  ])('the fault %j', async (effect, end, text) => {
    const { call, shown } = await start();
    await call('POST /__svc/faults', { body: { effect } });
    await call('GET /api/v1/me', { key: 'osapi_demo_read' });
    await expect.poll(shown).toContain(`GET /api/v1/me ${end} getMe, world default, key "Dashboard", ${text}, N ms`);
  });

  test('the duration in milliseconds, latency included', async () => {
    const { call, lines } = await start();
    await call('PATCH /__svc/settings', { body: { latencyMs: 60 } });
    await call('GET /api/v1/me', { key: 'osapi_demo_read' });
    await expect.poll(() => lines).toHaveLength(2);
    const [, ms] = /, (\d+) ms$/.exec(lines[1] ?? '') ?? [];
    expect(Number(ms)).toBeGreaterThanOrEqual(59);
  });

  test('of a key only its name or first characters, and no secret of the query', async () => {
    const { call, shown } = await start();
    await call('GET /api/v1/me', { key: FOREIGN_KEY });
    await call(`GET /api/v1/me?api_key=whatever&other=${FOREIGN_KEY}&x=1`, { key: 'osapi_demo_revoked' });
    await call('GET /api/v1/me', { headers: { authorization: 'Basic c2VjcmV0OnNlY3JldA==' } });
    expect(shown().filter((line) => !line.startsWith('hint'))).toEqual([
      'GET /api/v1/me 401 getMe, world default, invalid key osapi_live..., N ms',
      'GET /api/v1/me?api_key=***&other=osapi_***&x=1 401 getMe, world default, invalid key osap..., N ms',
      'GET /api/v1/me 401 getMe, world default, invalid key Basic?..., N ms',
    ]);
    expect(shown().join()).not.toContain('0123');
  });
});

describe('without --verbose', () => {
  test('only hints are written, each once', async () => {
    const { call, shown } = await start({ isVerbose: false });
    const range = (from: string) => `GET /api/v1/syncs?from=${from}&to=2026-11-20`;
    for (const from of ['2026-11-01', '2026-11-02']) await call(range(from), { key: 'osapi_demo_read' });
    await call('GET /api/v1/me', { key: 'osapi_demo_read' });
    for (let count = 0; count < 2; count += 1) await call('GET /api/v1/me', { key: FOREIGN_KEY });
    expect(shown()).toEqual([
      expect.stringMatching(
        /^hint: GET \/api\/v1\/syncs\?from=2026-11-01&to=2026-11-20 was answered 200: The range begins at 2026-11-01T/,
      ),
      expect.stringMatching(
        /^hint: GET \/api\/v1\/me was answered 401: The key osapi_live\.\.\. is not one of this mock\. Keys of world "default": osapi_demo_write, /,
      ),
    ]);
  });
});
