/** The public API for users of the dashboard: what an account shows, what stays apart, and what the audit log keeps. */
import { type Operation, operations as apiOperations } from '@svc/contract/operations';
import { anyBackend } from '@svc/engine/test/backends';
import { operations, performAdmin } from '@svc/operations/perform';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type DashboardAnswer, type DashboardUser, signIn } from '../support/dashboard-user.ts';
import { startTestServer, type TestServer } from '../support/harness.ts';

/** The account with rows of every kind, and another one with a key. */
const [RICH, OTHER, OTHER_KEY] = [1, 2, 'osapi_demo_other'];
const RANGE = { from: '2026-03-01T00:00:00Z', to: '2026-03-31T12:00:00Z' };
const UNKNOWN = 987_654_321;

let server: TestServer;
let admin: DashboardUser;
/** Ids of rows of the account `RICH`, by resource. */
let ids: Readonly<Record<string, number | string>>;

beforeAll(async () => {
  server = await startTestServer(anyBackend);
  admin = await signIn(server, { email: 'kim@example.com', role: 'admin' });
  const { world } = server;
  const connections = new Set(world.connections.filter(({ accountId }) => accountId === RICH).map(({ id }) => id));
  const first = <Row extends { id: number | string; connectionId: number | null }>(rows: readonly Row[]) =>
    rows.find(({ connectionId }) => connectionId !== null && connections.has(connectionId))?.id ?? 0;
  const delivery = world.webhookDeliveries.find(({ status }) => status === 'DEAD');
  ids = {
    Source: first(world.sources),
    Sync: first(world.syncs.filter(({ status }) => status === 'error')),
    Destination: first(world.destinations),
    Blocklist: first(world.blocklists),
    Connection: first(world.connections.map(({ id }) => ({ id, connectionId: id }))),
    Webhook: delivery?.webhookId ?? '',
    'Webhook delivery': delivery?.id ?? '',
    Delivery: first(world.deliveries.filter(({ destinationId }) => destinationId === first(world.destinations))),
    Event: world.events.find(({ accountId }) => accountId === RICH)?.id ?? '',
  };
});
afterAll(() => server.close());

const read = apiOperations.filter(({ method, access }) => method === 'GET' && access !== 'public');
/** The removal comes last, because the others need the row. */
const writes: readonly Operation[] = apiOperations
  .filter(({ method }) => method !== 'GET')
  .toSorted((one, other) => Number(one.method === 'DELETE') - Number(other.method === 'DELETE'));

/** @param idOf the value of a path parameter */
function pathOf({ path, pathParams, queryParams }: Operation, idOf: (resource: string) => number | string): string {
  const filled = pathParams.reduce((text, { name, resource, type }) => {
    const kind = resource === 'Delivery' && type === 'string' ? 'Webhook delivery' : resource;
    return text.replace(`{${name}}`, String(idOf(kind)));
  }, path);
  const query: Record<string, string> = queryParams.includes('from') ? RANGE : {};
  return `${filled}?${new URLSearchParams(queryParams.includes('email') ? { email: 'zoe.tanaka@example.org' } : query)}`;
}

const under = (account: number, path: string) => `accounts/${account}${path}`;
const own = (resource: string) => ids[resource] ?? UNKNOWN;

describe('an account shows nothing of another one', () => {
  test.each(read)('$id answers as to a key of the account', async (operation) => {
    const path = pathOf(operation, own);
    const ofUser = await admin.call('GET', under(OTHER, path));
    const ofKey = await server.get(operation.id, path, OTHER_KEY);
    const { apiKey: _ofUser, ...shown } = ofUser.json;
    const { apiKey: _ofKey, ...expected } = ofKey.json;
    expect([ofUser.status, shown]).toEqual([ofKey.status, expected]);
    // Where an id is in the path, it is of a row that exists.
    const answers = await admin.call('GET', under(RICH, path));
    expect(answers.status).toBe(200);
    if (operation.pathParams.length > 0) expect(ofUser.status).toBe(404);
  });

  test.each(writes.filter(({ pathParams }) => pathParams.length > 0))('$id: 404 for an id of it', async (operation) => {
    const body = operation.hasBody ? { description: 'x' } : undefined;
    const answer = await admin.call(operation.method, under(OTHER, pathOf(operation, own)), body);
    expect([answer.status, answer.json.message]).toEqual([404, expect.stringContaining('not found')]);
  });

  test.each([
    ['sourceId', 'Source'],
    ['destinationId', 'Destination'],
    ['connectionId', 'Connection'],
  ])('the filter %s with an id of it answers as with an unknown one', async (filter, resource) => {
    const filtered = read.filter(({ queryParams }: Operation) => queryParams.includes(filter));
    expect(filtered.length).toBeGreaterThan(0);
    for (const operation of filtered) {
      const source = server.world.sources.find(({ connectionId }) => connectionId === 5)?.id ?? 0;
      const ask = async (id: number | string) => {
        const path = pathOf(operation, () => source);
        const { status, json } = await admin.call('GET', under(OTHER, `${path}&${filter}=${id}`));
        return { status, text: JSON.stringify(json).replaceAll(new RegExp(`\\b${id}\\b`, 'g'), 'ID') };
      };
      expect([operation.id, await ask(own(resource))]).toEqual([operation.id, await ask(UNKNOWN)]);
    }
  });
});

describe('what an account shows', () => {
  test('connections without API access too', async () => {
    const hidden = server.world.connections.filter(({ accountId, canUseApi }) => accountId === RICH && !canUseApi);
    expect(hidden.length).toBeGreaterThan(0);
    const { json } = await admin.call('GET', under(RICH, '/api/v1/connections'));
    const shown = json.connections.map(({ id }: { id: number }) => id);
    for (const { id } of hidden) expect(shown).toContain(id);
  });

  test('empty lists for an account without connections', async () => {
    const { account } = await performAdmin(
      server.running.ctx,
      'accounts/create',
      { email: 'new@example.com' },
      'a test',
    );
    const { status, json } = await admin.call('GET', under(account.id, '/api/v1/sources'));
    expect([status, json.sources]).toEqual([200, []]);
    expect((await admin.call('GET', under(account.id, '/api/v1/account/status'))).status).toBe(200);
  });

  test('no webhooks where the account may not use them', async () => {
    const { status, json } = await admin.call('GET', under(4, '/api/v1/webhooks'));
    expect([status, json]).toEqual([403, expect.objectContaining({ error: 'Forbidden' })]);
  });
});

describe('the audit log', () => {
  beforeEach(() => server.db.query('delete from audit_log'));
  const entries = async () => {
    const { rows } = await server.db.query('select actor, operation, input, outcome from audit_log order by id');
    return rows;
  };

  test.each(writes)('keeps $id with its user and path, without the body', async (operation) => {
    const body =
      operation.id === 'createWebhook' ? { url: 'https://hooks.example.com/secret-path' } : { isActive: true };
    const answer = await admin.call(
      operation.method,
      under(RICH, pathOf(operation, own)),
      operation.hasBody ? body : undefined,
    );
    expect([200, 202, 204, 409]).toContain(answer.status);
    const [entry, ...more] = await entries();
    expect(more).toEqual([]);
    expect(entry).toEqual({
      actor: 'user:kim@example.com',
      operation: `api/${operation.id}`,
      input: {
        accountId: RICH,
        ...Object.fromEntries(operation.pathParams.map(({ name }) => [name, expect.any(String)])),
      },
      outcome: answer.status === 409 ? 'conflict' : 'done',
    });
    expect(JSON.stringify(entry)).not.toMatch(/secret-path|oswhsec_/);
  });

  test.each([...operations.values()].filter((it) => it.declaration.onlyOnMachine !== true))(
    'keeps $declaration.name with its user if it changes something',
    async ({ declaration: { name, permission } }) => {
      await admin.call('POST', `operations/${name}`, []);
      const entry = { actor: 'user:kim@example.com', operation: name, input: null, outcome: 'invalid_input' };
      expect(await entries()).toEqual(permission === 'write' ? [entry] : []);
    },
  );

  test('keeps no reads, and nothing that was refused for the role', async () => {
    const viewer = await signIn(server, { email: 'lin@example.com', role: 'viewer' });
    await server.db.query('delete from audit_log');
    await viewer.call('GET', under(RICH, '/api/v1/sources'));
    await viewer.call('POST', under(RICH, `/api/v1/syncs/${own('Sync')}/retry`));
    await viewer.call('POST', 'operations/accounts/create', { email: 'x@example.com' });
    expect(await entries()).toEqual([]);
  });
});

describe('limits', () => {
  test('429 for a page in a loop, for this session only, and the keys of the account are not counted', async () => {
    const looping = await signIn(server, { email: 'loop@example.com', role: 'viewer' });
    const answers: DashboardAnswer[] = [];
    while (answers.length < 450) {
      const calls = Array.from({ length: 25 }, () => looping.call('GET', under(RICH, '/api/v1/connections')));
      answers.push(...(await Promise.all(calls)));
    }
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused).toHaveLength(50);
    expect(refused[0]?.json.error.code).toBe('too_many_requests');
    expect(Number(refused[0]?.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await admin.call('GET', under(RICH, '/api/v1/connections'))).status).toBe(200);
    expect(answers[0]?.headers.get('ratelimit')).toBeNull();
    server.clock.advance(10_000);
    expect((await looping.call('GET', 'operations')).status).toBe(404);
    expect((await looping.call('GET', under(RICH, '/api/v1/connections'))).status).toBe(200);
  });

  test('an input above 4 MiB is refused, and what is not JSON', async () => {
    const large = await admin.call('POST', 'operations/accounts/create', { email: 'x'.repeat(5 * 1024 * 1024) });
    expect([large.status, large.json.error.code]).toEqual([413, 'invalid_input']);
    const response = await fetch(`${server.url}/dashboard/api/operations/accounts/create`, {
      method: 'POST',
      headers: { cookie: admin.cookie, 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' },
      body: '{"secret": hunter2',
    });
    expect([response.status, await response.text()]).toEqual([400, expect.not.stringContaining('hunter')]);
  });
});
