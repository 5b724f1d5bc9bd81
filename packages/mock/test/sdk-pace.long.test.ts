/** The SDK's pacing against the mock's exact rate limit. */
import { expect, test } from 'vitest';
import { createMock, type Mock } from '../src/index.ts';
import { connect, NOW } from './support/sdk-client.ts';

test('an export of 130,000 rows gets one 429, and waits within 5 % of the minimum that the limit demands', {
  timeout: 600_000,
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
    // The key does not see every row, so the expected count comes from the metrics below.
    for await (const sync of client.syncs.list({ from: '2026-02-28T12:00:00.000Z' })) {
      ids.add(sync.id);
      rows += 1;
    }
    const reachable = await countAll(mock);
    expect(rows).toBe(reachable);
    expect(ids.size).toBe(reachable);
    expect(reachable).toBeGreaterThan(125_000);
    expect(statuses.filter((status) => status === 429)).toHaveLength(1);
    // The first window of the scenario is used up; each further 120 requests use one more.
    const requests = Math.ceil(reachable / 500);
    const least = (1 + Math.ceil(requests / 120) - 1) * 60_000;
    const waited = waits.reduce((sum, each) => sum + each, 0);
    expect(waited).toBeGreaterThanOrEqual(0.95 * least);
    expect(waited).toBeLessThanOrEqual(1.05 * least);
  } finally {
    await mock.close();
  }
});

/** Counts the syncs that the key sees, by the mock's metrics. */
async function countAll(mock: Mock): Promise<number> {
  mock.configure({ rateLimit: 'off' });
  const { client } = connect(mock);
  const { success, warning, error } = await client.syncs.metrics({ from: '2026-02-28T12:00:00.000Z', to: NOW });
  return success + warning + error;
}
