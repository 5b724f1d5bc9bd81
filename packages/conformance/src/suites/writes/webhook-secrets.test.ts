/** `rotateWebhookSecret`: rotation of the signing secret. */
import { describe, expect, test } from 'vitest';
import { onlyPost, signatureOf, useWebhooks } from '../../cases/webhooks.ts';
import { onEveryTarget } from '../../harness/suite.ts';

onEveryTarget(
  (api) => {
    const webhooks = useWebhooks(api);

    describe('rotateWebhookSecret', () => {
      test('404 for another account; the secret does not change', async () => {
        const { id, secret, receiver } = await webhooks.make();
        const answer = await api.call('rotateWebhookSecret', { key: 'osapi_demo_other', params: { id } });
        expect([answer.status, answer.json.message]).toEqual([404, `Webhook ${id} not found`]);
        await webhooks.ping(id);
        await api.target().settle();
        expect(signatureOf(onlyPost(receiver)).isValidFor(secret)).toBe(true);
      });

      test('200: later requests are signed with the new secret only', async () => {
        const { id, secret, receiver } = await webhooks.make();
        const { json } = await webhooks.write('rotateWebhookSecret', { params: { id } });
        await webhooks.ping(id);
        await api.target().settle();
        const signature = signatureOf(onlyPost(receiver));
        expect([signature.isValidFor(json.secret), signature.isValidFor(secret)]).toEqual([true, false]);
      });
    });
  },
  { workers: 'off' },
);
