// Example of the README:
import { createClient } from '@svc/sdk';
import { createWebhookReceiver } from '@svc/sdk/webhooks';
import express from 'express';

const client = createClient(); // SVC_BASE_URL and SVC_API_KEY
const receiver = createWebhookReceiver({
  secrets: [process.env.SVC_WEBHOOK_SECRET ?? ''],
  onEvent: (event) => console.log(event.type, event.summary),
});

export const app = express();
app.post('/hooks', receiver.express); // before express.json(), which drops the bytes
app.use(express.json());
app.get('/contacts/:email', async (request, response) => {
  const { doNotContact } = await client.contacts.outreach({ email: request.params.email });
  response.json(doNotContact);
});
