/** Forwarding to destinations that fail, hang or are not allowed, on both databases, over real HTTP. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { anyBackend } from '@svc/engine/test/backends';
import {
  ALERTS,
  HOUR_MS,
  WAREHOUSE,
  type ForwardingServer,
  startForwardingServer,
} from '../support/forwarding-server.ts';

describe('forwarding that fails', () => {
  describe('attempts', () => {
    let server: ForwardingServer;
    beforeAll(async () => {
      server = await startForwardingServer(anyBackend);
    });
    afterAll(async () => {
      await server.close();
    });
    beforeEach(() => server.reset());

    describe('failures', () => {
      beforeEach(async () => {
        await server.unbindAll();
        await server.bind(WAREHOUSE, 1, ['EMAIL_REPLY']);
      });

      const nextDueMs = async () => {
        const { rows } = await server.db.query<{ due_at: Date }>('select due_at from jobs order by due_at limit 1');
        return rows[0]?.due_at.getTime() ?? null;
      };

      test('a lasting failure is tried eight times on the schedule of webhook deliveries, one row per attempt', async () => {
        server.receiver.answerAlways(503);
        const requestId = await server.receive();
        const attemptsAt: number[] = [];
        for (let dueMs = await nextDueMs(); dueMs !== null; dueMs = await nextDueMs()) {
          const waitMs = dueMs - server.clock.now().getTime();
          if (waitMs > 0) await server.waitAndSettle(waitMs - 1);
          expect(server.receiver.posts()).toHaveLength(attemptsAt.length);
          await server.waitAndSettle(Math.min(1, waitMs));
          expect(server.receiver.posts()).toHaveLength(attemptsAt.length + 1);
          attemptsAt.push(server.clock.now().getTime());
        }
        const waits = attemptsAt.slice(1).map((at, index) => (at - (attemptsAt[index] ?? 0)) / 60_000);
        expect(waits[0]).toBeGreaterThanOrEqual(1);
        expect(waits[0]).toBeLessThanOrEqual(6);
        expect(waits.slice(1)).toEqual([2, 4, 8, 16, 30, 60]);
        const rows = await server.deliveries();
        expect(rows.map((row: { createdAt: string }) => Date.parse(row.createdAt)).reverse()).toEqual(attemptsAt);
        for (const row of rows) {
          expect(row).toMatchObject({
            status: 'error',
            httpStatus: 503,
            error: 'The destination answered 503',
            payloadId: requestId,
          });
        }
        const ids = server.receiver.posts().map((post) => post.headers['service-payload-id']);
        expect(new Set(ids)).toEqual(new Set([String(requestId)]));
        expect(await server.waitingForwards()).toBe(0);
        const metrics = await server.get('getAccountMetrics', `/api/v1/account/metrics?${server.range()}`);
        expect(metrics.json.destinationDeliveries).toEqual({ success: 0, error: 8, http2xx: 0 });
      });

      test.each([
        [400, 'The destination answered 400'],
        [404, 'The destination answered 404'],
        [410, 'The destination answered 410'],
        [301, 'The destination answered 301: redirects are not followed'],
        [307, 'The destination answered 307: redirects are not followed'],
      ])('HTTP %d is final', async (httpStatus, error) => {
        server.receiver.answerNext(httpStatus);
        await server.receive();
        await server.settle();
        await server.waitAndSettle(2 * HOUR_MS);
        expect(server.receiver.posts()).toHaveLength(1);
        expect(await server.deliveries()).toMatchObject([{ status: 'error', httpStatus, error }]);
        expect(await server.waitingForwards()).toBe(0);
      });

      test.each([
        'https://127.0.0.1/',
        'http://169.254.169.254/latest/meta-data',
        'https://[::ffff:10.0.0.1]/',
        'ftp://example.com/',
      ])('the guard refuses %s at connect time, and it is not retried', async (url) => {
        await server.setUrl(WAREHOUSE, url);
        await server.receive();
        await server.settle();
        await server.waitAndSettle(2 * HOUR_MS);
        expect(server.receiver.posts()).toEqual([]);
        expect(await server.deliveries()).toMatchObject([
          {
            status: 'error',
            httpStatus: null,
            destinationUrl: url,
            error: expect.stringMatching(/private|not an http/),
          },
        ]);
        expect(await server.waitingForwards()).toBe(0);
      });

      test('when a worker dies between post and commit, the payload is posted again: two posts, one row', async () => {
        const { query } = server.db;
        server.db.query = async (statement, values) => {
          const text = typeof statement === 'string' ? statement : statement.text;
          if (text.includes('insert into deliveries')) throw new Error('killed');
          return query(statement, values);
        };
        const requestId = await server.receive();
        await server.settle();
        server.db.query = query;
        expect(await server.deliveries()).toEqual([]);
        await server.waitAndSettle(1_000);
        expect(server.receiver.posts().map((post) => post.headers['service-payload-id'])).toEqual([
          String(requestId),
          String(requestId),
        ]);
        expect(await server.deliveries()).toMatchObject([{ status: 'success', payloadId: requestId }]);
        expect(await server.waitingForwards()).toBe(0);
      });

      test('a worker that lost its lease while posting adds no row; its successor does', async () => {
        const { post } = server.running.ctx.outbound;
        server.running.ctx.outbound.post = async (call) => {
          // The worker that claims the job now raises the fence.
          await server.db.query(`update jobs set fence = fence + 1 where kind = 'forward-event'`);
          return post(call);
        };
        await server.receive();
        await server.settle();
        server.running.ctx.outbound.post = post;
        expect(server.receiver.posts()).toHaveLength(1);
        expect(await server.deliveries()).toEqual([]);
        await server.waitAndSettle(60_000);
        expect(await server.deliveries()).toHaveLength(1);
      });
    });

    test('a hanging destination delays neither CRM writes of its connection nor other destinations', async () => {
      await server.unbindAll();
      await server.bind(WAREHOUSE, 1, ['EMAIL_REPLY']);
      await server.bind(ALERTS, 1, ['EMAIL_SENT']);
      server.receiver.answerAlways((post) => (post.host === 'hooks.example.com' ? 'hang' : 200));
      server.running.runner.start();
      try {
        for (let index = 0; index < 60; index += 1) await server.receive();
        await expect.poll(() => server.crm.engagements().length).toBe(60);
        for (let index = 0; index < 10; index += 1) await server.receive(server.event({ event_type: 'EMAIL_SENT' }));
        const alerted = async () => (await server.reached()).filter((id: number) => id === ALERTS).length;
        await expect.poll(alerted).toBe(10);
        expect(await server.waitingForwards()).toBe(60);
      } finally {
        const stopped = server.running.runner.stop();
        server.receiver.reset();
        await stopped;
      }
    }, 60_000);
  });
});
