import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { constants, createZstdCompress, gzipSync } from 'node:zlib';
import express from 'express';
import { pino } from 'pino';
import { afterEach, describe, expect, test } from 'vitest';
import { errorHandler } from '../http/errors.ts';
import { createManualClock } from '@svc/engine/runtime/clock';
import { createMetrics } from '@svc/engine/runtime/metrics';
import type { ReceiptStore } from './receive.ts';
import { inboundRouter } from './routes.ts';

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

const KNOWN = ['known', 'other', '7/9'];
const LIMIT = 4_096;

interface Started {
  port: number;
  /** Paths that were looked up. */
  asked: string[];
  /** Bodies that were stored. */
  received: string[];
}

/**
 * Starts the router alone on a real port. It accepts posts to `KNOWN` and holds at most `heldBytesMax` bytes of bodies.
 */
async function start(heldBytesMax = 1_000): Promise<Started> {
  const seen = { asked: [] as string[], received: [] as string[] };
  const receipts: ReceiptStore = {
    async find(path) {
      seen.asked.push(path);
      return KNOWN.includes(path) ? { id: 1, secrets: [] } : null;
    },
    async receive({ body }) {
      seen.received.push(body.toString());
      return seen.received.length;
    },
  };
  const clock = createManualClock(new Date('2026-03-01T12:00:00.000Z'));
  const options = { bodyLimitBytes: LIMIT, heldBytesMax, clock, refusals: { note() {} } };
  const app = express();
  app.use(inboundRouter(receipts, options, createMetrics([])));
  app.use(errorHandler(pino({ level: 'silent' })));
  const http = createServer(app);
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  closing.push(() => {
    http.closeAllConnections();
    http.close();
  });
  return Object.assign(seen, { port: (http.address() as AddressInfo).port });
}

interface Begun {
  socket: Socket;
  answer: Promise<string>;
}

/** Begins a request and sends `sent` of its body. */
function beginRequest(port: number, head: string, sent: string | Buffer = ''): Begun {
  const socket = connect({ host: '127.0.0.1', port });
  socket.on('error', () => {});
  closing.push(() => socket.destroy());
  socket.write(`${head}\r\nHost: x\r\n\r\n`);
  socket.write(sent);
  return { socket, answer: once(socket, 'data').then(([data]) => String(data)) };
}

/** Begins a post of `length` bytes and sends `sent` of them. */
const begin = (port: number, path: string, length: number, sent: number) =>
  beginRequest(port, `POST /webhooks/${path} HTTP/1.1\r\nContent-Length: ${length}`, 'x'.repeat(sent));

/** Begins a compressed post and sends all but its end, so that the server can decompress the first part. */
const beginGzip = (port: number, path: string, text: string) => {
  const bytes = gzipSync(text);
  const head = `POST /webhooks/${path} HTTP/1.1\r\nContent-Encoding: gzip\r\nContent-Length: ${bytes.length + 100}`;
  return beginRequest(port, head, bytes);
};

const connected = (posts: readonly Begun[]) => Promise.all(posts.map(({ socket }) => once(socket, 'connect')));

const post = (port: number, body: string | Buffer, path = 'known', headers: Record<string, string> = {}) =>
  fetch(`http://127.0.0.1:${port}/webhooks/${path}`, {
    method: 'POST',
    body: new Uint8Array(Buffer.from(body)),
    headers,
  });

const statusOf = async (...call: Parameters<typeof post>) => (await post(...call)).status;

describe('before its body has arrived', () => {
  test('refuses an unknown code', async () => {
    const { port, asked } = await start();
    expect(await begin(port, 'unknown', 4_000, 0).answer).toContain('404');
    expect(asked).toEqual(['unknown']);
  });

  test.each(['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND'])('refuses %s', async (method) => {
    const { port, asked } = await start();
    for (const path of [...KNOWN, 'unknown', '1/2', 'a%20b', '1/2/3']) {
      const { answer } = beginRequest(port, `${method} /webhooks/${path} HTTP/1.1\r\nContent-Length: 2097152`);
      expect(await answer).toContain('404');
    }
    expect(asked).toEqual([]);
  });

  test('refuses a post that is too large', async () => {
    const { port } = await start();
    expect(await begin(port, 'known', LIMIT + 1, 0).answer).toContain('413');
  });
});

describe('the memory limit of bodies', () => {
  test('ignores posts to unknown codes', async () => {
    const { port } = await start();
    const heads = ['PUT /webhooks/nobody', 'PUT /webhooks/known', 'POST /webhooks/nobody'];
    const strangers = heads.map((head) =>
      beginRequest(port, `${head} HTTP/1.1\r\nContent-Length: 4000`, 'x'.repeat(3_000)),
    );
    for (const { answer } of strangers) expect(await answer).toContain('404');
    expect(await statusOf(port, '{"a":1}')).toBe(200);
  });

  test('refuses posts while it is reached', async () => {
    const { port } = await start();
    const slow = begin(port, 'known', 2_000, 1_000);
    // Once this post is refused, the server has received the slow post's first part.
    await expect.poll(() => statusOf(port, '{"a":1}', 'other')).toBe(503);
    expect((await post(port, '{"a":1}')).headers.get('retry-after')).toBe('5');
    slow.socket.destroy();
    await expect.poll(() => statusOf(port, '{"a":1}')).toBe(200);
  });

  test('ignores announced bytes that have not arrived', async () => {
    const { port } = await start();
    await connected(Array.from({ length: 20 }, () => begin(port, 'known', 4_000, 1)));
    expect(await statusOf(port, '{"a":1}')).toBe(200);
  });

  test('counts the decompressed bytes of a compressed body', async () => {
    const { port } = await start();
    const { socket } = beginGzip(port, 'known', 'x'.repeat(2_000));
    await expect.poll(() => statusOf(port, '{"a":1}')).toBe(503);
    socket.destroy();
    await expect.poll(() => statusOf(port, '{"a":1}')).toBe(200);
  });

  test('leaves room for other sources', async () => {
    const { port } = await start(8 * LIMIT);
    const posts = [1, 2, 3, 4].map(() => begin(port, 'known', LIMIT, LIMIT - 1));
    await expect.poll(() => statusOf(port, '{"a":1}')).toBe(503);
    expect(await statusOf(port, '{"a":1}', 'other')).toBe(200);
    for (const { socket } of posts) socket.destroy();
    await expect.poll(() => statusOf(port, '{"a":1}')).toBe(200);
  });

  test('limits the unfinished posts of one source', async () => {
    const { port, asked } = await start();
    const posts = Array.from({ length: 250 }, () => begin(port, 'known', 4_000, 0));
    await expect.poll(() => asked.length).toBe(250);
    expect(await statusOf(port, '{"a":1}')).toBe(503);
    expect(await statusOf(port, '{"a":1}', 'other')).toBe(200);
    for (const { socket } of posts) socket.destroy();
    await expect.poll(() => statusOf(port, '{"a":1}')).toBe(200);
  });

  test('at twice the limit, aborts posts that are still arriving', async () => {
    const { port } = await start();
    // Each begins while there is room, and continues.
    const posts = [begin(port, 'known', 4_000, 10), begin(port, 'known', 4_000, 10)];
    await connected(posts);
    expect(await statusOf(port, '{"a":1}')).toBe(200);
    const closed = Promise.race(posts.map(({ socket }) => once(socket, 'close')));
    for (const { socket } of posts) socket.write('x'.repeat(1_500));
    await closed;
  });
});

/** A stream does not know its size, so its frame names the window of the compressor. */
async function zstdWithWindow(text: string, windowLog: number): Promise<Buffer> {
  const compressed = createZstdCompress({ params: { [constants.ZSTD_c_windowLog]: windowLog } });
  compressed.write(text.slice(0, 10));
  compressed.flush();
  compressed.end(text.slice(10));
  return buffer(compressed);
}

describe('a body', () => {
  test('is stored as it was sent, in any number of parts', async () => {
    const { port, received } = await start(100_000);
    const body = JSON.stringify({ text: 'x'.repeat(2_000) });
    const parts = body.match(/.{1,7}/g) ?? [];
    const chunks = parts.map((part) => `${part.length.toString(16)}\r\n${part}\r\n`).join('');
    const head = 'POST /webhooks/7/9 HTTP/1.1\r\nTransfer-Encoding: chunked';
    expect(await beginRequest(port, head, `${chunks}0\r\n\r\n`).answer).toContain('200 OK');
    expect(await statusOf(port, gzipSync(body), 'known', { 'content-encoding': 'GZIP' })).toBe(200);
    expect(received).toEqual([body, body]);
  });

  test('is refused with an unknown or wrong encoding, or when too large after decompression', async () => {
    const { port, received } = await start(100_000);
    const answers = [
      await post(port, '{}', 'known', { 'content-encoding': 'compress' }),
      await post(port, '{}', 'known', { 'content-encoding': 'gzip' }),
      await post(port, gzipSync('{}').subarray(0, -9), 'known', { 'content-encoding': 'gzip' }),
      await post(port, gzipSync('x'.repeat(LIMIT + 1)), 'known', { 'content-encoding': 'gzip' }),
      await post(port, ''),
    ];
    expect(answers.map(({ status }) => status)).toEqual([415, 400, 400, 413, 400]);
    expect(received).toEqual([]);
  });

  test('compressed with zstd is read with a window of 8 MiB, and refused with a larger one', async () => {
    const { port, received } = await start(100_000);
    const body = JSON.stringify({ text: 'x'.repeat(2_000) });
    const headers = { 'content-encoding': 'zstd' };
    expect(await statusOf(port, await zstdWithWindow(body, 23), 'known', headers)).toBe(200);
    expect(await statusOf(port, await zstdWithWindow(body, 24), 'known', headers)).toBe(400);
    expect(received).toEqual([body]);
  });
});
