/** Every control endpoint. Each answer is validated against the control document. */
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { type ControlOptions, createControl, DOCUMENT, seen } from '../../test/support/control.ts';
import { NOW } from '../../test/support/demo.ts';
import { smartleadEvent } from '../../test/support/payloads.ts';
import { createEngine } from '../service/engine.ts';
import { controlRoutes } from './routes.ts';

let mock: ReturnType<typeof createControl>;
beforeEach(() => {
  mock = createControl();
});
const control = (at: string, body?: unknown, options?: ControlOptions) => mock.control(at, body, options);
const call: ReturnType<typeof createControl>['call'] = (...args) => mock.call(...args);

const later = (ms: number) => new Date(NOW.getTime() + ms).toISOString();

describe('a refusal names what was sent and what was probably meant', () => {
  test.each([
    ['POST /verify', { operation: 'getme' }, 400, 'operation: unknown value "getme". Did you mean "getMe"?'],
    ['GET /requests?operation=listSync', undefined, 400, 'unknown value "listSync". Did you mean "listSyncs"?'],
    ['PATCH /settings', { rateLimit: 'on' }, 400, 'rateLimit: unknown value "on": must be one of off, spec'],
    ['POST /faults', { times: 1 }, 400, 'effect: is missing'],
    ['POST /clock', { now: '2026-02-01' }, 400, 'Unrecognized key: "now" (known: freeze, advance, resume)'],
    ['POST /resett', undefined, 404, 'no control endpoint POST /__svc/resett. Did you mean POST /__svc/reset?'],
    ['GET /fault', undefined, 404, 'Did you mean GET /__svc/faults?'],
    ['GET /reset', undefined, 404, 'Did you mean POST /__svc/reset?'],
    ['POST /worlds/x/rest', undefined, 404, 'Did you mean POST /__svc/worlds/{world}/reset?'],
    ['GET /', undefined, 404, 'no control endpoint GET /__svc/. Endpoints: GET /__svc/health, '],
  ])('%s %j', async (at, body, status, text) => {
    expect(await control(at, body)).toMatchObject({ status, message: expect.stringContaining(text) });
  });
});

describe('worlds', () => {
  test('are created with their own keys and ingress codes, listed, shown and deleted', async () => {
    expect((await control('GET /health')).json).toEqual({ status: 'ok', worlds: 1 });
    const made = await control('POST /worlds', {
      id: 'mine',
      now: '2026-01-15T14:00:00+02:00',
      scenarios: ['slow'],
      seed: 7,
    });
    expect(made.status).toBe(201);
    expect(made.json).toMatchObject({
      id: 'mine',
      now: '2026-01-15T12:00:00.000Z',
      mode: 'frozen',
      scenarios: ['slow'],
    });
    expect(made.json.keys.osapi_demo_read).toBe('osapi_demo_read_mine');
    expect(made.json.sources[0].url).toBe('http://127.0.0.1:4010/webhooks/demo-smartlead-mine');
    const { keys: _keys, ...shown } = made.json;
    expect((await control('GET /worlds/mine')).json).toEqual(shown);
    expect((await control('GET /worlds')).json.worlds.map(({ id }: { id: string }) => id)).toEqual(['default', 'mine']);
    expect((await control('POST /worlds', { id: 'mine' })).message).toBe(
      'A world "mine" exists already: choose another id.',
    );
    expect((await control('DELETE /worlds/mine')).status).toBe(204);
    expect(await control('GET /worlds/mine')).toMatchObject({
      status: 404,
      message: 'World "mine" does not exist. Worlds: default',
    });
    expect((await control('DELETE /worlds/mine')).status).toBe(404);
    expect(await control('DELETE /worlds/default')).toMatchObject({ status: 409 });
  });

  test('are created without a body, and can run with the real clock', async () => {
    expect((await control('POST /worlds')).json).toMatchObject({ mode: 'frozen', now: later(0) });
    expect((await control('POST /worlds', { now: null })).json).toMatchObject({ mode: 'running' });
    expect(
      (await control('POST /worlds', { settings: { receivers: { 'A.example.com': 'http://127.0.0.1:9' } } })).status,
    ).toBe(201);
    expect(await control('POST /worlds')).toMatchObject({
      status: 409,
      message: 'There are 3 worlds already: delete worlds that are no longer used.',
    });
  });

  test('are addressed by key, path or header, else the default world is', async () => {
    const { json } = await control('POST /worlds', { id: 'mine' });
    await control('POST /clock', { advance: '1h' }, { key: json.keys.osapi_demo_other });
    await control('POST /worlds/mine/clock', { advance: '1h' });
    await control('POST /clock', { advance: '1h' }, { headers: { 'svc-world': 'mine' } });
    expect((await control('GET /worlds/mine/clock')).json.now).toBe(later(3 * 3_600_000));
    expect((await control('GET /clock')).json.now).toBe(later(0));
    await control('POST /worlds/default/clock', { advance: 5 }, { key: json.keys.osapi_demo_read });
    expect((await control('GET /clock')).json.now).toBe(later(5));
    expect((await control('GET /worlds/other/clock')).status).toBe(404);
  });
});

describe('a control call for a world that does not exist', () => {
  /** Every endpoint that acts on one world, without path parameters of its own. */
  const calls = controlRoutes
    .filter(({ isOfWorld }) => isOfWorld)
    .map(({ method, path }) => `${method} ${path.replaceAll(/\{\w+\}/g, '1')}`);
  const wrongly: [string, string, ControlOptions, string][] = [
    ['an unknown Svc-World', '', { headers: { 'svc-world': 'nobody' } }, 'World "nobody" does not exist.'],
    ['an empty Svc-World', '', { headers: { 'svc-world': '' } }, 'World "" does not exist.'],
    ['an unknown world in the path', '/worlds/nobody', {}, 'World "nobody" does not exist.'],
    [
      'the key of a deleted world',
      '',
      { key: 'osapi_demo_connection_read_gone' },
      'The key in Authorization is one of world "gone", which does not exist (any more).',
    ],
    [
      'an unknown key',
      '',
      { key: 'osapi_live_0123456789abcdef0123456789abcdef' },
      'Authorization holds the key osapi_live..., which no world has. Send a key of the world, or no Authorization for the default world.',
    ],
    [
      'a key of another kind',
      '',
      { headers: { authorization: 'sk_\u0007\u00e4\u00e4\u00e4_0123456789abcdef' } },
      'Authorization holds the key sk_???...',
    ],
    ['an empty key', '', { headers: { authorization: 'Bearer ' } }, 'Authorization holds no key. Send a key'],
    [
      'a known key and an unknown Svc-World',
      '',
      { key: 'osapi_demo_read', headers: { 'svc-world': 'nobody' } },
      'World "nobody" does not exist.',
    ],
  ];
  test.each(wrongly)('by %s: 404 that lists the worlds, and no world changes', async (_name, prefix, options, text) => {
    await control('POST /worlds', { id: 'mine' });
    await control('POST /worlds', { id: 'gone' });
    await control('DELETE /worlds/gone');
    const before = mock.engine.worlds.list().map(({ state }) => state);
    expect(calls.length).toBeGreaterThan(20);
    for (const each of calls) {
      const { status, message } = await control(each.replace(' ', ` ${prefix}`), { advance: '1h' }, options);
      expect([each, status, message]).toEqual([each, 404, expect.stringContaining(text)]);
      expect(message).toMatch(/ Worlds: default, mine$/);
      expect(message).not.toContain('abcdef');
    }
    expect(mock.engine.worlds.list().map(({ state }) => state)).toEqual(before);
    for (const [at, world] of before.entries()) expect(mock.engine.worlds.list()[at]?.state).toBe(world);
  });

  test('a key of one world and the name of another: 400', async () => {
    await control('POST /worlds', { id: 'mine' });
    const options = { key: 'osapi_demo_read', headers: { 'svc-world': 'mine' } };
    expect(await control('POST /clock', { advance: '1h' }, options)).toMatchObject({
      status: 400,
      message: 'The key in Authorization is one of world "default", but Svc-World names "mine": send only one of them.',
    });
    const same = { key: 'osapi_demo_read_mine', headers: { 'svc-world': 'mine' } };
    expect((await control('POST /clock', { advance: '1h' }, same)).status).toBe(200);
    expect((await control('GET /clock')).json.now).toBe(later(0));
  });

  test('a name in the query: 400 that says where to name it', async () => {
    expect(await control('POST /clock?world=mine', { advance: '1h' })).toMatchObject({
      status: 400,
      message: 'Name the world in the path, as in /__svc/worlds/ID/..., or by the header Svc-World.',
    });
  });

  test('the key of a deleted world creates, lists and deletes worlds', async () => {
    const options = { key: 'osapi_demo_read_gone' };
    expect((await control('POST /worlds', { id: 'next' }, options)).status).toBe(201);
    expect((await control('GET /worlds', undefined, options)).status).toBe(200);
    expect((await control('GET /health', undefined, options)).status).toBe(200);
    expect((await control('POST /worlds/next/clock', { advance: 1 }, options)).status).toBe(200);
    expect((await control('DELETE /worlds/next', undefined, options)).status).toBe(204);
  });

  test('of many worlds ten are listed', async () => {
    const engine = createEngine({ ...mock.engineOptions, worldsMax: 20 });
    for (let number = 0; number < 12; number += 1) engine.worlds.create({ id: `w${number}` });
    expect(() => engine.worlds.require('x')).toThrow(
      'World "x" does not exist. Worlds: default, w0, w1, w2, w3, w4, w5, w6, w7, w8 and 3 more',
    );
  });
});

describe('time', () => {
  test('is frozen, advanced, set and resumed', async () => {
    const at = '2026-06-01T00:00:00.000Z';
    expect((await control('POST /clock', { freeze: at })).json).toEqual({ now: at, mode: 'frozen' });
    expect((await control('POST /clock', { advance: '90s' })).json.now).toBe('2026-06-01T00:01:30.000Z');
    expect((await control('POST /clock', { freeze: at, resume: true })).json).toEqual({ now: at, mode: 'running' });
    expect((await control('POST /clock', { freeze: true })).json.mode).toBe('frozen');
  });

  test.each([
    [{}, 'must have freeze'],
    [{ advance: -1 }, 'advance'],
    [{ advance: '5 minutes' }, 'must be like 500ms, 90s, 1h30m, 24h or 7d'],
    [{ advance: 1e20 }, 'must be at most 3660 days'],
    [{ freeze: 'tomorrow' }, 'freeze: expected true, or must be an ISO-8601 instant such as 2026-01-15T12:00:00Z'],
    [{ advance: 'soon' }, 'advance: must be like 500ms, 90s, 1h30m, 24h or 7d'],
    [{ freeze: '2026-02-30T00:00:00Z' }, 'freeze'],
    [{ resume: false }, 'resume'],
    [{ advance: 1, speed: 2 }, 'speed'],
  ])('%j is refused', async (body, text) => {
    const { status, message } = await control('POST /clock', body);
    expect([status, message]).toEqual([400, expect.stringContaining(text)]);
    expect((await control('GET /clock')).json.now).toBe(later(0));
  });

  test('advance runs what becomes due; settle runs what is due now', async () => {
    await control('POST /trigger', { type: 'sync.failed' });
    expect((await control('GET /outbox')).json.outbox).toEqual([]);
    const { json } = await control('POST /settle');
    expect(json.dueLater).toBe(mock.engine.worlds.default.state.data.jobs.length);
    expect((await control('GET /outbox?kind=webhook&host=HOOKS.example.com')).json.outbox).toHaveLength(2);
    await control('POST /clock', { advance: '7d' });
    expect((await control('GET /outbox')).json.outbox.length).toBeGreaterThan(2);
    expect((await control('GET /outbox?kind=forwarding')).json.outbox).toEqual([]);
    expect((await control('DELETE /outbox')).status).toBe(204);
    expect((await control('GET /outbox')).json.outbox).toEqual([]);
  });
});

test('events that write policies hold are listed, dropped and released', async () => {
  await control('POST /scenarios', { names: ['leads-held'] });
  call('/webhooks/demo-smartlead', '', 'POST', smartleadEvent('EMAIL_SENT', { to: 'kim@held.example' }));
  await control('POST /settle');
  const { held } = (await control('GET /held')).json;
  expect(held).toMatchObject([{ sourceId: 1, eventType: 'EMAIL_SENT', recipient: 'kim@held.example' }]);
  expect((await control('POST /held/release', { recipient: 'nobody@held.example' })).json).toEqual({ events: 0 });
  expect((await control('POST /held/drop', { recipient: 'kim@held.example' })).json).toEqual({ events: 1 });
  expect((await control('GET /held')).json).toEqual({ held: [] });
});

describe('mails of reply relays', () => {
  test('are listed, filtered and cleared; their sender is a setting', async () => {
    expect((await control('PATCH /settings', { mailFrom: 'nobody' })).message).toContain(
      'mailFrom: must be an address',
    );
    await control('PATCH /settings', { mailFrom: 'relay@acme.example' });
    await control('POST /faults', { operations: ['mail'], times: 1, effect: { kind: 'status', status: 451 } });
    call('/webhooks/demo-smartlead', '', 'POST', smartleadEvent('EMAIL_REPLY'));
    await control('POST /clock', { advance: '1h' });
    const { mails } = (await control('GET /mails')).json;
    expect(mails).toMatchObject([
      { status: 'retry', smtpCode: 451, mail: { from: { address: 'relay@acme.example' } } },
      { status: 'sent', smtpCode: 250, mail: { to: { address: 'sam.rivera@example.com' } } },
    ]);
    expect((await control('GET /mails?status=sent&relayId=1')).json.mails).toEqual([mails[1]]);
    expect((await control('GET /mails?to=nobody@example.com')).json.mails).toEqual([]);
    expect((await control('DELETE /mails')).status).toBe(204);
    expect((await control('GET /mails')).json.mails).toEqual([]);
  });
});

describe('faults', () => {
  test.each([
    [{ effect: { kind: 'status', status: 503, body: { oops: true }, retryAfterSeconds: 3 } }, 503],
    [{ operations: ['getMe'], nth: 1, times: 1, probability: 1, effect: { kind: 'reset', when: 'after' } }, 'reset'],
    [{ key: 'osapi_demo_read', effect: { kind: 'truncate', bytes: 3 } }, 'truncated'],
    [{ effect: { kind: 'latency', latencyMs: 5 } }, 200],
    [{ effect: { kind: 'hang' } }, 'hang'],
    [{ operations: ['outbound'], host: 'a.example.com', effect: { kind: 'hang' } }, 200],
  ])('%j', async (rule, end) => {
    expect((await control('POST /faults', rule)).json).toEqual({
      id: 'fault-1',
      ...rule,
      matchedCount: 0,
      hitCount: 0,
    });
    expect(call('/api/v1/me').status).toBe(end);
    const count = end === 200 && 'operations' in rule ? 0 : 1;
    expect((await control('GET /faults')).json.faults).toMatchObject([{ matchedCount: count, hitCount: count }]);
  });

  test('are deleted one by one or all', async () => {
    for (let count = 0; count < 3; count += 1) await control('POST /faults', { effect: { kind: 'hang' } });
    expect((await control('DELETE /faults/fault-2')).status).toBe(204);
    expect(await control('DELETE /faults/fault-2')).toMatchObject({ status: 404, message: 'Fault fault-2 not found' });
    const { json } = await control('POST /faults', { effect: { kind: 'hang' } });
    expect((await control('GET /faults')).json.faults.map(({ id }: { id: string }) => id)).toEqual([
      'fault-1',
      'fault-3',
      json.id,
    ]);
    expect((await control('DELETE /faults')).status).toBe(204);
    expect(call('/api/v1/me').status).toBe(200);
  });

  test.each([
    [{}, 'effect'],
    [{ effect: { kind: 'explode' } }, 'effect'],
    [{ effect: { kind: 'status', status: 99 } }, 'effect.status'],
    [{ operations: ['getYou'], effect: { kind: 'hang' } }, 'operations.0'],
    [{ probability: 2, effect: { kind: 'hang' } }, 'probability'],
    [{ nth: 0, effect: { kind: 'hang' } }, 'nth'],
    [{ time: 1, effect: { kind: 'hang' } }, 'time'],
  ])('%j is refused', async (rule, text) => {
    const { status, message } = await control('POST /faults', rule);
    expect([status, message]).toEqual([400, expect.stringContaining(text)]);
  });
});

describe('the journal', () => {
  test('is filtered, verified and cleared', async () => {
    call('/api/v1/me');
    call('/api/v1/mee');
    call('/webhooks/demo-smartlead', 'osapi_demo_read', 'POST', smartleadEvent('EMAIL_OPEN'));
    const requests = async (query = '') =>
      (await control(`GET /requests${query}`)).json.requests.map(({ id }: { id: number }) => id);
    expect(await requests()).toEqual([1, 2, 3]);
    expect(await requests('?operation=getMe&keyName=Dashboard&method=GET&path=/api/v1/me&status=200')).toEqual([1]);
    expect(await requests('?unmatched=true')).toEqual([2]);
    const [unmatched] = (await control('GET /requests?unmatched=true')).json.requests;
    expect(unmatched.nearestRoute).toMatch(/^[A-Z]+ \/api\/v1\/\S+ \(\w+\)$/);
    expect((await control('GET /requests?unmatched=false')).json.requests[0].nearestRoute).toBeNull();
    expect(await requests('?operation=inbound')).toEqual([3]);
    expect((await control('GET /requests?operation=getYou')).status).toBe(400);
    expect((await control('GET /requests?stauts=200')).message).toContain('stauts');
    expect((await control('GET /requests?status=ok')).status).toBe(400);
    expect((await control('POST /verify', { operation: 'getMe', times: 1 })).json).toMatchObject({
      ok: true,
      count: 1,
    });
    const missing = await control('POST /verify', { operation: 'getMe', query: { limit: '5' } });
    expect([missing.status, missing.json.ok]).toEqual([417, false]);
    expect(missing.message).toContain('query.limit was absent, not "5"');
    expect((await control('DELETE /requests')).status).toBe(204);
    expect(await requests()).toEqual([]);
  });
});

test('scenarios, settings, snapshots and reset', async () => {
  expect((await control('GET /scenarios')).json.applied).toEqual([]);
  expect((await control('POST /scenarios', { names: ['empty', 'slow'] })).json).toEqual({ applied: ['empty', 'slow'] });
  expect((await control('POST /scenarios', { names: ['emtpy'] })).message).toContain('must be one of ready, not-ready');
  const crmFailures = [{ status: 'error', error: { message: 'no' } }];
  expect((await control('PATCH /settings', { latencyMs: 0, scanCap: 9, crmFailures })).json).toMatchObject({
    latencyMs: 0,
    scanCap: 9,
  });
  expect((await control('PATCH /settings', {})).json).toEqual((await control('GET /settings')).json);
  expect((await control('PATCH /settings', { latencyMs: 'fast' })).status).toBe(400);
  expect((await control('POST /snapshots')).json).toEqual({ name: 'snapshot-1' });
  expect((await control('POST /snapshots', { name: 'snapshot-3' })).json).toEqual({ name: 'snapshot-3' });
  expect((await control('POST /snapshots')).json).toEqual({ name: 'snapshot-4' });
  expect((await control('POST /reset')).json).toMatchObject({
    scenarios: [],
    snapshots: ['snapshot-1', 'snapshot-3', 'snapshot-4'],
  });
  expect((await control('GET /settings')).json).toMatchObject({ scanCap: null, crmFailures: [] });
  expect((await control('POST /snapshots/snapshot-1/restore')).json).toMatchObject({ scenarios: ['empty', 'slow'] });
  expect((await control('GET /settings')).json.scanCap).toBe(9);
  expect((await control('GET /snapshots')).json.snapshots).toHaveLength(3);
  expect((await control('POST /snapshots/other/restore')).message).toContain('Snapshots: snapshot-1, snapshot-3');
});

test('receivers must be host names with URLs on this machine', async () => {
  const routed = { 'hooks.example.com': 'http://127.0.0.1:9000/x' };
  expect((await control('PUT /receivers', { 'Hooks.Example.com': 'http://127.0.0.1:9000/x' })).json).toEqual(routed);
  for (const wrong of [
    { 'hooks.example.com': 'https://elsewhere.example.org' },
    { 'hooks.example.com': 'ftp://127.0.0.1' },
    { 'hooks.example.com:8443': 'http://127.0.0.1:9000' },
    { 'https://hooks.example.com': 'http://127.0.0.1:9000' },
  ]) {
    expect([
      (await control('PUT /receivers', wrong)).status,
      (await control('PATCH /settings', { receivers: wrong })).status,
    ]).toEqual([400, 400]);
    expect((await control('POST /worlds', { settings: { receivers: wrong } })).status).toBe(400);
  }
  const withPort = await control('PUT /receivers', { 'h:443': 'http://127.0.0.1:9000' });
  expect(withPort.message).toBe('h:443: must be a host name without a port');
  expect((await control('GET /receivers')).json).toEqual(routed);
});

test('trigger emits any type for an existing source', async () => {
  const { json } = await control('POST /trigger', {
    type: 'sync.recovered',
    sourceId: 6,
    data: { note: 'x' },
    summary: 'By hand',
  });
  expect(call(`/api/v1/events/${json.eventId}`).json).toMatchObject({
    summary: 'By hand',
    sourceId: 6,
    data: { note: 'x' },
  });
  expect((await control('POST /trigger', { type: 'sync.failed', connectionId: 99 })).status).toBe(400);
  expect((await control('POST /trigger', {})).message).toContain('type');
});

describe('data', () => {
  test('rows are created with defaults, found, changed and deleted, and the API shows it', async () => {
    const made = await control('POST /data/syncs', { status: 'error', createdAt: later(-1_000) });
    expect(made.status).toBe(201);
    expect(call(`/api/v1/syncs/${made.json.id}`).json).toMatchObject({ status: 'error', createdAt: later(-1_000) });
    const { json } = await control('GET /data/syncs?where={"status":"error"}&limit=2');
    expect([json.rows.length, json.total > 2]).toEqual([2, true]);
    expect((await control(`GET /data/syncs?where={"id":${made.json.id}}`)).json).toEqual({
      rows: [made.json],
      total: 1,
    });
    expect((await control('GET /data/syncs?limit=0')).json.rows).toEqual([]);
    expect((await control(`PATCH /data/syncs/${made.json.id}`, { toEmail: 'new@example.org' })).json.toEmail).toBe(
      'new@example.org',
    );
    expect((await control(`DELETE /data/syncs/${made.json.id}`)).status).toBe(204);
    expect(call(`/api/v1/syncs/${made.json.id}`).status).toBe(404);
    const webhook = await control('POST /data/webhooks', { description: 'mine' });
    expect(
      (await control(`PATCH /data/webhooks/${webhook.json.id}`, { autoDisabledAt: later(0), isActive: false })).status,
    ).toBe(200);
    expect(call(`/api/v1/webhooks/${webhook.json.id}`).json).toMatchObject({
      autoDisabledAt: later(0),
      isActive: false,
    });
  });

  test('a source gets a mapping, which reads its posts until it is removed; a mistake in it is named', async () => {
    const mapping = { fields: { eventName: 'event', email: 'lead' }, eventTypes: { 'call.ended': 'CALL_COMPLETED' } };
    const made = await control('POST /data/sources', { platform: 'my-dialer', mapping });
    expect(made.json).toMatchObject({ platform: 'my-dialer', mapping });
    const at = `PATCH /data/sources/${made.json.id}`;
    const post = async (lead: string) => {
      const body = JSON.stringify({ event: 'call.ended', lead });
      expect(call(`/webhooks/${made.json.path}`, undefined, 'POST', body).status).toBe(200);
      await control('POST /clock', { advance: '1m' });
    };
    const leads = async () => {
      const { json } = await control(`GET /data/syncs?where={"sourceId":${made.json.id}}`);
      return json.rows.map(({ toEmail }: { toEmail: string }) => toEmail);
    };
    await post('kim@example.org');
    for (const [wrong, message] of [
      [{ ...mapping, fields: { eventName: 'event' } }, 'mapping.fields.email'],
      [{ ...mapping, fields: { ...mapping.fields, email: 'lead..mail' } }, 'cannot be read from "..mail"'],
      [{ ...mapping, eventTypes: { 'call.ended': 'CALLED' } }, 'must be one of EMAIL_SENT'],
      [{ ...mapping, script: '' }, '"script" is not a part of a mapping'],
      ['lead', 'mapping'],
    ] as const) {
      expect(await control(at, { mapping: wrong })).toMatchObject({
        status: 400,
        message: expect.stringContaining(message),
      });
    }
    await post('lou@example.org');
    expect((await control(at, { mapping: null })).json.mapping).toBeNull();
    await post('max@example.org');
    expect(await leads()).toEqual(['kim@example.org', 'lou@example.org']);
  });

  test.each([
    ['GET /data/synks', undefined, 404],
    ['GET /data/constructor', undefined, 404],
    ['GET /data/syncs?where={', undefined, 400],
    ['GET /data/syncs?where=7', undefined, 400],
    ['GET /data/syncs?limit=-1', undefined, 400],
    ['POST /data/syncs', { connectionId: 999 }, 400],
    ['POST /data/syncs', { status: 'fine' }, 400],
    ['POST /data/syncs', { createdAt: 'yesterday' }, 400],
    ['POST /data/syncs', { colour: 'red' }, 400],
    ['POST /data/syncs', [1], 400],
    ['PATCH /data/syncs/999999', {}, 404],
    ['PATCH /data/syncs/11', { id: 12 }, 400],
    ['DELETE /data/connections/1', undefined, 400],
    ['DELETE /data/webhooks/oswhk_none', undefined, 404],
  ])('%s %j: %i', async (at, body, status) => {
    const before = mock.engine.worlds.default.state.data;
    const { message, ...answer } = await control(at, body);
    expect([answer.status, typeof message]).toEqual([status, 'string']);
    expect(mock.engine.worlds.default.state.data).toEqual(before);
  });
});

describe('invalid calls', () => {
  test('an unknown endpoint is a 404 that lists the known ones', async () => {
    for (const at of ['GET /clocks', 'PUT /clock', 'GET /', 'GET ', 'DELETE /worlds']) {
      const { status, message } = await control(at);
      expect([at, status]).toEqual([at, 404]);
      expect(message).toContain('POST /__svc/clock');
    }
  });

  test.each([
    ['invalid JSON', '{"freeze":', 400, 'The body is not JSON'],
    ['not an object', '[]', 400, 'The body'],
    ['null', 'null', 400, 'The body'],
    ['too large', `"${'x'.repeat(1024 * 1024)}"`, 413, 'larger than'],
  ])('a body that is %s', async (_name, body, status, text) => {
    const answer = await control('POST /clock', body);
    expect([answer.status, answer.message]).toEqual([status, expect.stringContaining(text)]);
  });

  test('GET /openapi.json returns the document', async () => {
    expect((await control('GET /openapi.json')).json).toEqual(DOCUMENT);
  });

  test('refuses query parameters that the endpoint does not have', async () => {
    expect((await control('GET /clock?format=unix')).message).toBe(
      'This endpoint has no query parameters, but "format" was sent.',
    );
  });
});

// The tests above must have covered every success status of the document.
afterAll(() => {
  const operations = Object.values<Record<string, { operationId: string; responses: object }>>(DOCUMENT.paths).flatMap(
    (item) => Object.values(item),
  );
  const successes = operations
    // The operations below `/worlds/{world}` repeat the other ones.
    .filter(({ operationId }) => !/WorldsWorld[A-Z]/.test(operationId))
    .flatMap(({ operationId, responses }) =>
      Object.keys(responses)
        .filter((status) => status.startsWith('2') || status === '417')
        .map((status) => `${operationId} ${status}`),
    );
  expect(successes.filter((each) => !seen.has(each))).toEqual([]);
});
