/** Real posts, by how the receiver answers. */
import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { afterEach, expect, test } from 'vitest';
import { createPost, postWithFetch } from './post-with-fetch.ts';

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

async function receiver(answer: RequestListener): Promise<string> {
  const server = createServer(answer).listen(0, '127.0.0.1');
  servers.push(server);
  await once(server, 'listening');
  const address = server.address();
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}/in`;
}

const { signal } = new AbortController();
const init = { headers: { 'X-Test': '1' }, body: '{}', timeoutMs: 5_000, signal };

test('returns the status and follows no redirect', async () => {
  let count = 0;
  const url = await receiver((_request, response) => {
    count += 1;
    response.writeHead(count === 1 ? 204 : 307, { Location: '/elsewhere' }).end();
  });
  expect(await postWithFetch(url, init)).toEqual({ status: 204, error: null });
  expect(await postWithFetch(url, init)).toEqual({ status: 307, error: null });
  expect(count).toBe(2);
});

test('an answer that breaks off is an error', async () => {
  const url = await receiver((_request, response) => {
    response.writeHead(200, { 'Content-Length': '100' });
    response.write('half', () => response.destroy());
  });
  expect(await postWithFetch(url, init)).toEqual({ status: null, error: expect.stringMatching(/^[A-Z_]+: /) });
});

test('does not wait for more of the body than it reads', async () => {
  const url = await receiver((_request, response) => {
    response.writeHead(200).write('x'.repeat(2_000));
  });
  expect(await postWithFetch(url, init)).toEqual({ status: 200, error: null });
});

test('times out when the body does not end in time', async () => {
  const url = await receiver((_request, response) => {
    response.writeHead(200).write('x');
  });
  expect(await postWithFetch(url, { ...init, timeoutMs: 50 })).toEqual({
    status: null,
    error: 'No answer within 0.05 seconds',
  });
});

test('returns ECONNREFUSED when nothing listens', async () => {
  const url = await receiver(() => {});
  const [server] = servers.splice(0);
  server?.close();
  const { port } = new URL(url);
  expect(await postWithFetch(url, init)).toEqual({
    status: null,
    error: `ECONNREFUSED: connect ECONNREFUSED 127.0.0.1:${port}`,
  });
  expect((await postWithFetch(`http://localhost:${port}/`, init)).error).toMatch(/^ECONNREFUSED: connect ECONNREFUSED/);
});

test('in browsers, any redirect is a 302', async () => {
  const opaque = new Response();
  Object.defineProperties(opaque, { type: { value: 'opaqueredirect' }, status: { value: 0 } });
  const post = createPost(() => Promise.resolve(opaque));
  expect(await post('https://hooks.example.com/', init)).toEqual({ status: 302, error: null });
});
