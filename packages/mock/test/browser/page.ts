/** The page of `browser.long.test.ts`: runs the SDK against the mock behind a service worker. */
import { createClient } from '@svc/sdk';
import { http, HttpResponse } from 'msw';
import { setupWorker } from 'msw/browser';
import { createMock } from '../../src/browser.ts';

const API = 'https://api.example.com/svc';

async function run(): Promise<object> {
  const mock = createMock({ now: '2026-03-31T12:00:00.000Z' });
  const worker = setupWorker(...mock.handlers(API));
  await worker.start({ quiet: true, onUnhandledFrame: 'bypass' });
  const client = createClient({ baseUrl: API, apiKey: mock.keys.osapi_demo_write, maxRetries: 0 });
  const me = `${API}/api/v1/me`;
  const withKey = { headers: { Authorization: `Bearer ${mock.keys.osapi_demo_read}` } };
  const fail = (effect: Parameters<typeof mock.faults.add>[0]['effect']) => mock.faults.add({ times: 1, effect });

  const { connections } = await client.me.get();
  const created = await mock.db.syncs.create({ status: 'error', toEmail: 'made.in@the.browser' });
  const range = { from: '2026-03-01', to: '2026-03-31T12:00:00.000Z' };
  const syncs = await client.syncs.list({ ...range, status: 'error' }).toArray();
  const unknown = await fetch(`${API}/api/v1/nothing`, withKey);

  fail({ kind: 'status', status: 503, retryAfterSeconds: 3 });
  const failed = await fetch(me, withKey);
  fail({ kind: 'reset' });
  const reset = await fetch(me, withKey).catch((error: unknown) => String(error));
  fail({ kind: 'truncate', bytes: 10 });
  const truncated = await fetch(me, withKey);
  const broken = await truncated.text().catch(() => 'broke off');

  worker.use(http.get(me, () => HttpResponse.json({ mine: true })));
  const replaced: unknown = await (await fetch(me, withKey)).json();
  await mock.close();
  return {
    crms: connections.map(({ crm }) => crm),
    newest: syncs[0]?.id === created.id && syncs[0].toEmail,
    isMore: syncs.length > 5,
    unknown: unknown.status,
    failed: [failed.status, failed.headers.get('retry-after')],
    reset,
    truncated: [truncated.status, broken],
    replaced,
    calls: mock.verify({ operation: 'listSyncs' }).length > 0,
    listen: await mock.listen().catch((error: unknown) => String(error)),
  };
}

Reflect.set(globalThis, 'results', run());
