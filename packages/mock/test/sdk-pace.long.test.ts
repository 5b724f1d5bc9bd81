/** The SDK's lists against the mock at its worst: what is exported is complete, whatever goes wrong on the way. */
import { expect, test } from 'vitest';
import { createMock, type Mock } from '../src/index.ts';
import { connect, NOW } from './sdk-client.ts';

test('an export of 130,000 rows meets one 429, and waits within 5 % of the least that the limit makes it wait', {
  timeout: 120_000,
}, async () => {
  const mock = createMock({ now: NOW, rateLimit: 'spec', scenario: ['large', 'rate-limited'] });
  try {
    const large = mock.db.syncs.count();
    const [source] = mock.db.sources.findMany({ where: { connectionId: 1 } });
    for (let row = large; row < 130_000; row += 1) {
      await mock.db.syncs.create({ sourceId: source?.id ?? 0, createdAt: new Date(Date.parse(NOW) - row * 17_000) });
    }
    const { client, waits, statuses } = connect(mock);
    const ids = new Set<number>();
    let rows = 0;
    // Rows of the demo world and of other connections are not all within reach; those that are come all.
    for await (const sync of client.syncs.list({ from: '2026-02-28T12:00:00.000Z' })) {
      ids.add(sync.id);
      rows += 1;
    }
    const reachable = await countAll(mock);
    expect(rows).toBe(reachable);
    expect(ids.size).toBe(reachable);
    expect(reachable).toBeGreaterThan(125_000);
    expect(statuses.filter((status) => status === 429)).toHaveLength(1);
    // The scenario begins with a window that is used up; each further 120 requests take one more.
    const requests = Math.ceil(reachable / 500);
    const least = (1 + Math.ceil(requests / 120) - 1) * 60_000;
    const waited = waits.reduce((sum, each) => sum + each, 0);
    expect(waited).toBeGreaterThanOrEqual(0.95 * least);
    expect(waited).toBeLessThanOrEqual(1.05 * least);
  } finally {
    await mock.close();
  }
});

/** By the mock's own counting, over both halves of the range. */
async function countAll(mock: Mock): Promise<number> {
  mock.configure({ rateLimit: 'off' });
  const { client } = connect(mock);
  const { success, warning, error } = await client.syncs.metrics({ from: '2026-02-28T12:00:00.000Z', to: NOW });
  return success + warning + error;
}
