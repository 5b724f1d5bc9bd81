import { expect, test } from 'vitest';
import { answerOk, endpoint, urlOf } from './endpoint.fixture.ts';

const POST = { method: 'POST', headers: { 'X-Key': '1' }, body: '{}' };

test('returns status, headers and at most 256 kB of the body', async () => {
  const { outbound, expectOpen } = await endpoint((_request, response) => {
    response.writeHead(422, { 'retry-after': '7' }).end(`taken ${'x'.repeat(300_000)}`);
  });
  const answer = await outbound.fetch(urlOf('bison'), POST);
  expect([answer.status, answer.headers.get('retry-after')]).toEqual([422, '7']);
  const text = await answer.text();
  expect(text).toMatch(/^taken x+$/);
  expect(text).toHaveLength(256 * 1_024);
  await expectOpen(0);
});

test('shares connections with posts, does not follow redirects, and knows answers without a body', async () => {
  const statuses = [302, 204];
  const { outbound, post, dialled, received } = await endpoint((_request, response) => {
    response.writeHead(statuses.shift() ?? 200, { location: 'https://elsewhere.example.com/' }).end();
  });
  expect((await outbound.fetch(urlOf('bison', '/1'), POST)).status).toBe(302);
  expect((await outbound.fetch(urlOf('bison', '/2'), POST)).status).toBe(204);
  await post(urlOf('bison', '/3'));
  expect(dialled).toHaveLength(1);
  expect(received.map(({ path }) => path)).toEqual(['/1', '/2', '/3']);
});

test.each([
  ['a literal private address', 'https://10.0.0.1/', {}],
  ['a name with a private address', urlOf('inner'), { 'inner.example.com': ['93.184.215.14', '10.0.0.1'] }],
  ['a local name', 'https://localhost/', {}],
])('refuses %s and says why', async (_what, url, names) => {
  const { outbound, dialled, addresses } = await endpoint(answerOk);
  Object.assign(addresses, names);
  const code = 'The address is private, local or reserved';
  await expect(outbound.fetch(url, POST)).rejects.toMatchObject({ cause: { code } });
  expect(dialled).toEqual([]);
});

test("rejects when the connection breaks or the caller's signal aborts", async () => {
  const { outbound, received } = await endpoint((request) => {
    if (request.url === '/break') request.socket.destroy();
  });
  const broken = outbound.fetch(urlOf('bison', '/break'), POST);
  await expect(broken).rejects.toMatchObject({ cause: { code: 'ECONNRESET' } });
  const stop = new AbortController();
  const hanging = outbound.fetch(urlOf('bison', '/hang'), { ...POST, signal: stop.signal });
  await expect.poll(() => received.length).toBe(2);
  stop.abort();
  await expect(hanging).rejects.toThrow('fetch failed');
});

test('rejects when the signal aborts before the call, also with a kept connection', async () => {
  const { outbound, post, received, expectOpen } = await endpoint((request, response) => {
    if (request.url === '/kept') response.end();
  });
  for (const dial of [async () => {}, () => post(urlOf('bison', '/kept'))]) {
    await dial();
    const aborted = outbound.fetch(urlOf('bison', '/hang'), { ...POST, signal: AbortSignal.abort() });
    await expect(aborted).rejects.toThrow('fetch failed');
  }
  expect(received.map(({ path }) => path)).toEqual(['/kept']);
  await expectOpen(0);
});

test('an answer that switches protocols is no answer', async () => {
  const { outbound, post, expectOpen } = await endpoint((request) => {
    request.socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n');
  });
  await expect(outbound.fetch(urlOf('bison'), POST)).rejects.toThrow('fetch failed');
  expect(await post(urlOf('hooks'))).toEqual({
    httpStatus: null,
    error: 'The endpoint ended the exchange without an answer',
    isRefused: false,
  });
  await expectOpen(0);
});

test('sends every method, and only bodies of text', async () => {
  const { outbound, received } = await endpoint(answerOk);
  for (const method of ['GET', 'PUT', 'DELETE']) {
    expect((await outbound.fetch(urlOf('bison', `/${method}`), { method })).status).toBe(200);
  }
  expect(received.map(({ path }) => path)).toEqual(['/GET', '/PUT', '/DELETE']);
  await expect(outbound.fetch(urlOf('bison'), { method: 'POST', body: new Blob([]) })).rejects.toThrow('text');
  expect(received).toHaveLength(3);
});
