import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import { createServer as createTcpServer, type Server } from 'node:net';
import { text } from 'node:stream/consumers';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { afterEach, expect, test } from 'vitest';
import { fetchOverHttp } from './fetch.ts';
import * as ours from './fetch-types.ts';

const cleanups: (() => void)[] = [];
afterEach(() => {
  for (const cleanup of cleanups.splice(0)) cleanup();
});

async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve());
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return `http://127.0.0.1:${address.port}`;
}

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  cleanups.push(() => {
    server.close();
    server.closeAllConnections();
  });
  return listen(server);
}

test('a GET: method, headers, status and text', async () => {
  let seen: IncomingMessage | undefined;
  const url = await serve((request, response) => {
    seen = request;
    response.writeHead(201, 'Made', { 'Content-Type': 'application/json', 'X-Two': ['a', 'b'] });
    response.end('\ufeff{"name":"Zoë"}');
  });
  const answer = await fetchOverHttp(`${url}/path?a=1`, { headers: { Authorization: 'Bearer x' } });
  expect(answer.status).toBe(201);
  expect(answer.statusText).toBe('Made');
  expect(answer.ok).toBe(true);
  expect(answer.url).toBe(`${url}/path?a=1`);
  expect(answer.headers.get('x-two')).toBe('a, b');
  expect(await answer.json()).toEqual({ name: 'Zoë' });
  expect([seen?.method, seen?.url, seen?.headers.authorization]).toEqual(['GET', '/path?a=1', 'Bearer x']);
});

test.each(['POST', 'PUT', 'PATCH', 'DELETE'])('a %s with a body has a Content-Length', async (method) => {
  const url = await serve((request, response) => {
    void text(request).then((body) => response.end(JSON.stringify([request.headers['content-length'], body])));
  });
  const request = new ours.Request(url, { method, body: '{"a":"ü"}' });
  expect(await (await fetchOverHttp(request)).json()).toEqual(['10', '{"a":"ü"}']);
  // A clone can be sent again.
  expect(await (await fetchOverHttp(request.clone())).json()).toEqual(['10', '{"a":"ü"}']);
});

test.each([
  ['gzip', gzipSync],
  ['deflate', deflateSync],
  ['br', brotliCompressSync],
])('%s', async (encoding, compress) => {
  const url = await serve((_request, response) => {
    response.writeHead(200, { 'Content-Encoding': encoding }).end(compress('as it was'));
  });
  expect(await (await fetchOverHttp(url)).text()).toBe('as it was');
});

test('a body with a wrong Content-Encoding is an error', async () => {
  const url = await serve((_request, response) => {
    response.writeHead(200, { 'Content-Encoding': 'gzip' }).end('plain');
  });
  await expect((await fetchOverHttp(url)).text()).rejects.toThrow('incorrect header check');
});

test('redirects are not followed', async () => {
  const url = await serve((_request, response) => {
    response.writeHead(302, { Location: 'http://127.0.0.1:9/' }).end();
  });
  const answer = await fetchOverHttp(url);
  expect([answer.status, answer.headers.get('location')]).toEqual([302, 'http://127.0.0.1:9/']);
});

test.each([204, 205, 304])('%i has no body', async (status) => {
  const url = await serve((_request, response) => {
    response.writeHead(status).end();
  });
  const answer = await fetchOverHttp(url);
  expect([answer.status, answer.body, await answer.text()]).toEqual([status, null, '']);
});

test('reuses connections', async () => {
  const ports = new Set<number | undefined>();
  const url = await serve((request, response) => {
    ports.add(request.socket.remotePort);
    response.end('x');
  });
  for (let count = 0; count < 3; count += 1) await (await fetchOverHttp(url)).text();
  expect(ports.size).toBe(1);
});

test('connection refused: throws the error of the system', async () => {
  const server = createTcpServer();
  const url = await listen(server);
  await new Promise((resolve) => server.close(resolve));
  await expect(fetchOverHttp(url)).rejects.toMatchObject({ code: 'ECONNREFUSED', syscall: 'connect' });
});

test('a connection that closes before or within the answer is an error', async () => {
  const url = await serve((request, response) => {
    if (request.url === '/half') response.writeHead(200, { 'Content-Length': '10' }).write('half');
    setImmediate(() => request.socket.destroy());
  });
  await expect(fetchOverHttp(`${url}/none`)).rejects.toMatchObject({ code: 'ECONNRESET' });
  const half = fetchOverHttp(`${url}/half`).then((answer) => answer.text());
  await expect(half).rejects.toMatchObject({ code: 'ECONNRESET' });
});

test('an answer that is not HTTP is an error', async () => {
  const server = createTcpServer((socket) => socket.end('SSH-2.0-OpenSSH_9.2\r\n'));
  cleanups.push(() => server.close());
  await expect(fetchOverHttp(await listen(server))).rejects.toMatchObject({ code: expect.stringMatching(/^HPE_/) });
});

test('a signal aborts it before, during the wait and within the body', async () => {
  const url = await serve((request, response) => {
    if (request.url === '/half') response.writeHead(200, { 'Content-Length': '10' }).write('half');
  });
  await expect(fetchOverHttp(url, { signal: AbortSignal.abort(new Error('before')) })).rejects.toThrow('before');

  const waiting = new AbortController();
  const answer = fetchOverHttp(url, { signal: waiting.signal });
  waiting.abort(new Error('waiting'));
  await expect(answer).rejects.toThrow('waiting');

  const reading = new AbortController();
  const half = await fetchOverHttp(`${url}/half`, { signal: reading.signal });
  const rest = half.text();
  reading.abort(new Error('reading'));
  await expect(rest).rejects.toThrow('reading');
});

test.each([
  ['ours', ours.Headers],
  ['native', Headers],
])('headers: %s', (_name, Kind) => {
  const headers = new Kind({ 'X-B': ' 1 ', 'x-a': '2' });
  headers.append('X-b', '3');
  headers.append('Set-Cookie', 'a=1, 2');
  headers.append('set-cookie', 'b=2');
  expect([...headers]).toEqual([
    ['set-cookie', 'a=1, 2'],
    ['set-cookie', 'b=2'],
    ['x-a', '2'],
    ['x-b', '1, 3'],
  ]);
  headers.set('X-B', '4');
  headers.delete('X-A');
  expect([headers.get('x-b'), headers.get('x-a'), headers.has('x-a')]).toEqual(['4', null, false]);
  expect([...new Kind([...headers])]).toEqual([...headers]);
});

test.each([
  ['ours', ours.Request],
  ['native', Request],
])('requests: %s', async (_name, Kind) => {
  const request = new Kind('http://127.0.0.1:4000/a b', { method: 'post', body: 'text' });
  expect([request.method, request.url]).toEqual(['POST', 'http://127.0.0.1:4000/a%20b']);
  expect(request.headers.get('content-type')).toBe('text/plain;charset=UTF-8');
  expect(await request.clone().text()).toBe('text');
  const bare = new Kind('http://127.0.0.1:4000/');
  expect([bare.method, bare.body, bare.signal.aborted]).toEqual(['GET', null, false]);
});

test.each([
  ['ours', ours.Response],
  ['native', Response],
])('responses: %s', async (_name, Kind) => {
  const response = new Kind('{"a":1}', { status: 404, statusText: 'Not Found', headers: { a: 'b' } });
  expect([response.ok, response.status, response.statusText]).toEqual([false, 404, 'Not Found']);
  expect([response.headers.get('A'), await response.json()]).toEqual(['b', { a: 1 }]);
  expect([new Kind().status, await new Kind(null).text()]).toEqual([200, '']);
});
