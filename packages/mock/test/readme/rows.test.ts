import { createMock } from '@svc/mock';
import { afterAll, beforeEach, expect, test } from 'vitest';

const mock = createMock({ now: '2026-01-15T12:00:00Z', scenario: 'empty' });
mock.snapshot('clean');
beforeEach(() => mock.restore('clean'));
afterAll(() => mock.close());

test('rows are created, found, changed and deleted', async () => {
  const source = await mock.db.sources.create({ platform: 'smartlead' });
  await mock.db.syncs.createMany(30, (index) => ({
    sourceId: source.id,
    status: index < 3 ? 'error' : 'success',
    createdAt: new Date(mock.clock.now.getTime() - index * 60_000),
  }));

  expect(mock.db.syncs.count({ where: { status: 'error' } })).toBe(3);
  expect(mock.db.syncs.findMany({ where: { sourceId: source.id }, orderBy: 'oldest', take: 10 })).toHaveLength(10);
  await mock.db.connections.update(
    { where: { id: source.connectionId } },
    { data: (row) => void (row.crmToken = null) },
  );
  mock.db.syncs.deleteMany({ where: { status: 'success' } });

  const headers = { Authorization: `Bearer ${mock.keys.osapi_demo_read}` };
  const response = await mock.fetch('/api/v1/account/status', { headers });
  expect(await response.json()).toMatchObject({ ready: false });
});
