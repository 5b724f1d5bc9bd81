import { once } from 'node:events';
import { request } from 'node:http';
import { connect } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { type HttpServer, startHttpServer } from './http-server.ts';

let server: HttpServer;
afterEach(() => server.close());

async function start(host = '127.0.0.1'): Promise<HttpServer> {
  server = await startHttpServer({
    host,
    headersOfBrokenRequest: () => ({ Link: '<docs>' }),
    answer: ({ target }, { isLocalOnly, headerError }) => ({
      kind: 'answer',
      answer: {
        status: headerError?.statusCode ?? 200,
        headers: { 'Content-Type': 'text/plain', Link: '<docs>', 'X-Target': target },
        body: isLocalOnly ? 'local' : 'reachable',
      },
      delayMs: 0,
    }),
  });
  return server;
}

test.each([
  ['127.0.0.1', 'local'],
  ['localhost', 'local'],
  ['0.0.0.0', 'reachable'],
])('listening on %s is %s', async (host, expected) => {
  const { port } = new URL((await start(host)).url);
  expect(await (await fetch(`http://127.0.0.1:${port}`)).text()).toBe(expected);
});

test.each([
  ['no HTTP', 'nonsense\r\n\r\n'],
  ['too many headers', `GET / HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`],
  ['no Host', 'GET / HTTP/1.1\r\nConnection: close\r\n\r\n'],
  ['two Hosts', 'GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n'],
])('refuses %s with the headers of every answer, and keeps serving', async (_name, text) => {
  const { url } = await start();
  const socket = connect(Number(new URL(url).port), '127.0.0.1').setEncoding('utf8');
  socket.write(text);
  const [answer] = await once(socket, 'data');
  expect(answer).toMatch(/^HTTP\/1\.1 4\d\d [^]*^Link: <docs>\r$/m);
  socket.destroy();
  expect((await fetch(url)).status).toBe(200);
});

test.each([
  ['http://mock.example/api/v1/me?a=%20b&c=/', '/api/v1/me?a=%20b&c=/'],
  ['HTTP://mock.example?a', '/?a'],
  ['/api/v1/me?a#b', '/api/v1/me?a'],
  ['http://mock.example/api/v1/me#b', '/api/v1/me'],
  ['//mock.example/me', '//mock.example/me'],
])('the target %s is %s, also as clients of a proxy send it', async (target, expected) => {
  const { url } = await start();
  const [response] = await once(request(url, { path: target }).end(), 'response');
  expect(response.headers['x-target']).toBe(expected);
  response.resume();
});

test('passes on a request with an unknown Expect header, instead of letting Node answer it', async () => {
  const { url } = await start();
  const [response] = await once(request(url, { headers: { Expect: 'something' } }).end(), 'response');
  expect(response.statusCode).toBe(200);
  expect(response.headers.link).toBe('<docs>');
  response.resume();
});

test('keeps idle connections for 65 seconds', async () => {
  const { url } = await start();
  const call = request(url, { headers: { Connection: 'keep-alive' } }).end();
  const [response] = await once(call, 'response');
  expect(response.headers['keep-alive']).toBe('timeout=65');
  response.resume();
});
