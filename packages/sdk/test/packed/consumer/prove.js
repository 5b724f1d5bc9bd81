/** Uses the packed SDK in any runtime. The result is JSON. */
import { createClient, NotFoundError, SvcError } from '@svc/sdk';
import { createValidator } from '@svc/sdk/validate';
import { createWebhookHeaders, verifyWebhook } from '@svc/sdk/webhooks';

const EVENT = { id: 'osevt_1', type: 'test.ping', created: '2026-03-31T12:00:00.000Z', summary: 'Zoë 🚀', data: {} };

export async function prove(baseUrl, apiKey) {
  const client = createClient({ baseUrl, apiKey, validate: createValidator('strict'), maxRetries: 0 });
  const list = client.syncs.list({ from: '2026-02-01', to: '2026-03-31', pageSize: 7, prefetch: true });
  const ids = [];
  for await (const { id } of list) {
    ids.push(id);
    if (ids.length === 40) break;
  }

  const missing = await client.syncs.get(99_999_999).catch((error) => error);
  const created = await client.webhooks.create({ url: 'https://hooks.example.com/packed' });
  await client.webhooks.delete(created.id);

  const payload = new TextEncoder().encode(JSON.stringify(EVENT));
  const headers = await createWebhookHeaders({ payload, secret: created.secret });
  const header = headers['Service-Signature'];
  const event = await verifyWebhook({ payload, header, secret: created.secret });
  const refused = await verifyWebhook({ payload, header, secret: 'another' }).catch((error) => error);
  return {
    ids,
    missing: [missing instanceof NotFoundError, missing instanceof SvcError, missing.status, missing.message],
    secret: created.secret.slice(0, 8),
    event: [event.id, event.summary],
    refused: [refused instanceof SvcError, refused.name],
  };
}
