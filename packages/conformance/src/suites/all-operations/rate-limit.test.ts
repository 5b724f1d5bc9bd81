/** The 429 of every operation: fixed windows of 60 seconds per address before the key, and per account after it. */
import { LIMITS } from '@svc/contract/limits';
import { type OperationId, operations } from '@svc/contract/operations';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Answer, Call } from '../../harness/client.ts';
import { type Api, onEveryTarget } from '../../harness/suite.ts';

const GENERAL = LIMITS.generalRequestsPerWindow;
const OUTREACH = LIMITS.outreachRequestsPerWindow;
const OUTREACH_QUERY = { query: { email: 'nobody@example.com' } };

onEveryTarget(
  (api) => {
    beforeEach(async () => {
      // Every case starts with new windows.
      await api.target().clock.advance(LIMITS.rateWindowSeconds * 1_000);
    });

    const from = (ip: string, call: Call = {}): Call => ({ ...call, headers: { 'x-forwarded-for': ip } });
    /** Makes concurrent calls and counts the statuses. */
    async function spend(count: number, operationId: OperationId, call: Call): Promise<Record<number, number>> {
      const statuses: Record<number, number> = {};
      let left = count;
      const spendSome = async () => {
        while (left-- > 0) {
          const { status } = await api.call(operationId, call);
          statuses[status] = (statuses[status] ?? 0) + 1;
        }
      };
      await Promise.all(Array.from({ length: 8 }, spendSome));
      return statuses;
    }

    describe('getMe', () => {
      test('429 for the 121st request of a window, with Retry-After until its end', async () => {
        const call = from('203.0.113.1');
        expect(await spend(GENERAL, 'getMe', call)).toEqual({ 200: GENERAL });
        await api.target().clock.advance(20_500);
        const refused = await api.call('getMe', call);
        expect(refused.json).toEqual({ statusCode: 429, message: expect.any(String), error: 'Too Many Requests' });
        expect(refused.headers.get('retry-after')).toBe('40');
        await api.target().clock.advance(39_499);
        const last = await api.call('getMe', call);
        expect([last.status, last.headers.get('retry-after')]).toEqual([429, '1']);
        await api.target().clock.advance(1);
        expect(await spend(GENERAL + 2, 'getMe', call)).toEqual({ 200: GENERAL, 429: 2 });
      });

      test('429 comes before the check of the key', async () => {
        const guess = from('203.0.113.2', { key: 'osapi_guess' });
        expect(await spend(GENERAL + 5, 'getMe', guess)).toEqual({ 401: GENERAL, 429: 5 });
        expect((await api.call('getMe', from('203.0.113.2'))).status).toBe(429);
        expect((await api.call('getMe', from('203.0.113.3'))).status).toBe(200);
      });

      test('429 after requests to unknown routes, which count against the address too', async () => {
        const headers = { 'x-forwarded-for': '203.0.113.60' };
        const probe = async (path: string, method = 'GET') => {
          const answer = await api.fetch(`${api.target().baseUrl}${path}`, { method, headers });
          await answer.arrayBuffer();
          return answer;
        };
        const paths = ['/api/v1/nothing', '/api/v1', '/API/V1/me', '/api/v1/%zz', '/api/v1/syncs/1/nothing'];
        for (let count = 0; count < GENERAL; count += 1) {
          const path = paths[count % paths.length] ?? '';
          expect([path, (await probe(path, count % 2 === 0 ? 'GET' : 'PUT')).status]).toEqual([path, 404]);
        }
        expect((await api.call('getMe', from('203.0.113.60'))).status).toBe(429);
        for (const path of paths) {
          const refused = await probe(path);
          expect([path, refused.status, refused.headers.get('retry-after')]).toEqual([path, 429, '60']);
        }
        expect((await probe('/api/v1/contacts/outreach')).status).toBe(401);
        for (const path of ['/api/v2/nothing', '/api', '/webhooks/nobody', '/nothing']) {
          expect([path, (await probe(path)).status]).toEqual([path, 404]);
        }
      });

      test('429 for all keys of an account together, from any address', async () => {
        const keys = ['osapi_demo_read', 'osapi_demo_write', 'osapi_demo_connection_read', 'osapi_demo_connection'];
        for (const [index, key] of keys.entries()) {
          const statuses = await spend(GENERAL / 4, 'getMe', from(`203.0.113.1${index}`, { key }));
          expect(statuses).toEqual({ 200: GENERAL / 4 });
        }
        for (const key of keys) {
          const refused = await api.call('getMe', from('203.0.113.20', { key }));
          expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '60']);
        }
        expect((await api.call('getMe', from('203.0.113.20', { key: 'osapi_demo_other' }))).status).toBe(200);
        expect((await api.call('getMe', from('203.0.113.20', { key: 'osapi_nobody' }))).status).toBe(401);
      });

      test('429 for another address of the same /64, not for the next one', async () => {
        expect(await spend(GENERAL, 'getMe', from('2001:db8:1:2::1'))).toEqual({ 200: GENERAL });
        const key = 'osapi_demo_other';
        expect((await api.call('getMe', from('2001:db8:1:2:ffff::9', { key }))).status).toBe(429);
        expect((await api.call('getMe', from('2001:db8:1:3::1', { key }))).status).toBe(200);
      });

      test('429 for an IPv4 address mapped into IPv6', async () => {
        expect(await spend(GENERAL, 'getMe', from('203.0.113.30'))).toEqual({ 200: GENERAL });
        const mapped = from('::ffff:203.0.113.30', { key: 'osapi_demo_other' });
        expect((await api.call('getMe', mapped)).status).toBe(429);
      });
    });

    describe('getMe', () => {
      test('200 with the remaining requests and seconds of the window', async () => {
        const shown = ({ headers }: Answer) => [headers.get('ratelimit-policy'), headers.get('ratelimit')];
        const call = from('203.0.113.40');
        expect(shown(await api.call('getMe', call))).toEqual(['"general";q=120;w=60', '"general";r=119;t=60']);
        await api.target().clock.advance(10_500);
        expect(shown(await api.call('getMe', call))).toEqual(['"general";q=120;w=60', '"general";r=118;t=50']);
      });

      test('429 for the address does not count against the account', async () => {
        const call = from('203.0.113.41');
        await spendAddress(api, '203.0.113.41');
        expect(await spend(30, 'getMe', call)).toEqual({ 429: 30 });
        expect(await spend(GENERAL + 1, 'getMe', from('203.0.113.42'))).toEqual({ 200: GENERAL, 429: 1 });
      });

      test('429 never for keys that get a 401 or 403 before their account is counted', async () => {
        for (const [key, status] of [
          ['osapi_demo_no_api', 403],
          ['osapi_demo_revoked', 401],
        ] as const) {
          for (const ip of ['203.0.113.43', '203.0.113.44']) {
            expect(await spend(GENERAL - 10, 'getMe', from(ip, { key }))).toEqual({ [status]: GENERAL - 10 });
          }
          await api.target().clock.advance(LIMITS.rateWindowSeconds * 1_000);
        }
        const spent = from('203.0.113.45', { key: 'osapi_demo_read' });
        expect(await spend(GENERAL, 'getMe', spent)).toEqual({ 200: GENERAL });
        expect((await api.call('getMe', from('203.0.113.46'))).status).toBe(429);
      });
    });

    describe('deleteWebhook', () => {
      test('429 for the account comes before the 403s of its key', async () => {
        for (const [key, message] of [
          ['osapi_demo_no_webhooks', 'Platform webhooks are not enabled for this account'],
          ['osapi_demo_read', "This endpoint requires the 'write' scope"],
        ] as const) {
          const call = { key, params: { id: 'oswhk_demo01' } };
          expect((await api.call('deleteWebhook', from('203.0.113.50', call))).json.message).toBe(message);
          await spend(GENERAL - 1, 'getMe', from('203.0.113.51', { key }));
          expect((await api.call('deleteWebhook', from('203.0.113.52', call))).status).toBe(429);
          await api.target().clock.advance(LIMITS.rateWindowSeconds * 1_000);
        }
      });
    });

    describe('getContactOutreach', () => {
      test('429 for the 601st request of a window, in a separate bucket', async () => {
        const call = from('203.0.113.4', OUTREACH_QUERY);
        expect(await spend(GENERAL + 1, 'getMe', from('203.0.113.4'))).toEqual({ 200: GENERAL, 429: 1 });
        expect(await spend(OUTREACH + 3, 'getContactOutreach', call)).toEqual({ 200: OUTREACH, 429: 3 });
        // The same account from another address, and another account from the same address.
        const elsewhere = from('203.0.113.5', OUTREACH_QUERY);
        expect((await api.call('getContactOutreach', elsewhere)).status).toBe(429);
        const other = { ...OUTREACH_QUERY, key: 'osapi_demo_other' };
        expect((await api.call('getContactOutreach', from('203.0.113.4', other))).status).toBe(429);
        expect((await api.call('getContactOutreach', from('203.0.113.5', other))).status).toBe(200);
      });

      test('200 does not count in the general bucket', async () => {
        await spend(GENERAL * 2, 'getContactOutreach', from('203.0.113.6', OUTREACH_QUERY));
        expect(await spend(GENERAL, 'getMe', from('203.0.113.6'))).toEqual({ 200: GENERAL });
      });
    });

    for (const id of ['getHealthLive', 'getHealthReady'] as const) {
      describe(id, () => {
        test('200 without a limit, also when the general bucket is used up', async () => {
          const call = from('203.0.113.8', { key: null });
          await spendAddress(api, '203.0.113.8');
          expect((await api.call('getOpenapiJson', call)).status).toBe(429);
          expect(await spend(GENERAL + 10, id, call)).toEqual({ 200: GENERAL + 10 });
        });
      });
    }
  },
  { rateLimit: 'on', trustedProxies: 1 },
);

onEveryTarget(
  (api) => {
    const from = (call: Call): Call => ({ ...call, headers: { 'x-forwarded-for': '203.0.113.7' } });
    beforeAll(() => spendAddress(api, '203.0.113.7'));

    // All these operations share one bucket.
    for (const { id, rateBucket } of operations) {
      if (rateBucket !== 'general') continue;
      describe(id, () => {
        test('429 when the general bucket of the address is used up, with any key and parameters', async () => {
          const params = { id: 'x', sourceId: 'x', deliveryId: 'x' };
          for (const key of ['osapi_demo_read', 'osapi_nobody', null]) {
            const refused = await api.call(id, from({ key, params }));
            expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '60']);
          }
        });
      });
    }
  },
  { rateLimit: 'on', trustedProxies: 1 },
);

/** Uses up the general bucket of an address without counting against an account. */
async function spendAddress(api: Api, ip: string, count: number = GENERAL): Promise<void> {
  const url = `${api.target().baseUrl}/api/v1/openapi.json`;
  const spend = async () => (await api.fetch(url, { method: 'HEAD', headers: { 'x-forwarded-for': ip } })).status;
  const statuses = await Promise.all(Array.from({ length: count }, spend));
  expect(new Set(statuses)).toEqual(new Set([200]));
}
