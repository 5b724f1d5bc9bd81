/** The receiver with `Request`/`Response`, a `node:http` server and Express. */
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { connect } from 'node:net';
import express, { type Express } from 'express';
import { afterEach, describe, expect, test } from 'vitest';
import { deliver, recordingOptions } from '../../test/webhook-deliveries.ts';
import { createWebhookReceiver, type WebhookReceiverOptions } from './index.ts';

function start(changes: Partial<WebhookReceiverOptions> = {}) {
  const { options, ...record } = recordingOptions();
  return { ...record, receiver: createWebhookReceiver({ ...options, ...changes }) };
}

const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

/** Starts a server that is closed after the test; returns its port and URL. */
async function listen(listener: RequestListener): Promise<{ port: number; url: string }> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  closers.push(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  });
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('no port');
  return { port: address.port, url: `http://127.0.0.1:${address.port}/hooks` };
}

async function post(url: string, delivery: RequestInit): Promise<string> {
  const response = await fetch(url, delivery);
  return `${response.status} ${await response.text()}`;
}

const LARGE = 'x'.repeat(1_048_577);

describe('fetch', () => {
  const URL_OF_HOOK = 'https://hooks.example.com/';
  const ask = async (fetchHook: (request: Request) => Promise<Response>, init: RequestInit) => {
    const response = await fetchHook(new Request(URL_OF_HOOK, init));
    return `${response.status} ${await response.text()}`;
  };

  test('takes a Request and returns a Response, without this', async () => {
    const { receiver, events } = start();
    const { fetch: hook } = receiver;
    const response = await hook(new Request(URL_OF_HOOK, await deliver()));
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('text/plain; charset=utf-8');
    expect(await response.text()).toBe('ok');
    expect(await ask(hook, await deliver())).toBe('200 duplicate');
    expect(await ask(hook, { ...(await deliver()), body: '{}' })).toBe('400 no_match');
    expect(events).toHaveLength(1);
  });

  test('405 without reading the body', async () => {
    const { receiver } = start();
    const response = await receiver.fetch(new Request(URL_OF_HOOK));
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST']);
  });

  test('400 without a body', async () => {
    const { receiver } = start();
    const { headers } = await deliver();
    expect(await ask(receiver.fetch, { method: 'POST', headers })).toBe('400 no_match');
  });

  test('413 with and without a declared length; a body of the largest size is read', async () => {
    const { receiver } = start();
    const { headers } = await deliver();
    const told = { ...headers, 'Content-Length': String(LARGE.length) };
    expect(await ask(receiver.fetch, { method: 'POST', headers: told, body: LARGE })).toBe('413 body_too_large');
    expect(await ask(receiver.fetch, { method: 'POST', headers, body: LARGE })).toBe('413 body_too_large');
    expect(await ask(receiver.fetch, { method: 'POST', headers, body: LARGE.slice(1) })).toBe('400 no_match');
  });

  test.each([
    ['up to the limit only', {}, 20],
    ['not at all when its length is declared', { 'Content-Length': '10001' }, 2],
  ])('a stream that is too large is read %s, and cancelled', async (_, headers, mostPulls) => {
    const { receiver } = start({ maxBodyBytes: 10_000 });
    let pulled = 0;
    let isCancelled = false;
    const body = new ReadableStream({
      pull(controller) {
        pulled += 1;
        controller.enqueue(new Uint8Array(1000));
      },
      cancel() {
        isCancelled = true;
      },
    });
    const init: RequestInit & { duplex: 'half' } = { method: 'POST', headers, body, duplex: 'half' };
    expect(await ask(receiver.fetch, init)).toBe('413 body_too_large');
    expect(isCancelled).toBe(true);
    expect(pulled).toBeLessThan(mostPulls);
  });

  test('400 when the body breaks off', async () => {
    const { receiver, failures } = start();
    const body = new ReadableStream({ pull: (controller) => controller.error(new Error('reset')) });
    const init: RequestInit & { duplex: 'half' } = { method: 'POST', body, duplex: 'half' };
    expect(await ask(receiver.fetch, init)).toBe('400 body_incomplete');
    expect(failures).toMatchObject([{ error: { reason: 'body_incomplete', cause: { message: 'reset' } } }]);
  });

  test('500 with advice when the body was read before', async () => {
    const { receiver } = start();
    const request = new Request(URL_OF_HOOK, await deliver());
    await request.json();
    const response = await receiver.fetch(request);
    expect(response.status).toBe(500);
    expect(await response.text()).toMatch(/^body_already_parsed: .*clone/);
    const locked = new Request(URL_OF_HOOK, await deliver());
    locked.body?.getReader();
    expect((await receiver.fetch(locked)).status).toBe(500);
  });
});

describe('node:http', () => {
  test('handles, refuses, drops repeats', async () => {
    const { receiver, events } = start();
    const { url } = await listen(receiver.node);
    expect(await post(url, await deliver({ summary: 'Jürgen 🚀' }))).toBe('200 ok');
    expect(await post(url, await deliver())).toBe('200 duplicate');
    expect(await post(url, { ...(await deliver()), body: '{}' })).toBe('400 no_match');
    expect(await post(url, { method: 'DELETE' })).toBe('405 method_not_allowed');
    expect(events).toHaveLength(1);
  });

  test.each([
    ['with', 'Content-Length: 15000000', 'x'.repeat(15_000_000)],
    ['without', 'Transfer-Encoding: chunked', `e4e1c0\r\n${'x'.repeat(15_000_000)}\r\n0\r\n\r\n`],
  ])(
    '413 reaches a sender that reads the answer only after sending everything, %s a length',
    async (_, header, body) => {
      const { receiver } = start({ maxBodyBytes: 8_000_000 });
      const { port } = await listen(receiver.node);
      const socket = connect(port, '127.0.0.1').pause();
      await once(socket, 'connect');
      const sent = new Promise((resolve, reject) => {
        socket.once('error', reject);
        socket.write(`POST /hooks HTTP/1.1\r\nHost: x\r\n${header}\r\n\r\n${body}`, resolve);
      });
      await sent;
      let answer = '';
      for await (const chunk of socket) answer += String(chunk);
      expect(answer).toMatch(/^HTTP\/1.1 413 /);
      expect(answer).toMatch(/^Connection: close\r$/m);
    },
  );

  test('reads 1 MB, the default limit', async () => {
    const { receiver } = start();
    const { url } = await listen(receiver.node);
    const { headers } = await deliver();
    expect(await post(url, { method: 'POST', headers, body: LARGE })).toBe('413 body_too_large');
    expect(await post(url, { method: 'POST', headers, body: LARGE.slice(1) })).toBe('400 no_match');
  });

  test('an endless body is not read for ever', async () => {
    const { receiver, failures } = start({ maxBodyBytes: 1000 });
    const { port } = await listen(receiver.node);
    const socket = connect(port, '127.0.0.1');
    // The connection may be reset after the answer, while this side is still writing.
    socket.on('error', () => {});
    let answer = '';
    socket.on('data', (chunk) => (answer += String(chunk)));
    const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
    socket.write('POST /hooks HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n');
    const writing = setInterval(() => socket.write(`c8\r\n${'x'.repeat(200)}\r\n`), 1);
    await closed;
    clearInterval(writing);
    expect(answer).toMatch(/^HTTP\/1.1 413 /);
    expect(failures).toMatchObject([{ status: 413 }]);
  });

  test('an answer written elsewhere is reported and does not end the process', async () => {
    const { receiver, failures, events } = start();
    const { url } = await listen((request, response) => {
      if (events.length === 0) response.end('written before');
      receiver.node(request, response);
    });
    expect(await post(url, await deliver())).toBe('200 written before');
    await expect.poll(() => failures).toMatchObject([{ status: 500, error: { code: 'ERR_HTTP_HEADERS_SENT' } }]);
    expect(await post(url, await deliver())).toBe('200 duplicate');
  });

  test('a sender that disconnects in the middle of the body is reported', async () => {
    const { receiver, failures, events } = start();
    const { port, url } = await listen(receiver.node);
    const socket = connect(port, '127.0.0.1');
    await once(socket, 'connect');
    socket.write('POST /hooks HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{"id"');
    socket.end();
    await expect.poll(() => failures).toMatchObject([{ status: 400, error: { reason: 'body_incomplete' } }]);
    expect(await post(url, await deliver())).toBe('200 ok');
    expect(events).toHaveLength(1);
  });
});

describe('express', () => {
  async function mount(prepare: (app: Express) => void, changes: Partial<WebhookReceiverOptions> = {}) {
    const { receiver, ...record } = start(changes);
    const app = express();
    prepare(app);
    app.post('/hooks', receiver.express);
    const { url } = await listen(app);
    return { ...record, url };
  }

  test('without a body parser', async () => {
    const { url, events } = await mount(() => {});
    expect(await post(url, await deliver())).toBe('200 ok');
    expect(await post(url, await deliver())).toBe('200 duplicate');
    expect(events).toHaveLength(1);
  });

  test('behind express.raw()', async () => {
    const { url } = await mount((app) => app.use(express.raw({ type: 'application/json' })));
    expect(await post(url, await deliver({ summary: 'Jürgen 🚀' }))).toBe('200 ok');
    expect(await post(url, { ...(await deliver()), body: '{}' })).toBe('400 no_match');
  });

  test('behind express.text()', async () => {
    const { url } = await mount((app) => app.use(express.text({ type: '*/*' })));
    expect(await post(url, await deliver({ summary: 'Jürgen 🚀' }))).toBe('200 ok');
  });

  test('behind an express.json() that keeps the bytes', async () => {
    const { url } = await mount((app) =>
      app.use(express.json({ verify: (request, _response, bytes) => void Object.assign(request, { rawBody: bytes }) })),
    );
    expect(await post(url, await deliver({ summary: 'Jürgen 🚀' }))).toBe('200 ok');
  });

  test('behind an express.json() for another content type', async () => {
    const { url } = await mount((app) => app.use(express.json({ type: 'application/vnd.other+json' })));
    expect(await post(url, await deliver())).toBe('200 ok');
  });

  test('behind a parser of Express 4 that sets {} without reading', async () => {
    const { url } = await mount((app) =>
      app.use((request, _response, next) => {
        request.body = {};
        next();
      }),
    );
    expect(await post(url, await deliver())).toBe('200 ok');
  });

  test('an answer sent elsewhere is reported to onError and does not reject', async () => {
    const { receiver, failures } = start();
    const headersSent = Object.assign(new Error('headers sent'), { code: 'ERR_HTTP_HEADERS_SENT' });
    const response = {
      statusCode: 200,
      setHeader: () => {
        throw headersSent;
      },
      end: () => {},
    };
    const { headers, body } = await deliver();
    const request = { method: 'POST', headers: Object.fromEntries(new Headers(headers)), rawBody: body };
    const chunks = { next: async () => ({ done: true }) };
    await receiver.express({ ...request, [Symbol.asyncIterator]: () => chunks }, response);
    expect(failures).toMatchObject([{ error: headersSent, status: 500 }]);
  });

  test('500 with advice behind express.json(), which drops the bytes', async () => {
    const { url, events, failures } = await mount((app) => app.use(express.json()));
    const answer = await post(url, await deliver());
    expect(answer).toMatch(/^500 body_already_parsed: .*Pass the raw body \(bytes or string as received\).*"Recipes"/);
    expect(events).toEqual([]);
    expect(failures).toMatchObject([{ status: 500, error: { reason: 'body_already_parsed' } }]);
  });

  test('413 for bytes that a parser with a larger limit kept', async () => {
    const raw = express.raw({ type: '*/*', limit: '10mb' });
    const { url } = await mount((app) => app.use(raw), { maxBodyBytes: 100 });
    expect(await post(url, await deliver())).toBe('413 body_too_large');
  });
});
