/** Managing webhooks and delivering events to them, through real HTTP with a manual clock. */
import type { OperationId } from '@svc/contract/operations';
import { createResponseValidator, createWebhookRequestValidator } from '@svc/contract/strict';
import { LIMITS } from '@svc/contract/limits';
import { verifySignature } from '@svc/domain/webhooks/webhook-signature';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createDeliverWebhookHandler, DELIVER_WEBHOOK } from '@svc/engine/webhooks/deliver-webhook';
import { claim } from '@svc/engine/queue/claims';
import { LeaseLostError } from '@svc/engine/queue/queue';
import { anyBackend } from '@svc/engine/test/backends';
import { type Answer, startTestServer, type TestServer } from '../support/harness.ts';

const responseProblems = createResponseValidator();
const requestProblems = createWebhookRequestValidator();
const URL_OF = (name: string) => `https://${name}.example.com/hook`;

describe('webhooks', () => {
  let server: TestServer;
  beforeEach(async () => {
    server = await startTestServer(anyBackend);
    // The demo's own webhooks would get the events too.
    await server.db.query(`truncate webhook_deliveries, webhooks; `);
    await server.db.query(`delete from jobs where kind = 'deliver-webhook'`);
  });
  afterEach(async () => {
    await server.close();
  });

  const call = async (
    operationId: OperationId,
    method: string,
    path: string,
    options: { body?: unknown; key?: string; contentType?: string } = {},
  ): Promise<Answer> => {
    const { body, key = 'osapi_demo_write', contentType = 'application/json' } = options;
    const response = await fetch(`${server.url}/api/v1${path}`, {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        ...(body === undefined ? {} : { 'content-type': contentType }),
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    const json = text === '' ? undefined : JSON.parse(text);
    expect(responseProblems(operationId, response.status, response.headers, json)).toEqual([]);
    return { status: response.status, headers: response.headers, text, json };
  };
  const create = (body: unknown = { url: URL_OF('hooks') }, key?: string) =>
    call('createWebhook', 'POST', '/webhooks', { body, ...(key === undefined ? {} : { key }) });
  const settle = () => server.running.runner.runDue();
  const deliveriesOf = async (id: string) =>
    (await call('listWebhookDeliveries', 'GET', `/webhooks/${id}/deliveries?limit=100`)).json.data;
  const deliveredEventIds = async (): Promise<string[]> => {
    const { json } = await call('listEvents', 'GET', '/events?delivered=true&limit=100');
    return json.data.map((event: { id: string }) => event.id);
  };
  const nextDueAt = async (): Promise<Date | null> => {
    const text = 'select min(due_at) as "dueAt" from jobs where kind = $1';
    const { rows } = await server.db.query<{ dueAt: Date | null }>(text, [DELIVER_WEBHOOK]);
    return rows[0]?.dueAt ?? null;
  };
  const ping = async (id: string) => {
    const answer = await call('testWebhook', 'POST', `/webhooks/${id}/test`);
    expect(answer.status).toBe(202);
    return answer.json.eventId as string;
  };

  describe('createWebhook', () => {
    test('200 with the secret, which no other answer contains', async () => {
      const { json } = await create({
        url: URL_OF('a'),
        description: 'ops',
        enabledEvents: ['sync.failed', 'sync.failed'],
      });
      expect(json).toMatchObject({
        url: URL_OF('a'),
        description: 'ops',
        enabledEvents: ['sync.failed'],
        isActive: true,
      });
      expect(json.secret).toMatch(/^oswhsec_/);
      const listed = await call('listWebhooks', 'GET', '/webhooks');
      expect(listed.text).not.toContain('oswhsec_');
      const { rows } = await server.db.query<{ secret: string }>('select secret from webhooks');
      expect(rows[0]?.secret).not.toContain(json.secret);
    });

    test.each([
      ['a body that is not JSON', '{"url":'],
      ['no url', {}],
      ['http', { url: 'http://hooks.example.com/' }],
      ['a private address', { url: 'https://127.0.0.1/' }],
      ['a decimal address', { url: 'https://2130706433/' }],
      ['a local name', { url: 'https://localhost/' }],
      ['a reserved event type', { url: URL_OF('a'), enabledEvents: ['connection.lost'] }],
      ['test.ping', { url: URL_OF('a'), enabledEvents: ['test.ping'] }],
      ['2,049 characters', { url: `https://hooks.example.com/${'x'.repeat(2_023)}` }],
    ])('400 for %s', async (_name, body) => {
      expect((await create(body)).status).toBe(400);
      expect((await call('listWebhooks', 'GET', '/webhooks')).json.webhooks).toEqual([]);
    });

    test('400 without a body', async () => {
      expect((await call('createWebhook', 'POST', '/webhooks')).status).toBe(400);
    });

    test('400 for the 21st, also with concurrent calls; deleted ones do not count', async () => {
      const created = [];
      for (let count = 0; count < LIMITS.webhooksPerAccountMax - 1; count += 1) created.push((await create()).json.id);
      const racing = await Promise.all([create(), create(), create()]);
      expect(racing.map((answer) => answer.status).sort()).toEqual([200, 400, 400]);
      await call('deleteWebhook', 'DELETE', `/webhooks/${created[0]}`);
      expect((await create()).status).toBe(200);
    });

    test('415 for another content type, 413 for a huge body', async () => {
      const options = { body: 'url=x', contentType: 'application/x-www-form-urlencoded' };
      expect((await call('createWebhook', 'POST', '/webhooks', options)).status).toBe(415);
      expect((await create({ url: URL_OF('a'), junk: 'x'.repeat(70_000) })).status).toBe(413);
    });

    test("403 for a read key with the webhook routes' message, and for a connection-scoped key before that", async () => {
      expect((await create({}, 'osapi_demo_read')).json.message).toBe("This endpoint requires the 'write' scope");
      expect((await create({}, 'osapi_demo_connection')).json.message).toBe(
        'Webhook endpoint management requires an account-scoped API key',
      );
    });
  });

  test('updateWebhook: 200 changes only the sent fields, {} changes nothing, 400 and 404 as on create', async () => {
    const { json: created } = await create();
    const { secret: _secret, ...shown } = created;
    expect((await call('updateWebhook', 'PATCH', `/webhooks/${created.id}`, { body: {} })).json).toEqual(shown);
    server.clock.advance(1_000);
    const changed = await call('updateWebhook', 'PATCH', `/webhooks/${created.id}`, {
      body: { isActive: false, url: URL_OF('b') },
    });
    expect(changed.json).toEqual({
      ...shown,
      isActive: false,
      url: URL_OF('b'),
      updatedAt: server.clock.now().toISOString(),
    });
    expect(
      (await call('updateWebhook', 'PATCH', `/webhooks/${created.id}`, { body: { url: 'https://10.0.0.1/' } })).status,
    ).toBe(400);
    expect((await call('updateWebhook', 'PATCH', '/webhooks/oswhk_nobody', { body: {} })).status).toBe(404);
    const foreign = await call('updateWebhook', 'PATCH', `/webhooks/${created.id}`, {
      body: {},
      key: 'osapi_demo_other',
    });
    expect(foreign.status).toBe(404);
  });

  test('deleteWebhook: 204, then 404 on every route', async () => {
    const { id } = (await create()).json;
    expect((await call('deleteWebhook', 'DELETE', `/webhooks/${id}`)).status).toBe(204);
    expect((await call('deleteWebhook', 'DELETE', `/webhooks/${id}`)).status).toBe(404);
    expect((await call('getWebhook', 'GET', `/webhooks/${id}`)).status).toBe(404);
    expect((await call('rotateWebhookSecret', 'POST', `/webhooks/${id}/rotate-secret`)).status).toBe(404);
    expect((await call('testWebhook', 'POST', `/webhooks/${id}/test`)).status).toBe(404);
  });

  describe('deliveries', () => {
    test('a test.ping arrives with the three headers and a valid signature', async () => {
      const { id, secret } = (await create()).json;
      const eventId = await ping(id);
      await settle();
      const [post] = server.receiver.posts();
      if (!post) throw new Error('nothing was received');
      const [delivery] = await deliveriesOf(id);
      expect(delivery).toMatchObject({ status: 'SUCCEEDED', attemptCount: 1, lastHttpStatus: 200, lastError: null });
      expect(post.headers).toMatchObject({ 'service-event-id': eventId, 'service-delivery-id': delivery.id });
      expect(requestProblems('test.ping', new Headers(post.headers), JSON.parse(post.body))).toEqual([]);
      const nowSeconds = server.clock.now().getTime() / 1_000;
      const check = (key: string) =>
        verifySignature({
          payload: post.body,
          header: post.headers['service-signature'],
          secrets: [key],
          toleranceSeconds: 300,
          nowSeconds,
        });
      expect(await deliveredEventIds()).toContain(eventId);
      expect(await check(secret)).toMatchObject({ valid: true });
      expect(await check('oswhsec_other')).toMatchObject({ valid: false });
    });

    test('a failing receiver gets 8 attempts on the schedule with the same bytes and new signatures, then DEAD', async () => {
      server.receiver.answerAlways(503);
      const { id } = (await create()).json;
      await ping(id);
      const attemptsAt: number[] = [];
      for (let dueAt: Date | null = server.clock.now(); dueAt !== null; dueAt = await nextDueAt()) {
        const waitMs = dueAt.getTime() - server.clock.now().getTime();
        if (waitMs > 0) server.clock.advance(waitMs - 1);
        if (waitMs > 0) await settle();
        expect(server.receiver.posts()).toHaveLength(attemptsAt.length);
        if (waitMs > 0) server.clock.advance(1);
        await settle();
        expect(server.receiver.posts()).toHaveLength(attemptsAt.length + 1);
        attemptsAt.push(server.clock.now().getTime());
      }
      expect(attemptsAt).toHaveLength(8);
      const waits = attemptsAt.slice(1).map((at, index) => (at - (attemptsAt[index] ?? 0)) / 60_000);
      expect(waits[0]).toBeGreaterThanOrEqual(1);
      expect(waits[0]).toBeLessThanOrEqual(6);
      for (const [index, minutes] of [2, 4, 8, 16, 30, 60].entries()) {
        expect(waits[index + 1]).toBe(minutes);
      }
      const posts = server.receiver.posts();
      expect(new Set(posts.map((post) => post.body)).size).toBe(1);
      expect(new Set(posts.map((post) => post.headers['service-signature'])).size).toBe(8);
      expect(await deliveriesOf(id)).toMatchObject([{ status: 'DEAD', attemptCount: 8, lastHttpStatus: 503 }]);
    });

    test.each([404, 413])('HTTP %d is DEAD at once, and can be replayed to success', async (status) => {
      server.receiver.answerNext(status);
      const { id } = (await create()).json;
      await ping(id);
      await settle();
      const [dead] = await deliveriesOf(id);
      expect(dead).toMatchObject({ status: 'DEAD', attemptCount: 1, lastHttpStatus: status });
      server.clock.advance(1_000);
      const replay = await call('replayWebhookDelivery', 'POST', `/webhooks/${id}/deliveries/${dead.id}/replay`);
      expect(replay.json).toMatchObject({ status: 'PENDING', replayOfDeliveryId: dead.id, endpointId: id });
      await settle();
      const [first, second] = server.receiver.posts();
      expect(second?.body).toBe(first?.body);
      expect(second?.headers['service-delivery-id']).toBe(replay.json.id);
      expect((await deliveriesOf(id)).map((row: { status: string }) => row.status)).toEqual(['SUCCEEDED', 'DEAD']);
      const unknown = await call('replayWebhookDelivery', 'POST', `/webhooks/${id}/deliveries/oswhd_nobody/replay`);
      expect(unknown.json.message).toBe('Delivery oswhd_nobody not found');
    });

    test('20 DEAD in a row disable the webhook; a success in between resets the count; PATCH enables it again', async () => {
      const { id } = (await create()).json;
      const pingAll = async (count: number, status: number) => {
        server.receiver.answerAlways(status);
        for (let index = 0; index < count; index += 1) await ping(id);
        await settle();
      };
      await pingAll(19, 404);
      await pingAll(1, 200);
      await pingAll(19, 404);
      expect((await call('getWebhook', 'GET', `/webhooks/${id}`)).json).toMatchObject({
        isActive: true,
        autoDisabledAt: null,
      });
      await pingAll(1, 404);
      expect((await call('getWebhook', 'GET', `/webhooks/${id}`)).json).toMatchObject({
        isActive: false,
        autoDisabledAt: server.clock.now().toISOString(),
      });
      const revived = await call('updateWebhook', 'PATCH', `/webhooks/${id}`, { body: { isActive: true } });
      expect(revived.json).toMatchObject({ isActive: true, autoDisabledAt: null });
      await pingAll(19, 404);
      expect((await call('getWebhook', 'GET', `/webhooks/${id}`)).json.isActive).toBe(true);
    });

    test('a success that was under way while others became DEAD also resets the count', async () => {
      const { id } = (await create()).json;
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
      expect(await deliveredEventIds()).toContain(eventId);
      const { rows } = await server.db.query('select consecutive_dead_count from webhooks');
      expect(rows).toEqual([{ consecutive_dead_count: 0 }]);
    });

    test('an attempt whose lease was lost records nothing', async () => {
      const { id } = (await create()).json;
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

    test('a rotated secret signs the next attempt', async () => {
      server.receiver.answerNext(500);
      const { id, secret } = (await create()).json;
      await ping(id);
      await settle();
      const rotated = (await call('rotateWebhookSecret', 'POST', `/webhooks/${id}/rotate-secret`)).json;
      expect(rotated.secret).not.toBe(secret);
      server.clock.advance(6 * 60_000);
      await settle();
      const last = server.receiver.posts().at(-1);
      const options = { toleranceSeconds: 300, nowSeconds: server.clock.now().getTime() / 1_000 };
      const header = last?.headers['service-signature'];
      const payload = last?.body ?? '';
      expect(await verifySignature({ payload, header, secrets: [rotated.secret], ...options })).toMatchObject({
        valid: true,
      });
      expect(await verifySignature({ payload, header, secrets: [secret], ...options })).toMatchObject({
        valid: false,
      });
    });

    test('a delivery whose webhook was deleted meanwhile is FAILED and never sent', async () => {
      server.receiver.answerNext(500);
      const { id } = (await create()).json;
      const eventId = await ping(id);
      await settle();
      await call('deleteWebhook', 'DELETE', `/webhooks/${id}`);
      server.clock.advance(6 * 60_000);
      await settle();
      expect(server.receiver.posts()).toHaveLength(1);
      const event = await call('getEvent', 'GET', `/events/${eventId}`);
      expect(event.json).toMatchObject({ delivered: false, deliveries: [{ status: 'FAILED' }] });
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
      const { id } = (await create()).json;
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
      const { data } = (await call('listEvents', 'GET', '/events?type=sync.failed&limit=1')).json;
      expect(data).toMatchObject([{ sourceId: 1, delivered: false }]);
    });

    test('an incident is sent to every active subscribed webhook of the account and no other', async () => {
      const all = (await create({ url: URL_OF('all') })).json;
      await create({ url: URL_OF('recovered'), enabledEvents: ['sync.recovered'] });
      const inactive = (await create({ url: URL_OF('inactive') })).json;
      await call('updateWebhook', 'PATCH', `/webhooks/${inactive.id}`, { body: { isActive: false } });
      await create({ url: URL_OF('foreign') }, 'osapi_demo_other');
      await startIncident();
      expect(server.receiver.posts().map((post) => post.host)).toEqual(['all.example.com']);
      const [post] = server.receiver.posts();
      expect(requestProblems('sync.failed', new Headers(post?.headers), JSON.parse(post?.body ?? ''))).toEqual([]);
      expect(await deliveriesOf(all.id)).toMatchObject([{ status: 'SUCCEEDED' }]);
    });
  });
});
