import { afterEach, beforeEach, describe, expect, expectTypeOf, test } from 'vitest';
import { createMock } from '../index.ts';
import type { Mock, MockDb, MockRows } from '../mock-types.ts';

const NOW = new Date('2026-03-31T12:00:00.000Z');
const KINDS = [
  'accounts',
  'apiKeys',
  'connections',
  'sources',
  'destinations',
  'replyRelays',
  'blocklists',
  'webhooks',
  'requests',
  'syncs',
  'deliveries',
  'events',
  'webhookDeliveries',
] as const satisfies (keyof MockDb)[];

let mock: Mock;
beforeEach(() => {
  mock = createMock({ now: NOW });
});
afterEach(() => mock.close());

/** Returns the rows of a kind, typed by their common fields. */
function rowsOf(kind: keyof MockDb) {
  return mock.db[kind] as unknown as MockRows<{ id: number | string; createdAt: Date }>;
}

/** Returns `any` so that tests can read every field. */
async function call(path: string, method = 'GET', body?: object): Promise<ReturnType<typeof JSON.parse>> {
  const headers = { Authorization: 'Bearer osapi_demo_write', 'Content-Type': 'application/json' };
  const init = body === undefined ? { method, headers } : { method, headers, body: JSON.stringify(body) };
  return JSON.parse(await (await mock.fetch(`/api/v1${path}`, init)).text());
}

describe.each(KINDS)('%s', (kind) => {
  test('a row is created from defaults, found, counted, changed and deleted', async () => {
    const rows = rowsOf(kind);
    const before = rows.count();
    expect(before).toBeGreaterThan(3);
    const row = await rows.create();
    expect(row.createdAt).toEqual(NOW);
    expect(rows.findFirst((query) => query.where({ id: row.id }))).toEqual(row);
    expect(rows.findMany(row)).toEqual([row]);
    expect([rows.count(), rows.all().length]).toEqual([before + 1, before + 1]);
    const at = new Date('2026-03-30T00:00:00.001Z');
    const changed = await rows.update(row, { data: (draft) => void (draft.createdAt = at) });
    expect(changed).toEqual({ ...row, createdAt: at });
    expect(rows.findMany({ where: { createdAt: at } })).toEqual([changed]);
    expect(rows.delete(row)).toEqual(changed);
    expect(rows.findFirst(row)).toBeUndefined();
    expect(rows.count()).toBe(before);
  });

  test('reset and restore swap the rows', async () => {
    const rows = rowsOf(kind);
    const before = rows.all();
    const created = await rows.createMany(3);
    expect(new Set(created.map(({ id }) => id)).size).toBe(3);
    mock.snapshot('with three more');
    mock.reset();
    expect(rows.all()).toEqual(before);
    mock.restore('with three more');
    expect(rows.count()).toBe(before.length + 3);
  });

  test('refuses an id that is taken', async () => {
    const [row] = rowsOf(kind).all();
    await expect(rowsOf(kind).create({ id: row?.id ?? '' })).rejects.toThrow(/id: .* is taken/);
  });

  test('returned rows are frozen', () => {
    const [row] = rowsOf(kind).all();
    expect(() => Object.assign(row ?? {}, { id: 'x' })).toThrow(TypeError);
  });
});

describe('the API shows', () => {
  test('an error sync, which can be retried', async () => {
    const sync = await mock.db.syncs.create({ status: 'error' });
    expect(await call(`/syncs/${sync.id}`)).toMatchObject({ id: sync.id, status: 'error', toEmail: sync.toEmail });
    await call(`/syncs/${sync.id}/retry`, 'POST');
    await mock.settle();
    expect(mock.db.syncs.findFirst()).toMatchObject({ payloadId: sync.payloadId, status: 'success' });
  });

  test('a disconnected connection and a new source', async () => {
    await mock.db.connections.update({ where: { crm: 'HUBSPOT' } }, { data: (row) => void (row.crmToken = null) });
    expect((await call('/account/status')).ready).toBe(false);
    const source = await mock.db.sources.create({ platform: 'instantly', path: 'of-a-test' });
    const { sources } = await call('/sources');
    expect(sources.find(({ id }: { id: number }) => id === source.id)).toMatchObject({ platform: 'instantly' });
  });

  test('a new key', async () => {
    const key = await mock.db.apiKeys.create({ connectionId: 2 });
    const response = await mock.fetch('/api/v1/connections', { headers: { Authorization: `Bearer ${key.token}` } });
    expect(JSON.parse(await response.text()).connections).toMatchObject([{ id: 2 }]);
  });

  test('a pending webhook delivery is attempted when it is due', async () => {
    const delivery = await mock.db.webhookDeliveries.create({ status: 'PENDING' });
    mock.outbox.clear();
    await mock.settle();
    expect(mock.db.webhookDeliveries.findFirst(delivery)?.status).not.toBe('PENDING');
    const later = new Date(NOW.getTime() + 60_000);
    const other = await mock.db.webhookDeliveries.create({ status: 'PENDING', nextAttemptAt: later });
    await mock.settle();
    expect(mock.db.webhookDeliveries.findFirst(other)).toMatchObject({ status: 'PENDING' });
    await mock.clock.advance('1m');
    expect(mock.db.webhookDeliveries.findFirst(other)?.status).not.toBe('PENDING');
  });
});

test('finds rows that the API wrote', async () => {
  const { id, secret } = await call('/webhooks', 'POST', { url: 'https://hooks.mine.example/x' });
  expect(mock.db.webhooks.findFirst({ where: { url: 'https://hooks.mine.example/x' } })).toMatchObject({ id, secret });
  const before = mock.db.webhooks.count();
  await call(`/webhooks/${id}`, 'PATCH', { isActive: false });
  expect(mock.db.webhooks.findMany((query) => query.where({ id }))).toMatchObject([{ isActive: false }]);
  expect(mock.db.webhooks.count()).toBe(before);
});

describe('findMany', () => {
  test('sorts before it takes', () => {
    const { blocklists } = mock.db;
    const newest = blocklists.all().toSorted((a, b) => b.createdAt.getTime() - a.createdAt.getTime() || b.id - a.id);
    expect(blocklists.findMany({ orderBy: 'newest', take: 2 })).toEqual(newest.slice(0, 2));
    expect(blocklists.findMany({ orderBy: 'oldest', skip: 1, take: 1 })).toEqual([newest.at(-2)]);
    expect(blocklists.findMany({ take: 0 })).toEqual([]);
    expect(blocklists.findMany((query) => query.where({ connectionId: 1 }), { take: 1 })).toHaveLength(1);
  });

  test('logs come newest first', () => {
    const times = mock.db.syncs.all().map(({ createdAt }) => createdAt.getTime());
    expect(times).toEqual(times.toSorted((a, b) => b - a));
  });

  test('matches nested parts, functions, dates and null', () => {
    const { connections, syncs } = mock.db;
    expect(connections.findMany({ where: { capabilities: { blocklists: false, destinations: true } } })).toMatchObject([
      { crm: 'SALESFORCE' },
    ]);
    expect(connections.findMany({ where: { crmToken: null } }).map(({ crm }) => crm)).toContain('PIPEDRIVE');
    expect(connections.findMany({ where: { crm: (crm) => crm.startsWith('SALES') } })).not.toEqual([]);
    expect(connections.findMany({ where: ({ id }) => id === 1 })).toMatchObject([{ id: 1 }]);
    const [newest] = syncs.all();
    expect(syncs.findMany({ where: { createdAt: newest?.createdAt ?? NOW } })).toContainEqual(newest);
    const either = syncs.findMany((query) => query.where({ status: 'error' }).or({ status: 'warning' }));
    expect(new Set(either.map(({ status }) => status))).toEqual(new Set(['error', 'warning']));
  });
});

describe('invalid changes are refused and change nothing', () => {
  const refusals: [string, () => unknown, RegExp][] = [
    [
      'an unknown connection',
      () => mock.db.syncs.create({ connectionId: 99 }),
      /db\.syncs, create: connectionId: there is no connection 99/,
    ],
    ['an unknown source', () => mock.db.requests.create({ sourceId: 99 }), /there is no source 99/],
    [
      'a source of another connection',
      () => mock.db.syncs.create({ connectionId: 2, sourceId: 1 }),
      /source 1 is not on connection 2/,
    ],
    ['an unknown payload', () => mock.db.syncs.create({ payloadId: 1 }), /payloadId: there is no request 1/],
    ['an unknown event', () => mock.db.webhookDeliveries.create({ eventId: 'osevt_x' }), /there is no event osevt_x/],
    ['a wrong value', () => mock.db.syncs.create({ status: 'failed' as never }), /status: /],
    ['an unknown field', () => mock.db.syncs.create({ state: 'error' } as never), /state/],
    ['a token that is taken', () => mock.db.apiKeys.create({ token: 'osapi_demo_write' }), /token: .* is taken by 1/],
    ['a path that is taken', () => mock.db.sources.create({ path: 'demo-smartlead' }), /path: .* is taken by 1/],
    ['a source with a relay', () => mock.db.replyRelays.create({ sourceIds: [1] }), /source 1 has relay 1 already/],
    ['another id', () => mock.db.syncs.update({}, { data: (row) => void (row.id = 5) }), /id: cannot be changed/],
    [
      'a source that moves',
      () => mock.db.sources.update({ where: { id: 1 } }, { data: (row) => void (row.connectionId = 2) }),
      /cannot be changed/,
    ],
    [
      'a change of the wrong form',
      () => mock.db.syncs.update({}, { data: (row) => void (row.status = 'x' as never) }),
      /status: /,
    ],
    [
      'half of many',
      () => mock.db.syncs.createMany(3, (index) => ({ connectionId: index === 2 ? 99 : 1 })),
      /no connection 99/,
    ],
  ];
  test.each(refusals)('%s', async (_name, run, message) => {
    const before = KINDS.map((kind) => mock.db[kind].all());
    await expect(run()).rejects.toThrow(message);
    expect(KINDS.map((kind) => mock.db[kind].all())).toEqual(before);
  });

  test('a row that others refer to cannot be deleted', () => {
    const before = mock.db.connections.count();
    expect(() => mock.db.connections.delete({ where: { id: 1 } })).toThrow(
      /delete of 1: another row refers to it .*no connection 1/,
    );
    expect(() => mock.db.requests.deleteMany()).toThrow(/there is no request/);
    expect(mock.db.connections.count()).toBe(before);
    mock.db.webhookDeliveries.deleteMany();
    expect(mock.db.events.deleteMany().length).toBeGreaterThan(3);
    expect(mock.db.events.count()).toBe(0);
  });

  test('there must be a connection', async () => {
    const empty = mock.worlds.create({ scenario: 'empty' });
    await expect(empty.db.deliveries.create()).rejects.toThrow(/no destination: create one first/);
    expect(await empty.db.syncs.create()).toMatchObject({ sourceId: null, payloadId: null });
    expect(mock.db.sources.count()).toBeGreaterThan(5);
  });
});

test('an asynchronous update keeps what the API wrote meanwhile', async () => {
  const webhook = await mock.db.webhooks.create({ description: 'old' });
  await mock.db.webhooks.update(webhook, {
    async data(draft) {
      await call(`/webhooks/${webhook.id}`, 'PATCH', { isActive: false });
      draft.consecutiveDeadCount = 3;
    },
  });
  expect(mock.db.webhooks.findFirst(webhook)).toMatchObject({ isActive: false, consecutiveDeadCount: 3 });
});

test('updateMany changes all matching rows', async () => {
  const changed = await mock.db.syncs.updateMany(
    { where: { status: 'error' } },
    { data: (row) => void (row.status = 'warning') },
  );
  expect(changed.length).toBeGreaterThan(5);
  expect(mock.db.syncs.count({ where: { status: 'error' } })).toBe(0);
});

test('types', () => {
  expectTypeOf(mock.db.syncs.create).parameter(0).exclude<undefined>().toHaveProperty('status');
  expectTypeOf(mock.db.syncs.all()[0]?.status).toEqualTypeOf<'success' | 'warning' | 'error' | undefined>();
  // @ts-expect-error no such field
  expect(mock.db.syncs.findMany({ where: { state: 'error' } })).toEqual([]);
});

describe('jobs of a block list that a test creates', () => {
  const listed = async (id: number) =>
    (await call('/blocklists')).blocklists.find((list: { id: number }) => list.id === id);

  test.each([
    [{}, { status: 'CREATED' }, '24h', { status: 'SYNCED' }],
    [{ status: 'SYNCING', pendingCount: 5 } as const, { pendingCount: 5 }, '1h', { status: 'SYNCED', syncedCount: 5 }],
    [{ status: 'FETCHING' } as const, { status: 'FETCHING' }, '1h', { status: 'SYNCED' }],
    [{ status: 'SYNCED' } as const, { syncedCount: 0 }, '24h', { status: 'SYNCED', syncedCount: 3 }],
    [{ status: 'SYNCED', isEnabled: false } as const, {}, '48h', { status: 'SYNCED', syncedCount: 0 }],
  ])('%o is worked on', async (values, before, duration, after) => {
    const { id } = await mock.db.blocklists.create(values);
    expect(await listed(id)).toMatchObject(before);
    await mock.clock.advance(duration);
    await mock.clock.advance('10s');
    expect(await listed(id)).toMatchObject(after);
  });

  test('a new status starts the jobs of that status and ends those of the old one', async () => {
    const { id } = await mock.db.blocklists.create({ status: 'SYNCED' });
    const found = { where: { id } };
    await mock.db.blocklists.update(found, {
      data(list) {
        list.status = 'SYNCING';
        list.pendingCount = 7;
      },
    });
    await mock.clock.advance('1h');
    expect(await listed(id)).toMatchObject({ status: 'SYNCED', syncedCount: 7, pendingCount: 0 });
    await mock.db.blocklists.update(found, { data: (list) => void (list.isEnabled = false) });
    await mock.clock.advance('7d');
    expect(await listed(id)).toMatchObject({ syncedCount: 7 });
  });

  test('a new name does not affect its jobs', async () => {
    const { id } = await mock.db.blocklists.create({ status: 'SYNCING', pendingCount: 7 });
    await mock.clock.advance('59m');
    await mock.db.blocklists.update({ where: { id } }, { data: (list) => void (list.listName = 'Renamed') });
    await mock.clock.advance('1m');
    expect(await listed(id)).toMatchObject({ status: 'SYNCED', listName: 'Renamed' });
  });
});
