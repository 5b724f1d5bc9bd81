// Example of the README:
import { createClient } from '@svc/sdk';
import { createWebhookReceiver } from '@svc/sdk/webhooks';
import { Hono } from 'hono';

const client = createClient(); // SVC_BASE_URL and SVC_API_KEY; in Workers pass them from c.env
const receiver = createWebhookReceiver({
  secrets: [process.env.SVC_WEBHOOK_SECRET ?? ''],
  onEvent: (event) => console.log(event.type, event.summary),
});

export const app = new Hono();
app.post('/hooks', (c) => receiver.fetch(c.req.raw));
app.get('/contacts/:email', async (c) => {
  const { doNotContact } = await client.contacts.outreach({ email: c.req.param('email') });
  return c.json(doNotContact);
});
