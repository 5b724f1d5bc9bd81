import { expect, test } from 'vitest';
import { backends } from '../support/backends.ts';
import { startTestServer } from '../support/harness.ts';

const [pglite] = backends;

test('a stop aborts an endless CRM call and keeps its job', async () => {
  if (!pglite) throw new Error('PGlite is always there.');
  let isCalled = false;
  let jobsLeft: object[] = [];
  const server = await startTestServer(
    {
      ...pglite,
      open: async (content) => {
        const db = await pglite.open(content);
        return {
          ...db,
          close: async () => {
            jobsLeft = (await db.query(`select kind, last_error from jobs where kind = 'write-crm'`)).rows;
            await db.close();
          },
        };
      },
    },
    {
      fetch: (_input, init) => {
        isCalled = true;
        return new Promise((_resolve, reject) => {
          const signal = init?.signal;
          if (signal?.aborted) reject(signal.reason);
          signal?.addEventListener('abort', () => reject(signal.reason), { once: true });
        });
      },
    },
  );
  const [source] = server.world.sources;
  await server.post(`/webhooks/${source?.path}`, {
    event_type: 'EMAIL_SENT',
    to_email: 'slow@example.com',
    event_timestamp: server.clock.now().toISOString(),
  });
  const ran = server.running.runner.runDue();
  await expect.poll(() => isCalled).toBe(true);
  let isClosed = false;
  const closed = server.close().then(() => {
    isClosed = true;
  });
  server.clock.advance(4_999);
  await new Promise(setImmediate);
  expect(isClosed).toBe(false);
  server.clock.advance(1);
  await Promise.all([closed, ran]);
  expect(jobsLeft).toMatchObject([{ kind: 'write-crm', last_error: expect.stringMatching(/\S/) }]);
});
