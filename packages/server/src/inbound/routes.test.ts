import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import express, { type ErrorRequestHandler } from 'express';
import { ApiError } from '@svc/domain/errors';
import { afterEach, expect, test } from 'vitest';
import { createMetrics } from '../metrics.ts';
import type { ReceiptStore } from './receive.ts';
import { inboundRouter } from './routes.ts';

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** The router alone, on a real port: posts to `known` are taken, at most 1,000 bytes of bodies are held. */
async function start(): Promise<{ port: number; asked: string[]; received: number }> {
  const seen = { asked: [] as string[], received: 0 };
  const receipts: ReceiptStore = {
    async knows(path) {
      seen.asked.push(path);
      return path === 'known';
    },
    async receive() {
      seen.received += 1;
      return seen.received;
    },
  };
  const app = express();
  app.use(inboundRouter(receipts, { bodyLimitBytes: 4_096, heldBytesMax: 1_000 }, createMetrics([])));
  const onError: ErrorRequestHandler = (error, _request, response, _next) => {
    const { statusCode = 500, retryAfterSeconds } = error instanceof ApiError ? error : { statusCode: error.status };
    if (retryAfterSeconds !== undefined) response.setHeader('Retry-After', String(retryAfterSeconds));
    response.status(statusCode).json({});
  };
  app.use(onError);
  const http = createServer(app);
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  closing.push(() => {
    http.closeAllConnections();
    http.close();
  });
  return Object.assign(seen, { port: (http.address() as AddressInfo).port });
}

/** Begins a post of `length` bytes and sends `sent` of them. */
function begin(port: number, path: string, length: number, sent: number): { socket: Socket; answer: Promise<string> } {
  const socket = connect({ host: '127.0.0.1', port });
  socket.on('error', () => {});
  closing.push(() => socket.destroy());
  socket.write(`POST /webhooks/${path} HTTP/1.1\r\nHost: x\r\nContent-Length: ${length}\r\n\r\n${'x'.repeat(sent)}`);
  const answer = once(socket, 'data').then(([data]) => String(data));
  return { socket, answer };
}

const post = (port: number, body: string) => fetch(`http://127.0.0.1:${port}/webhooks/known`, { method: 'POST', body });

test('an unknown code is refused before its body has arrived', async () => {
  const { port, asked } = await start();
  const { answer } = begin(port, 'unknown', 4_000, 0);
  expect(await answer).toContain('404');
  expect(asked).toEqual(['unknown']);
});

test('when the bodies that are held reach their limit, posts are put off until there is room', async () => {
  const server = await start();
  const { port } = server;
  const slow = begin(port, 'known', 2_000, 1_000);
  // The server has seen the slow post's first part once this one is put off.
  await expect.poll(async () => (await post(port, '{"a":1}')).status).toBe(503);
  expect((await post(port, '{"a":1}')).headers.get('retry-after')).toBe('5');
  slow.socket.destroy();
  await expect.poll(async () => (await post(port, '{"a":1}')).status).toBe(200);
});

test('posts that only announce a body take nobody\u2019s place', async () => {
  const { port } = await start();
  const idle = Array.from({ length: 20 }, () => begin(port, 'known', 4_000, 1));
  await Promise.all(idle.map(({ socket }) => once(socket, 'connect')));
  expect((await post(port, '{"a":1}')).status).toBe(200);
});

test('at twice the limit what is still arriving is broken off', async () => {
  const { port } = await start();
  // Each begins while there is room, and goes on.
  const posts = [begin(port, 'known', 4_000, 10), begin(port, 'known', 4_000, 10)];
  await Promise.all(posts.map(({ socket }) => once(socket, 'connect')));
  expect((await post(port, '{"a":1}')).status).toBe(200);
  const closed = Promise.race(posts.map(({ socket }) => once(socket, 'close')));
  for (const { socket } of posts) socket.write('x'.repeat(1_500));
  await closed;
});
