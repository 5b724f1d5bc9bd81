/** What the transport itself does, before there is a call. */
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { type IncomingMessage, request, type Server } from 'node:http';
import { connect } from 'node:net';
import { once } from 'node:events';
import { afterEach, expect, test } from 'vitest';
import { type HttpServer, startHttpServer } from './http-server.ts';

let server: HttpServer;
afterEach(() => server.close());

async function start(host = '127.0.0.1'): Promise<HttpServer> {
  server = await startHttpServer({
    host,
    refusalHeaders: () => ({ 'X-Refusal': 'yes' }),
    publicUrls: () => ['https://a.example.com/svc'],
    answer: ({ method, target, headRefusal }) => ({
      kind: 'answer',
      answer: {
        status: 200,
        headers: { 'Content-Type': 'text/plain' },
        body: `${method} ${target} ${headRefusal?.message ?? 'is fine'}`,
      },
      delayMs: 0,
    }),
  });
  return server;
}

/** What is answered to these bytes, until the connection ends. */
async function send(text: string, host?: string): Promise<string> {
  const { port } = new URL((await start(host)).url);
  const socket = connect(Number(port), '127.0.0.1').setEncoding('utf8');
  let answer = '';
  socket.on('data', (chunk: string) => (answer += chunk));
  socket.write(text);
  await once(socket, 'close');
  return answer;
}

test.each([
  ['no HTTP', 'nonsense\r\n\r\n', 400, 'This is not a readable HTTP request'],
  ['too many headers', `GET / HTTP/1.1\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`, 431, 'The request headers are too large'],
])('%s is refused in the form of all other errors', async (_name, text, status, message) => {
  const [head = '', body = ''] = (await send(text)).split('\r\n\r\n');
  expect(head).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
  expect(head).toContain('Content-Type: application/json');
  expect(head).toContain('X-Refusal: yes');
  expect(JSON.parse(body)).toMatchObject({ statusCode: status, message });
});

test('what is wrong with a readable head is left to whoever answers', async () => {
  expect(await send('GET /x HTTP/1.1\r\nConnection: close\r\n\r\n')).toContain('GET /x The request has no Host header');
  await server.close();
  const twice = 'GET /x HTTP/1.1\r\nHost: a\r\nHost: b\r\nConnection: close\r\n\r\n';
  expect(await send(twice)).toContain('GET /x The request has more than one Host header');
});

test('HTTP/1.0 needs no Host, and an expectation that nobody knows is passed over', async () => {
  expect(await send('GET /old HTTP/1.0\r\n\r\n')).toContain('GET /old is fine');
  await server.close();
  expect(await send('GET /x HTTP/1.1\r\nHost: localhost\r\nExpect: y\r\nConnection: close\r\n\r\n')).toContain(
    'GET /x',
  );
});

test.each([
  ['127.0.0.1', 'a.example.com', 'is fine'],
  ['127.0.0.1', 'localhost:4010', 'is fine'],
  ['127.0.0.1', 'b.example.com', 'set --base-url (createMock: baseUrl) to'],
  ['localhost', 'b.example.com', 'set --base-url (createMock: baseUrl) to'],
  // As in a container, which is called by the name that its network gives it.
  ['0.0.0.0', 'b.example.com', 'is fine'],
])('listening on %s, called %s: %s', async (host, name, expected) => {
  expect(await send(`GET /x HTTP/1.1\r\nHost: ${name}\r\nConnection: close\r\n\r\n`, host)).toContain(expected);
});

test('connections are kept as long as the service keeps its own', async () => {
  const { url } = await start();
  const call = request(url, { headers: { Connection: 'keep-alive' } }).end();
  const [response] = await once(call, 'response');
  expect(response.headers['keep-alive']).toBe('timeout=65');
  response.resume();
});

test('a request that took too long is closed a second after its 408, also when the client never closes', async () => {
  const { port } = new URL((await start()).url);
  const started = Promise.withResolvers<{ server: Server; request: IncomingMessage }>();
  const onStart = (message: unknown) => started.resolve(message as { server: Server; request: IncomingMessage });
  subscribe('http.server.request.start', onStart);
  const client = connect({ port: Number(port), host: '127.0.0.1', allowHalfOpen: true }).setEncoding('utf8');
  client.write('POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\nunfinished');
  const received = await started.promise;
  unsubscribe('http.server.request.start', onStart);
  // As Node does when `requestTimeout` has passed.
  received.server.emit('clientError', { code: 'ERR_HTTP_REQUEST_TIMEOUT' }, received.request.socket);
  const [answer] = await once(client, 'data');
  expect(answer).toContain('HTTP/1.1 408 ');
  await expect.poll(() => received.request.socket.destroyed, { timeout: 5_000 }).toBe(true);
  client.destroy();
});
