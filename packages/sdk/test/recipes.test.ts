/** Runs the recipes of the README in their frameworks: each takes deliveries and calls the API. */
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { createWebhookHeaders } from '../src/webhooks/index.ts';
import { eventBody } from './webhook-vectors.ts';

const SECRET = 'oswhsec_recipes';
const ANSWER = { value: true, reasons: ['bounce'] };
type Handler = (request: Request) => Response | Promise<Response>;

/** What the service was asked, with the key. */
const asked: string[] = [];
const closers: (() => unknown)[] = [];

async function listen(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  closers.push(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('no port');
  return `http://127.0.0.1:${address.port}`;
}

beforeAll(async () => {
  const url = await listen((request, response) => {
    asked.push(`${request.url} ${request.headers.authorization}`);
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ found: true, query: {}, summary: {}, outcomes: {}, doNotContact: ANSWER }));
  });
  // The recipes read the environment when they are loaded.
  Object.assign(process.env, { SVC_BASE_URL: url, SVC_API_KEY: 'osapi_recipes', SVC_WEBHOOK_SECRET: SECRET });
});
afterAll(async () => {
  for (const name of ['SVC_BASE_URL', 'SVC_API_KEY', 'SVC_WEBHOOK_SECRET']) delete process.env[name];
  for (const close of closers) await close();
});

/** Sends requests to a server. */
const toServer =
  (url: string): Handler =>
  (request) =>
    fetch(url + new URL(request.url).pathname, new Request(request));

const RECIPES: Readonly<Record<string, () => Promise<Handler>>> = {
  Express: async () => toServer(await listen((await import('./readme/recipe-express.ts')).app)),
  Fastify: async () => {
    const { app } = await import('./readme/recipe-fastify.ts');
    closers.push(() => app.close());
    return toServer(await app.listen({ port: 0, host: '127.0.0.1' }));
  },
  Hono: async () => (await import('./readme/recipe-hono.ts')).app.fetch,
  'Next.js': async () => {
    const { POST } = await import('./readme/recipe-next-hooks.ts');
    const { GET } = await import('./readme/recipe-next-contacts.ts');
    return (request) => {
      if (request.method === 'POST') return POST(request);
      const email = decodeURIComponent(new URL(request.url).pathname.replace('/contacts/', ''));
      return GET(request, { params: Promise.resolve({ email }) });
    };
  },
};

describe.each(Object.keys(RECIPES))('%s', (name) => {
  let send: Handler;
  beforeAll(async () => {
    send = (await RECIPES[name]?.()) ?? (() => new Response());
  });

  test('takes a delivery, drops its repeat, refuses a changed one', async () => {
    const printed: string[] = [];
    vi.spyOn(console, 'log').mockImplementation((...words) => void printed.push(words.join(' ')));
    // Not ASCII: a body that was decoded or parsed on the way would not match.
    const body = eventBody({ summary: 'Jürgen 🚀' });
    const headers = {
      ...(await createWebhookHeaders({ payload: body, secret: SECRET })),
      'Content-Type': 'application/json',
    };
    const post = async (payload: string) => {
      const response = await send(new Request('http://app.test/hooks', { method: 'POST', headers, body: payload }));
      return `${response.status} ${await response.text()}`;
    };
    expect([await post(body), await post(body), await post('{}')]).toEqual(['200 ok', '200 duplicate', '400 no_match']);
    expect(printed).toEqual(['sync.failed Jürgen 🚀']);
  });

  test('calls the API with the key of the environment', async () => {
    asked.length = 0;
    const response = await send(new Request('http://app.test/contacts/a%40example.org'));
    expect([response.status, await response.json()]).toEqual([200, ANSWER]);
    expect(asked).toEqual(['/api/v1/contacts/outreach?email=a%40example.org Bearer osapi_recipes']);
  });
});
