/** Every scenario, seen through the API. */
import { createResponseValidator } from '@svc/contract/strict';
import { describe, expect, test } from 'vitest';
import { ask, createDemoWorld, DEMO, DEPS, MONTH, NOW, read, refusal, toRequest } from '../../test/support/demo.ts';
import { createRunningWorld, HOUR_MS, MINUTE_MS } from '../../test/support/running.ts';
import { handle } from '../service/handle.ts';
import { matchRoute } from '../service/routes.ts';
import { entriesOf } from './history.ts';
import { allRows } from './log.ts';
import { SCENARIO_NAMES, type ScenarioName } from './scenario-names.ts';
import { applyScenarios } from './scenarios.ts';
import { resetWorld } from './snapshots.ts';
import type { World } from './world.ts';

const KEYS = DEMO.apiKeys
  .filter(({ revokedAt, rotatedAt }) => revokedAt === null && rotatedAt === null)
  .map(({ token }) => token);

function worldWith(...names: readonly ScenarioName[]): World {
  const world = createDemoWorld();
  applyScenarios(world, names, { now: NOW });
  return world;
}

/** Returns the account status of every key that sees a connection. */
function statuses(world: World) {
  return KEYS.map((key) => ask(world, '/api/v1/account/status', { key }))
    .filter(({ status }) => status === 200)
    .map(({ json }) => json)
    .filter(({ connections }) => connections.length > 0);
}

test('ready: no key sees blockers or warnings', () => {
  const all = statuses(worldWith('ready'));
  expect(all.length).toBeGreaterThanOrEqual(6);
  for (const status of all) {
    expect([status.ready, status.blockers, status.warnings]).toEqual([true, [], []]);
    for (const connection of status.connections) {
      expect([connection.crmConnection.status, connection.blocklists.lastError]).toEqual(['ready', null]);
    }
  }
  expect(statuses(createDemoWorld()).every(({ ready }) => ready)).toBe(false);
});

test('not-ready: every connection is a blocker', () => {
  for (const status of statuses(worldWith('not-ready'))) {
    expect(status.ready).toBe(false);
    expect(status.blockers).toHaveLength(status.connections.length);
  }
});

test('empty: keeps only accounts, keys and connections', async () => {
  const running = createRunningWorld(() => 200, worldWith('empty'));
  const { world } = running;
  for (const path of ['sources', 'destinations', 'blocklists', 'webhooks']) {
    expect(Object.values(read(world, `/api/v1/${path}`, 'osapi_demo_write'))).toEqual([[]]);
  }
  for (const path of [`requests?${MONTH}`, `syncs?${MONTH}`, `deliveries?${MONTH}`, 'events']) {
    expect(read(world, `/api/v1/${path}`)).toEqual({ data: [], hasMore: false, nextCursor: null });
  }
  expect(read(world, '/api/v1/connections').connections).toHaveLength(3);
  await running.advance(48 * HOUR_MS);
  expect(entriesOf(world.state.outbox)).toEqual([]);
});

test('large: adds 100,000 syncs that all worlds share', () => {
  const startedMs = performance.now();
  const [one, two] = [worldWith('large'), worldWith('ready', 'large')];
  console.log(`large, twice: ${Math.round(performance.now() - startedMs)} ms`);
  const before = createDemoWorld().state.data.syncs.length;
  expect(one.state.data.syncs.length).toBe(before + 100_000);
  expect(two.state.data.syncs).toBe(one.state.data.syncs);
  const { success, warning, error } = read(one, `/api/v1/syncs/metrics?${MONTH}`);
  expect(success + warning + error).toBeGreaterThan(100_000);
  expect(read(one, `/api/v1/syncs?${MONTH}&limit=500`).data).toHaveLength(500);
  const ids = new Set(allRows(one.state.data.syncs).map(({ id }) => id));
  expect(ids.size).toBe(before + 100_000);
  // Made again, they are equal.
  const last = allRows(one.state.data.syncs).at(-1);
  applyScenarios(createDemoWorld(), ['empty', 'large'], { now: new Date(0) });
  expect(allRows(worldWith('large').state.data.syncs).at(-1)).toEqual(last);
});

describe('rate-limited', () => {
  const call = (world: World, path = '/api/v1/me', now = NOW) =>
    ask(world, path, { key: 'osapi_demo_read' }, { ...DEPS, realNow: () => now });

  test('the first call of an account is refused for a minute, again after a reset', () => {
    for (const path of ['/api/v1/me', '/api/v1/contacts/outreach?email=a@example.org']) {
      const world = worldWith('rate-limited');
      world.initial = world.state;
      const at = (ms: number) => new Date(NOW.getTime() + 10 * MINUTE_MS + ms);
      world.state = { ...world.state, clock: { mode: 'running', offsetMs: 0 } };
      world.initial = world.state;
      for (let round = 0; round < 2; round += 1) {
        const refused = call(world, path, at(0));
        expect([refused.status, refused.headers['Retry-After']]).toEqual([429, '60']);
        expect(call(world, path, at(20_500)).headers['Retry-After']).toBe('40');
        expect(call(world, path, at(60_000)).status).toBe(200);
        resetWorld(world);
      }
    }
  });

  test('an account that has called before is refused too', () => {
    const world = createDemoWorld({ settings: { rateLimit: 'spec' } });
    expect(call(world).status).toBe(200);
    applyScenarios(world, ['rate-limited'], { now: NOW });
    expect(call(world).status).toBe(429);
  });

  test('each account has its own window, and calls without a key are not limited', () => {
    const world = worldWith('rate-limited');
    expect(refusal(world, '/api/v1/me', { key: 'osapi_demo_other' })[0]).toBe(429);
    expect(refusal(world, '/api/v1/me', { key: null })[0]).toBe(401);
    expect(refusal(world, '/health/live', { key: null })[0]).toBe(200);
  });
});

test('flaky: about one call in seven fails, in every way, the same ones for the same seed', () => {
  const run = () => {
    const world = worldWith('flaky', 'flaky');
    return Array.from({ length: 600 }, () => {
      const outcome = handle(world, toRequest('/api/v1/me'), DEPS);
      return outcome.kind === 'answer' ? outcome.answer.status : outcome.kind;
    });
  };
  const ends = run();
  expect(new Set(ends)).toEqual(new Set([200, 500, 503, 'reset', 'truncated']));
  const failed = ends.filter((end) => end !== 200).length / ends.length;
  expect(failed).toBeGreaterThan(0.07);
  expect(failed).toBeLessThan(0.22);
  expect(run()).toEqual(ends);
});

test('slow: delays API answers, not health', () => {
  const world = worldWith('slow');
  expect(handle(world, toRequest('/api/v1/me'), DEPS)).toMatchObject({ delayMs: 1_500 });
  expect(handle(world, toRequest('/health/live'), DEPS)).toMatchObject({ delayMs: 0 });
});

test('revoked-key: every key is invalid', () => {
  const world = worldWith('revoked-key');
  for (const key of KEYS) expect(refusal(world, '/api/v1/me', { key })).toEqual([401, 'Invalid API key']);
});

test('resync-in-progress: every resyncable list is FETCHING for an hour, then finishes', async () => {
  const running = createRunningWorld(() => 200, worldWith('resync-in-progress'));
  const resync = (id: number) => running.call('POST', `/blocklists/${id}/resync`).status;
  const lists = (): { id: number; status: string; lastAttemptedAt: string }[] =>
    running.call('GET', '/blocklists').json.blocklists;
  const busy = lists().filter(({ id, status }) => status === 'FETCHING' && resync(id) === 409);
  expect(busy.map(({ id }) => id)).toEqual([1, 3, 4, 5, 8]);
  await running.advance(HOUR_MS - 1);
  expect(lists().filter(({ status }) => status === 'FETCHING')).toHaveLength(busy.length);
  await running.advance(MINUTE_MS);
  for (const { id } of busy) expect(lists().find((list) => list.id === id)).toMatchObject({ status: 'SYNCED' });
});

test('short-pages: filtered pages are short or empty with hasMore', () => {
  const world = worldWith('short-pages');
  const all: number[] = [];
  let emptyPages = 0;
  for (let cursor: string | null = ''; cursor !== null; ) {
    const suffix: string = cursor === '' ? '' : `&cursor=${cursor}`;
    const page = read(world, `/api/v1/syncs?${MONTH}&status=error&limit=10${suffix}`);
    all.push(...page.data.map(({ id }: { id: number }) => id));
    if (page.data.length === 0 && page.hasMore) emptyPages += 1;
    cursor = page.nextCursor;
  }
  expect(emptyPages).toBeGreaterThan(0);
  const { error } = read(createDemoWorld(), `/api/v1/syncs/metrics?${MONTH}`);
  expect(new Set(all).size).toBe(error);
});

test('webhooks-disabled: refuses webhooks and events', () => {
  const world = worldWith('webhooks-disabled');
  for (const path of ['/api/v1/webhooks', '/api/v1/events']) {
    expect(refusal(world, path)).toEqual([403, 'Platform webhooks are not enabled for this account']);
  }
});

describe('future', () => {
  /** Validates against the published contract, which allows unknown fields and values. */
  const problemsOf = createResponseValidator({ isOpen: true });
  const paths = [
    'me',
    'account/status',
    'connections',
    'sources',
    'destinations',
    'destinations/1',
    'destinations/reply-relays',
    'blocklists',
    'contacts/outreach?email=luis.gupta@example.net',
    `requests?${MONTH}`,
    `syncs?${MONTH}`,
    'syncs/11',
    `syncs/metrics?${MONTH}`,
    `deliveries?${MONTH}`,
    `account/metrics?${MONTH}`,
    'webhooks',
    'events?limit=100',
    'webhooks/oswhk_demo01/deliveries',
    'syncs/999999999',
    'syncs',
  ].map((path) => `/api/v1/${path}`);

  test.each(paths)('%s has unknown fields and is valid by the open contract', (path) => {
    const outcome = handle(worldWith('future'), toRequest(path, { key: 'osapi_demo_write' }), DEPS);
    if (outcome.kind !== 'answer') throw new Error('no answer');
    const { status, headers, body: text } = outcome.answer;
    const body = JSON.parse(text);
    expect(body).toHaveProperty('addedLater');
    const id = matchRoute('GET', path)?.route.id;
    if (id === undefined || id === 'inbound') throw new Error('no such operation');
    expect(problemsOf(id, status, headers, body)).toEqual([]);
  });

  test('every open vocabulary has an unknown value', () => {
    const world = worldWith('future');
    const text = paths
      .map((path) => {
        const outcome = handle(world, toRequest(path, { key: 'osapi_demo_write' }), DEPS);
        return outcome.kind === 'answer' ? outcome.answer.body : '';
      })
      .join('\n');
    for (const value of [
      'DYNAMICS',
      'quickmail',
      'VOICE_NOTE_SENT',
      'degraded',
      'crm_quota_exceeded',
      'connection.disconnected',
    ]) {
      expect(text).toContain(`"${value}"`);
    }
  });

  test('does not change the OpenAPI document', async () => {
    const documentOf = (world: World) => handle(world, toRequest('/api/v1/openapi.json'), DEPS);
    expect(documentOf(worldWith('future'))).toMatchObject({ kind: 'answer', answer: { status: 200 } });
    const [future, plain] = [worldWith('future'), createDemoWorld()].map((world) => {
      const outcome = documentOf(world);
      return outcome.kind === 'answer' ? outcome.answer.body : null;
    });
    expect(future).toBe(plain);
  });
});

test('scenarios are applied in order, and the settings list them', () => {
  const world = worldWith('empty', 'slow', 'future');
  expect(world.state.settings).toMatchObject({
    scenarios: ['empty', 'slow', 'future'],
    latencyMs: 1_500,
    isFuture: true,
  });
});

test('an unknown name changes nothing and the error lists the known ones', () => {
  const world = createDemoWorld();
  const before = world.state;
  expect(() => applyScenarios(world, ['ready', 'redy'], { now: NOW })).toThrow(
    `Unknown scenario "redy". Scenarios: ${SCENARIO_NAMES.join(', ')}.`,
  );
  expect(() => applyScenarios(world, ['constructor'], { now: NOW })).toThrow(RangeError);
  expect(world.state).toBe(before);
});

test('there are fifteen scenarios', () => {
  expect(SCENARIO_NAMES.toSorted()).toEqual(
    [
      'ready not-ready empty large rate-limited flaky slow revoked-key syncs-failing resync-in-progress short-pages',
      'future webhooks-disabled leads-held replies-only',
    ]
      .join(' ')
      .split(' ')
      .toSorted(),
  );
});
