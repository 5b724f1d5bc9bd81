import type { WebhookReceiver } from '@svc/sdk/webhooks';

declare const receiver: WebhookReceiver;
declare const secret: string;

// Example of the README:
import { createWebhookHeaders } from '@svc/sdk/webhooks';

const created = new Date().toISOString();
const payload = JSON.stringify({ id: 'osevt_1', type: 'test.ping', created, summary: '', data: {} });
const headers = await createWebhookHeaders({ payload, secret });
const response = await receiver.fetch(new Request('https://example.com/', { method: 'POST', headers, body: payload }));
// End of the example.
export { response };
