/** The events of a contact are stored and written in the order in which they were received. */
import { expect, test } from 'vitest';
import { claim } from '@svc/engine/queue/claims';
import { anyBackend } from '@svc/engine/test/backends';
import { startTestServer } from '../support/harness.ts';
import { postReply, settleWithin } from '../support/replies.ts';

const HOUR_MS = 60 * 60 * 1000;

/** A server whose CRM gets only what the test posts. */
async function startForOrder() {
  const server = await startTestServer(anyBackend);
  const { crm, running } = server;
  await server.db.query('delete from jobs');
  crm.reset();
  server.clock.advance(1_000);
  return {
    ...server,
    /** Posts a sent mail of this contact, and runs what is due. */
    async send(contact: string, subject: string) {
      const body = { event_type: 'EMAIL_SENT', to_email: `${contact}@example.org`, stats_id: subject, subject };
      expect((await server.post('/webhooks/demo-smartlead', body)).status).toBe(200);
      await running.runner.runDue();
    },
    /** The subjects of what the CRM has of a contact, in the order in which it came. */
    written: () =>
      crm
        .engagements()
        .toSorted((a, b) => Number(a.id) - Number(b.id))
        .map(({ properties }) => String(properties['hs_email_subject'])),
  };
}

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

test('the probe of an outage does not write an event before an earlier one of its contact', async () => {
  const server = await startForOrder();
  server.crm.failNext(1_000_000, 503);
  await server.send('kim', 'kim 1');
  await server.send('lou', 'lou 1');
  // The outage is certain, so this one waits without a call of its own.
  await server.send('kim', 'kim 2');
  server.crm.reset();
  await settleWithin(server, HOUR_MS);
  expect(server.written().filter((subject) => subject.startsWith('kim'))).toEqual(['kim 1', 'kim 2']);
  expect(server.written()).toContain('lou 1');
  await server.close();
});

test('events that wait for the end of a daily limit keep their order, and so do those that come meanwhile', async () => {
  const server = await startForOrder();
  server.crm.failNext(1_000_000, 'daily');
  await server.send('lou', 'lou 1');
  const subjects = Array.from({ length: 8 }, (_, index) => `kim ${index + 1}`);
  for (const subject of subjects.slice(0, 6)) {
    await server.send('kim', subject);
    // The wait is shorter for each, and with it the time over which they come due.
    await settleWithin(server, HOUR_MS / 10);
  }
  server.crm.reset();
  await settleWithin(server, HOUR_MS / 2);
  for (const subject of subjects.slice(6)) await server.send('kim', subject);
  await settleWithin(server, 2 * HOUR_MS);
  expect(server.written().filter((subject) => subject.startsWith('kim'))).toEqual(subjects);
  await server.close();
});
