import { describe, expect, test } from 'vitest';
import { backends } from '@svc/engine/test/backends';
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

describe.each(backends)('on $name', (backend) => {
  test.skipIf(!backend.isAvailable)(
    'a call to a CRM that nothing ends is left to another server, which does not wait for the lease',
    async () => {
      let calls = 0;
      const server = await startTestServer(backend, {
        fetch: (input, init) => {
          calls += 1;
          return calls === 1 ? new Promise(() => {}) : fetch(input, init);
        },
      });
      const another = await server.startAnother();
      const [source] = server.world.sources;
      await server.post(`/webhooks/${source?.path}`, { event_type: 'EMAIL_SENT', to_email: 'left@example.com' });
      void another.runner.runDue();
      await expect.poll(() => calls).toBe(1);
      const closed = another.close();
      server.clock.advance(8_000);
      await closed;
      await server.running.runner.runDue();
      const { rows } = await server.db.query(`select status from syncs where to_email = 'left@example.com'`);
      expect(rows).toEqual([{ status: 'success' }]);
      await server.close();
    },
  );
});

test('while a stop waits for load balancers, the server is not ready and still accepts posts', async () => {
  if (!pglite) throw new Error('PGlite is always there.');
  const server = await startTestServer(pglite, { config: { drainDelayMs: 3_000 } });
  const closed = server.close();
  const ready = await server.get('getHealthReady', '/health/ready', null);
  expect([ready.status, ready.json.checks]).toEqual([503, expect.objectContaining({ stopping: 'error' })]);
  const [source] = server.world.sources;
  const event = { event_type: 'EMAIL_SENT', to_email: 'late@example.com' };
  expect((await server.post(`/webhooks/${source?.path}`, event)).status).toBe(200);
  server.clock.advance(3_000);
  await closed;
  await expect(fetch(server.url)).rejects.toThrow('fetch failed');
});

test('a stop ends although the database does not answer', async () => {
  if (!pglite) throw new Error('PGlite is always there.');
  let isAsked = false;
  let close = async () => {};
  const server = await startTestServer({
    ...pglite,
    open: async (content) => {
      const db = await pglite.open(content);
      ({ close } = db);
      return {
        ...db,
        close: () => {
          isAsked = true;
          return new Promise(() => {});
        },
      };
    },
  });
  const closed = server.close();
  await expect.poll(() => isAsked).toBe(true);
  server.clock.advance(9_500);
  await closed;
  await close();
});
