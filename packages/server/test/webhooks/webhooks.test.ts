/**
 * What of webhooks depends on the database: sealed secrets, and attempts that others overtake. `writes/webhook*.test.ts` of the conformance
 * suite prove what the API promises.
 */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { DELIVER_WEBHOOK } from '@svc/engine/jobs/kinds';
import { createDeliverWebhookHandler } from '@svc/engine/webhooks/deliver-webhook';
import { claim } from '@svc/engine/queue/claims';
import { LeaseLostError } from '@svc/engine/queue/queue';
import { anyBackend } from '@svc/engine/test/backends';
import { startTestServer, type TestServer } from '../support/harness.ts';

describe('webhooks', () => {
  let server: TestServer;
  beforeEach(async () => {
    server = await startTestServer(anyBackend);
    // The demo's own webhooks would get the events too.
    await server.db.query(`truncate webhook_deliveries, webhooks`);
    await server.db.query(`delete from jobs where kind = 'deliver-webhook'`);
  });
  afterEach(async () => {
    await server.close();
  });

  const call = (path: string) => server.post(`/api/v1${path}`, '', { authorization: 'Bearer osapi_demo_write' });
  const create = async (): Promise<{ id: string; secret: string }> => {
    const body = { url: 'https://hooks.example.com/hook' };
    const { json } = await server.post('/api/v1/webhooks', body, { authorization: 'Bearer osapi_demo_write' });
    return json;
  };
  const settle = () => server.running.runner.runDue();
  const read = async (operationId: 'listWebhookDeliveries' | 'listEvents', path: string) =>
    (await server.get(operationId, `/api/v1${path}`, 'osapi_demo_write')).json.data;
  const deliveriesOf = (id: string) => read('listWebhookDeliveries', `/webhooks/${id}/deliveries?limit=100`);
  const ping = async (id: string) => {
    const answer = await call(`/webhooks/${id}/test`);
    expect(answer.status).toBe(202);
    return answer.json.eventId as string;
  };

  test('the database has no secret as it is', async () => {
    const { secret } = await create();
    expect(secret).toMatch(/^oswhsec_/);
    const { rows } = await server.db.query<{ secret: string }>('select secret from webhooks');
    expect(rows).toHaveLength(1);
    expect(rows[0]?.secret).not.toContain(secret);
  });

  describe('deliveries', () => {
    test('a success that was under way while others became DEAD also resets the count', async () => {
      const { id } = await create();
      const { ctx } = server.running;
      const deadMeanwhile = async () => {
        await server.db.query('update webhooks set consecutive_dead_count = 19');
        return { httpStatus: 200, error: null, isRefused: false };
      };
      const deliver = createDeliverWebhookHandler({ ...ctx, outbound: { ...ctx.outbound, post: deadMeanwhile } });
      const eventId = await ping(id);
      const now = server.clock.now();
      const [job] = await claim(server.db, { now, kinds: [DELIVER_WEBHOOK], limit: 1, leaseUntil: now });
      if (!job) throw new Error('nothing was due');
      await deliver(job);
      expect(await deliveriesOf(id)).toMatchObject([{ status: 'SUCCEEDED' }]);
      expect(await read('listEvents', '/events?delivered=true&limit=100')).toContainEqual(
        expect.objectContaining({ id: eventId }),
      );
      const { rows } = await server.db.query('select consecutive_dead_count from webhooks');
      expect(rows).toEqual([{ consecutive_dead_count: 0 }]);
    });

    test('an attempt whose lease was lost records nothing', async () => {
      const { id } = await create();
      const { ctx } = server.running;
      await ping(id);
      const now = server.clock.now();
      const take = () => claim(server.db, { now, kinds: [DELIVER_WEBHOOK], limit: 1, leaseUntil: now });
      const lost = async () => {
        await take();
        return { httpStatus: 200, error: null, isRefused: false };
      };
      const deliver = createDeliverWebhookHandler({ ...ctx, outbound: { ...ctx.outbound, post: lost } });
      const [job] = await take();
      if (!job) throw new Error('nothing was due');
      await expect(deliver(job)).rejects.toThrow(LeaseLostError);
      expect(await deliveriesOf(id)).toMatchObject([{ status: 'PENDING', attemptCount: 0 }]);
      await settle();
      expect(await deliveriesOf(id)).toMatchObject([{ status: 'SUCCEEDED', attemptCount: 1 }]);
    });

    /** Three events that the CRM refuses. */
    async function startIncident(): Promise<void> {
      await server.db.query('delete from sync_health');
      server.crm.failNext(1_000, 400, { match: /upsert/ });
      for (const to_email of ['x0@example.org', 'x1@example.org', 'x2@example.org']) {
        await server.post('/webhooks/demo-smartlead', { event_type: 'EMAIL_OPEN', to_email });
      }
      await settle();
    }

    test('while webhooks are switched off, pending deliveries become FAILED and incidents create none', async () => {
      server.receiver.answerNext(500);
      const { id } = await create();
      await ping(id);
      await settle();
      await server.db.query('update accounts set can_use_webhooks = false where id = 1');
      await startIncident();
      server.clock.advance(6 * 60_000);
      await settle();
      expect(server.receiver.posts()).toHaveLength(1);
      await server.db.query('update accounts set can_use_webhooks = true where id = 1');
      const lastError = 'Given up: webhooks are not enabled for the account';
      expect(await deliveriesOf(id)).toMatchObject([{ status: 'FAILED', attemptCount: 1, lastError }]);
      expect(await read('listEvents', '/events?type=sync.failed&limit=1')).toMatchObject([
        { sourceId: 1, delivered: false },
      ]);
    });
  });
});
