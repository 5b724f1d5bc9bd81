/** `createWebhook`: host names are resolved when a webhook is created and at every attempt. */
import { describe, expect, test } from 'vitest';
import type { Api } from '../harness/suite.ts';
import { type WebhookCases, WRITE_KEY } from './webhooks.ts';

const PRIVATE_ADDRESSES = [
  '127.0.0.1',
  '10.1.2.3',
  '169.254.169.254',
  '168.63.129.16',
  '0.0.0.0',
  '::1',
  '::ffff:10.0.0.1',
  'fd00::1',
];

export function proveHostNamesAreResolved(api: Api, { make, ping, deliveries }: WebhookCases): void {
  describe('createWebhook', () => {
    test.each(PRIVATE_ADDRESSES)('400 for a name that resolves to %s', async (address) => {
      api.target().setHostAddress('rebound.example.com', address);
      const call = { key: WRITE_KEY, body: { url: 'https://rebound.example.com/x' } };
      const answer = await api.call('createWebhook', call);
      expect(answer.json).toMatchObject({ statusCode: 400, message: expect.stringContaining('url') });
    });
  });

  describe('updateWebhook', () => {
    test('400 for a name that resolves to a private address', async () => {
      const { id, url } = await make();
      api.target().setHostAddress('rebound-2.example.com', '192.168.7.7');
      const call = { key: WRITE_KEY, params: { id }, body: { url: 'https://rebound-2.example.com/x' } };
      expect((await api.call('updateWebhook', call)).status).toBe(400);
      expect((await api.read('getWebhook', { params: { id } })).url).toBe(url);
    });
  });

  describe('testWebhook', () => {
    test('202, but nothing is sent to a name that now resolves to a private address', async () => {
      const { id, receiver } = await make();
      api.target().setHostAddress(receiver.host, '10.0.0.7');
      await ping(id);
      await api.target().settle();
      expect(receiver.posts).toHaveLength(0);
      expect(await deliveries(id)).toMatchObject([{ status: 'PENDING', attemptCount: 1, lastHttpStatus: null }]);
      api.target().setHostAddress(receiver.host, '93.184.215.14');
      await api.advance(6 * 60_000);
      expect(receiver.posts).toHaveLength(1);
      expect(await deliveries(id)).toMatchObject([{ status: 'SUCCEEDED', attemptCount: 2 }]);
    });
  });
}
