// Example of the README:
import { createClient } from '@svc/sdk';
import { createWebhookReceiver } from '@svc/sdk/webhooks';
import Fastify from 'fastify';

const client = createClient(); // SVC_BASE_URL and SVC_API_KEY
const receiver = createWebhookReceiver({
  secrets: [process.env.SVC_WEBHOOK_SECRET ?? ''],
  onEvent: (event) => console.log(event.type, event.summary),
});

export const app = Fastify();
// A plugin of its own: the parser that keeps the bytes applies to the routes in it only.
app.register(async (hooks) => {
  hooks.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, bytes, done) => done(null, bytes));
  hooks.post<{ Body: Buffer }>('/hooks', async ({ method, headers, body }, reply) => {
    const answer = await receiver.handle({ method, headers, payload: body });
    return reply.code(answer.status).headers(answer.headers).send(answer.body);
  });
});
app.get<{ Params: { email: string } }>('/contacts/:email', async ({ params }) => {
  const { doNotContact } = await client.contacts.outreach({ email: params.email });
  return doNotContact;
});
