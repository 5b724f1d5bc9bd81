/** The events of a contact are stored and written in the order in which they were received. */
import { expect, test } from 'vitest';
import { claim } from '../../src/queue/claims.ts';
import { anyBackend } from '../support/backends.ts';
import { startTestServer } from '../support/harness.ts';
import { postReply } from '../support/replies.ts';

test('receipts of a connection are not read while another process has older ones', async () => {
  const server = await startTestServer(anyBackend);
  const { clock, db } = server;
  const readEvents = async () =>
    (
      await db.query<{ key: string }>(
        `select event_key as key from inbound_events where created_at >= $1 order by id`,
        [clock.now()],
      )
    ).rows.length;
  await postReply(server, 'older');
  const now = clock.now();
  const held = await claim(db, {
    ...{ now, kinds: ['process-receipt'], limit: 16, leaseUntil: new Date(now.getTime() + 15_000) },
  });
  expect(held).toHaveLength(1);
  await postReply(server, 'newer');
  await server.running.runner.runDue();
  expect(await readEvents()).toBe(0);
  // The other process died.
  clock.advance(15_000);
  await server.running.runner.runDue();
  const { rows } = await db.query<{ body: string }>(
    `select convert_from(requests.body, 'UTF8') as body from inbound_events events
      join requests on requests.id = events.request_id order by events.id desc limit 2`,
  );
  expect(rows.map(({ body }) => (body.includes('older') ? 'older' : 'newer'))).toEqual(['newer', 'older']);
  await server.close();
});
