/** The SDK's lists against a failing mock: exports are complete whatever fails on the way. */
import type { Sync } from '@svc/sdk';
import { expect, test } from 'vitest';
import { sized } from '../../../scripts/vitest/size.ts';
import { createMock } from '../src/index.ts';
import { connect, NOW } from './support/sdk-client.ts';

test(`exports are complete and without duplicates in ${sized(300)} seeded runs of a newer service that fails, resets and truncates`, {
  timeout: 600_000,
}, async () => {
  const range = { from: '2026-01-15T00:00:00.000Z', to: NOW };
  const plain = createMock({ now: NOW });
  const all = await connect(plain).client.syncs.list(range).toArray();
  await plain.close();
  expect(all.length).toBeGreaterThan(100);
  let failed = 0;
  let emptyPages = 0;
  for (let seed = 1; seed <= sized(300); seed += 1) {
    const mock = createMock({ now: NOW, seed, scenario: ['flaky', 'short-pages', 'future'] });
    // On top of the scenarios: bodies that break off anywhere, and connections that are reset after the work was done.
    mock.faults.add({ operations: ['listSyncs'], probability: 0.05, effect: { kind: 'truncate', bytes: seed % 400 } });
    mock.faults.add({ operations: ['listSyncs'], probability: 0.05, effect: { kind: 'reset', when: 'after' } });
    const { client, statuses } = connect(mock, { maxRetries: 25, random: () => 0 });
    const status = seed % 3 === 0 ? ('error' as const) : undefined;
    const list = client.syncs.list({ ...range, status, pageSize: 1 + ((seed * 7) % 60), prefetch: seed % 2 === 0 });
    const rows: Sync[] = [];
    for await (const page of list.pages()) {
      if (page.data.length === 0) emptyPages += 1;
      rows.push(...page.data);
    }
    const expected = all.filter((sync) => status === undefined || sync.status === status);
    expect(
      rows.map(({ id }) => id),
      `seed ${seed}`,
    ).toEqual(expected.map(({ id }) => id));
    failed += mock.journal.all().length - statuses.filter((each) => each === 200).length;
    await mock.close();
  }
  // Failures and empty pages really occurred.
  expect(failed).toBeGreaterThan(sized(300));
  expect(emptyPages).toBeGreaterThan(0);
});
