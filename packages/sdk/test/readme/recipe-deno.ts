/** The parts of Deno's types that the example needs. */
declare const Deno: {
  readonly env: { get(name: string): string | undefined };
  serve(options: { hostname: string; port: number }, handler: (request: Request) => Promise<Response>): void;
};

// Example of the README:
// server.ts, for `deno run --allow-net --allow-env server.ts`
import { createClient } from '@svc/sdk';
import { createWebhookReceiver } from '@svc/sdk/webhooks';

// The client itself does not read the environment in Deno, which would ask for permission.
const client = createClient({ baseUrl: Deno.env.get('SVC_BASE_URL'), apiKey: Deno.env.get('SVC_API_KEY') });
const receiver = createWebhookReceiver({
  secrets: [Deno.env.get('SVC_WEBHOOK_SECRET') ?? ''],
  onEvent: (event) => console.log(event.type, event.summary),
});

Deno.serve({ hostname: '127.0.0.1', port: Number(Deno.env.get('PORT') ?? 8000) }, async (request) => {
  const { pathname } = new URL(request.url);
  if (pathname === '/hooks') return receiver.fetch(request);
  const email = pathname.split('/contacts/')[1];
  if (email === undefined) return new Response('Not found', { status: 404 });
  const { doNotContact } = await client.contacts.outreach({ email: decodeURIComponent(email) });
  return Response.json(doNotContact);
});
