import { expect } from 'vitest';
import type { Database } from '@svc/engine/store/database/db';
import { until } from './until.ts';

/**
 * Waits for the end of all jobs. Then each acknowledged post is a receipt with its own body, and each receipt was read.
 *
 * @param acknowledged the keys (`stats_id`) of the posts by the id of their receipt
 * @param afterId the last receipt that was there before them
 */
export async function expectStored(
  db: Database,
  acknowledged: ReadonlyMap<number, string>,
  afterId: number,
): Promise<void> {
  await until('all jobs ended', async () => (await db.query('select from jobs')).rowCount === 0, {
    timeoutMs: 300_000,
  });
  const { rows } = await db.query<{ id: number; body: Buffer; outcome: string; isEmpty: boolean }>(
    `select id, body, outcome, not exists (select from inbound_events events where events.request_id = requests.id) as "isEmpty"
      from requests where id > $1`,
    [afterId],
  );
  const stored = new Map(rows.map(({ id, body }) => [id, JSON.parse(body.toString()).stats_id]));
  expect([...acknowledged].filter(([id, key]) => stored.get(id) !== key)).toEqual([]);
  expect(rows.filter(({ outcome, isEmpty }) => (isEmpty ? outcome !== 'duplicate' : outcome !== 'synced'))).toEqual([]);
}
