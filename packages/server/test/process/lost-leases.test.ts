/** A server that stands still for longer than its leases, while another one takes over its jobs. */
import { expect, test } from 'vitest';
import { FORWARD_EVENT, RELAY_REPLY, WRITE_CRM } from '@svc/engine/jobs/kinds';
import type { Database } from '@svc/engine/store/database/db';
import { anyBackend } from '@svc/engine/test/backends';
import { startTestServer } from '../support/harness.ts';
import { postReply } from '../support/replies.ts';

const HELD_UP = [FORWARD_EVENT, RELAY_REPLY, WRITE_CRM];

test('a server that wakes after its leases have ended calls nobody for jobs that another one has done', async () => {
  let crmCalls = 0;
  const server = await startTestServer(anyBackend, {
    fetch: (input, init) => {
      crmCalls += 1;
      return fetch(input, init);
    },
  });
  const { clock, db } = server;
  const held = new Set<string>();
  /** Claimed jobs whose lease must be asked for before their call; the mail's state already says that it was sent. */
  const unasked = new Set<number>();
  let wake = () => {};
  const awake = new Promise<void>((resolve) => {
    wake = resolve;
  });
  /** Stands still between its claims of these jobs and their first step. */
  const standingStill = (own: Database): Database => ({
    ...own,
    async query<Row>(statement: Parameters<Database['query']>[0], values?: readonly unknown[]) {
      const result = await own.query<Row & { id: number; kind?: string }>(statement, values);
      if (typeof statement === 'string') return result;
      const [ids] = values ?? [];
      if (statement.name === 'jobs-prolong' && Array.isArray(ids)) for (const id of ids) unasked.delete(Number(id));
      if (statement.name !== 'jobs-claim') return result;
      for (const { id, kind } of result.rows) if (kind === FORWARD_EVENT || kind === WRITE_CRM) unasked.add(id);
      const kinds = result.rows.flatMap(({ kind = '' }) => (HELD_UP.includes(kind) ? [kind] : []));
      for (const kind of kinds) held.add(kind);
      if (kinds.length > 0) await awake;
      return result;
    },
  });
  const stopped = await server.startAnother({}, standingStill);
  stopped.runner.start();
  await postReply(server, 'slept');
  // The relay waits for five minutes.
  await expect
    .poll(() => {
      clock.advance(30_000);
      return [...held].toSorted();
    })
    .toEqual(HELD_UP);
  clock.advance(16_000);
  await server.running.runner.runDue();
  const calls = () => [crmCalls, server.receiver.posts().length, server.mail.mails().length];
  const made = calls();
  expect(Math.min(...made)).toBeGreaterThan(0);
  wake();
  await expect.poll(() => [...unasked]).toEqual([]);
  await stopped.close();
  expect(calls()).toEqual(made);
  expect((await db.query('select from jobs where is_leased')).rowCount).toBe(0);
  await server.close();
});
