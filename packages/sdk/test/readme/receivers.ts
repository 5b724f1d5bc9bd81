/** The ways to mount a receiver: the README's table holds these lines. */
import http from 'node:http';
import express from 'express';
import { createWebhookReceiver } from '@svc/sdk/webhooks';

const receiver = createWebhookReceiver({ secrets: ['oswhsec_x'], onEvent: () => {} });

// node:http
http.createServer(receiver.node);

// Express 4 and 5
{
  const app = express();
  app.post('/hooks', receiver.express);
  app.use(express.raw({ type: 'application/json' }));
  app.use(express.json());
}

// Workers, Deno, Bun
export default { fetch: receiver.fetch };

// Next.js
export const POST = (request: Request) => receiver.fetch(request);

// Remix, SvelteKit
export const action = ({ request }: { request: Request }) => receiver.fetch(request);

// Hono, as far as it is used here
interface Hono {
  post(path: string, handler: (c: { readonly req: { readonly raw: Request } }) => Promise<Response>): unknown;
}
export function useHono(app: Hono): void {
  app.post('/hooks', (c) => receiver.fetch(c.req.raw));
}

// anything else
export async function receive(method: string, headers: Record<string, string>, payload: Uint8Array) {
  const answer = await receiver.handle({ method, headers, payload });
  return [answer.status, answer.headers, answer.body];
}
