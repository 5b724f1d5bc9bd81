import { expect, test } from 'vitest';
import { ask, createDemoWorld, MONTH } from '../../test/support/demo.ts';
import { nearestRoute } from '../service/routes.ts';
import { type Expectation, findCalls, verifyCalls } from './verify.ts';

function worldWithCalls() {
  const world = createDemoWorld();
  ask(world, `/api/v1/syncs?${MONTH}&limit=5`);
  ask(world, `/api/v1/syncs?${MONTH}&limit=50`, { key: 'osapi_demo_other' });
  ask(world, '/api/v1/synchs/11');
  ask(world, '/api/v1/webhooks', {
    method: 'POST',
    key: 'osapi_demo_write',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ url: 'https://a.example.com/x', enabledEvents: ['sync.failed'], description: 'ops' }),
  });
  return world;
}

const verify = (expectation: Expectation) => verifyCalls(worldWithCalls().state.journal, expectation);

test.each<[string, Expectation, boolean, number]>([
  ['at least once by default', { operation: 'createWebhook' }, true, 1],
  ['exactly', { operation: 'listSyncs', times: 2 }, true, 2],
  ['exactly, but there were more', { operation: 'listSyncs', times: 1 }, false, 2],
  ['never', { operation: 'retrySync', times: 0 }, true, 0],
  ['at least', { operation: 'listSyncs', atLeast: 3 }, false, 2],
  ['at most', { operation: 'listSyncs', atMost: 2 }, true, 2],
  ['at most, with no call', { operation: 'retrySync', atMost: 2 }, true, 0],
  ['between', { operation: 'listSyncs', atLeast: 1, atMost: 1 }, false, 2],
  ['by the key', { operation: 'listSyncs', keyName: 'Other tenant', times: 1 }, true, 1],
  ['by a parameter', { query: { limit: '50' }, times: 1 }, true, 1],
  ['by a part of the body', { body: { enabledEvents: ['sync.failed'] }, times: 1 }, true, 1],
  ['by an array that is longer', { body: { enabledEvents: ['sync.failed', 'sync.recovered'] } }, false, 0],
  ['by method and path', { method: 'post', path: '/api/v1/webhooks', times: 1 }, true, 1],
  ['by the status', { status: 404, times: 1 }, true, 1],
  ['unmatched', { isUnmatched: true, times: 1 }, true, 1],
  ['all', { times: 4 }, true, 4],
])('%s', (_name, expectation, ok, count) => {
  expect(verify(expectation)).toMatchObject({ ok, count });
  expect(verify(expectation).calls).toHaveLength(count);
});

test('a failure lists the nearest calls and how each differs', () => {
  const { message } = verify({ operation: 'listSyncs', query: { limit: '20' }, keyName: 'Dashboard' });
  expect(message.split('\n')).toEqual([
    'Expected at least 1 call(s) of operation "listSyncs", query {"limit":"20"}, keyName "Dashboard", found 0.',
    'The nearest calls:',
    expect.stringMatching(
      /^ {2}#1 listSyncs \(GET \/api\/v1\/syncs .*answered 200 \(query\.limit was "5", not "20"\)$/,
    ),
    expect.stringContaining('(keyName was "Other tenant", not "Dashboard"; query.limit was "50", not "20")'),
    expect.stringContaining(
      '#3 GET /api/v1/synchs/11 answered 404: no such route, the nearest is GET /api/v1/syncs/{id} (getSync)',
    ),
    expect.stringMatching(
      /#4 createWebhook .*operation was "createWebhook", not "listSyncs".*query\.limit was absent, not "20"/,
    ),
  ]);
});

test('too many: matching calls come first', () => {
  const { message } = verify({ operation: 'listSyncs', times: 0 });
  expect(message).toMatch(
    /^Expected exactly 0 call\(s\) of operation "listSyncs", found 2\.\nThe nearest calls:\n {2}#2 .*\n {2}#1 /,
  );
});

test("without any call, suggests checking the client's address", () => {
  const { message } = verifyCalls(createDemoWorld().state.journal, { operation: 'getMe' });
  expect(message).toContain('is the client configured with its address?');
});

test('shortens long lists and bodies', () => {
  const world = createDemoWorld();
  for (let count = 0; count < 30; count += 1) ask(world, '/api/v1/me');
  const { message } = verifyCalls(world.state.journal, { body: { text: 'x'.repeat(5_000) } });
  expect(message.split('\n')).toHaveLength(13);
  expect(message).toContain('and 20 more');
  expect(message.length).toBeLessThan(6_000);
});

test.each([
  ['GET', '/api/v1/sync', 'GET /api/v1/syncs (listSyncs)'],
  ['GET', '/api/v1/webhook/oswhk_demo01', 'GET /api/v1/webhooks/{id} (getWebhook)'],
  ['PUT', '/api/v1/webhooks/oswhk_demo01', '/api/v1/webhooks/{id}'],
  ['POST', '/v1/syncs/7/retry', 'POST /api/v1/syncs/{id}/retry (retrySync)'],
  ['POST', '/api/v1/syncs/7/retries', 'POST /api/v1/syncs/{id}/retry (retrySync)'],
  ['GET', '/api/v1/contact/outreach', 'GET /api/v1/contacts/outreach (getContactOutreach)'],
])('the nearest route of %s %s', (method, path, nearest) => {
  expect(nearestRoute(method, path)).toContain(nearest);
});

test('nearestRoute is fast for very long paths', () => {
  const startedMs = performance.now();
  const long = `/api/v1/${'x'.repeat(200_000)}/${'a/'.repeat(20_000)}`;
  expect(nearestRoute('GET', long)).toMatch(/^GET /);
  expect(performance.now() - startedMs).toBeLessThan(10_000);
});

test('calls are found oldest first', () => {
  expect(findCalls(worldWithCalls().state.journal).map(({ id }) => id)).toEqual([1, 2, 3, 4]);
});

test('the journal masks keys and secrets wherever they were sent', () => {
  const world = createDemoWorld();
  const secrets = ['osapi_demo_write', 'oswhsec_demo01'];
  const [key, secret] = secrets;
  ask(world, `/api/v1/events/${secret}?key=${key}&type=test.ping&type=${secret}`, {
    key: 'osapi_demo_write',
    headers: { cookie: 'session=1', 'svc-control-token': 'mine', 'x-api-key': 'theirs', 'x-note': `${key}!` },
  });
  ask(world, '/api/v1/me', { key: null, headers: { authorization: key ?? '' } });
  ask(world, '/webhooks/demo-smartlead', {
    method: 'POST',
    key: null,
    body: JSON.stringify({ a: [secret], b: `x ${key}` }),
  });
  ask(world, '/webhooks/demo-smartlead', { method: 'POST', key: null, body: `no JSON ${secret}` });
  const rotated = ask(world, '/api/v1/webhooks/oswhk_demo01/rotate-secret', {
    method: 'POST',
    key: 'osapi_demo_write',
  });
  const text = JSON.stringify(findCalls(world.state.journal));
  for (const each of [...secrets, rotated.json.secret, 'session=1', '"mine"', 'theirs'])
    expect(text).not.toContain(each);
  expect(text).toContain('oswhsec_***');
  expect(findCalls(world.state.journal)[2]?.body).toEqual({ a: ['oswhsec_***'], b: 'x osapi_***' });
});
