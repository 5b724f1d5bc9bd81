/** The parts of Bun's types that the example needs. */
declare const Bun: {
  serve(options: {
    hostname: string;
    port: string;
    routes: Record<string, (request: Request & { params: { email: string } }) => Promise<Response>>;
  }): { url: URL };
};

// Example of the README:
// server.ts, for `bun server.ts`
import { createClient } from '@svc/sdk';
import { createWebhookReceiver } from '@svc/sdk/webhooks';

const client = createClient(); // SVC_BASE_URL and SVC_API_KEY
const receiver = createWebhookReceiver({
  secrets: [process.env.SVC_WEBHOOK_SECRET ?? ''],
  onEvent: (event) => console.log(event.type, event.summary),
});

const server = Bun.serve({
  hostname: '127.0.0.1',
  port: process.env.PORT ?? '3000',
  routes: {
    '/hooks': (request) => receiver.fetch(request),
    '/contacts/:email': async (request) => {
      const { doNotContact } = await client.contacts.outreach({ email: request.params.email });
      return Response.json(doNotContact);
    },
  },
});
console.log(`Listening on ${server.url}`);
