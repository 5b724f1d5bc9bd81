import type { ServerResponse } from 'node:http';
import { expect, test } from 'vitest';
import { answerOk, endpoint, ok, urlOf } from './endpoint.fixture.ts';

test('a hundred posts to one endpoint use one connection, and ten at a time use ten', async () => {
  const { post, received, dialled } = await endpoint(answerOk);
  for (let count = 0; count < 100; count += 1) expect(await post(urlOf('hooks', `/${count}`))).toEqual(ok);
  expect(dialled).toHaveLength(1);
  expect(new Set(received.map(({ path }) => path)).size).toBe(100);
  for (let round = 0; round < 10; round += 1) {
    await Promise.all(Array.from({ length: 10 }, () => post(urlOf('hooks'))));
  }
  expect(dialled).toHaveLength(10);
});

test('hosts, ports and schemes share no connection', async () => {
  const { post, dialled } = await endpoint(answerOk);
  const urls = [
    'https://one.example.com/',
    'https://two.example.com/',
    'https://one.example.com:8443/',
    'http://one.example.com/',
  ];
  for (const url of [...urls, ...urls]) expect(await post(url)).toEqual(ok);
  expect(dialled.map(({ host, port, isTls }) => `${host} ${port} ${isTls}`)).toEqual([
    'one.example.com 443 true',
    'two.example.com 443 true',
    'one.example.com 8443 true',
    'one.example.com 80 false',
  ]);
});

test('an idle connection is closed after a second', async () => {
  const { post, dialled, clock, expectOpen } = await endpoint(answerOk);
  await post(urlOf('hooks'));
  clock.advance(999);
  await post(urlOf('hooks'));
  expect(dialled).toHaveLength(1);
  clock.advance(1_000);
  await expectOpen(0);
  await post(urlOf('hooks'));
  expect(dialled).toHaveLength(2);
});

test('a connection that is always in use is replaced after thirty seconds, and its address is checked again', async () => {
  const { post, dialled, clock, addresses } = await endpoint(answerOk);
  for (let second = 0; second < 60; second += 0.5) {
    expect(await post(urlOf('hooks'))).toEqual(ok);
    clock.advance(500);
  }
  expect(dialled).toHaveLength(2);
  addresses['hooks.example.com'] = ['10.0.0.1'];
  expect(await post(urlOf('hooks'))).toMatchObject({ isRefused: true });
  expect(dialled).toHaveLength(2);
});

test('the form of the URL is checked at every post, also while a connection is kept', async () => {
  const { post, dialled } = await endpoint(answerOk);
  await post(urlOf('hooks'));
  expect(await post('https://hooks.example.com:25/hook')).toMatchObject({ isRefused: true });
  expect(dialled).toHaveLength(1);
});

test.each([
  ['says so', { connection: 'close' }],
  ['keeps connections for only a second', { 'keep-alive': 'timeout=1, max=100' }],
])('no connection is kept when the endpoint %s', async (_what, headers) => {
  const { post, dialled, expectOpen } = await endpoint((_request, response) => {
    response.writeHead(200, { 'content-length': 2, ...headers }).end('ok');
  });
  await post(urlOf('hooks'));
  await expectOpen(0);
  await post(urlOf('hooks'));
  expect(dialled).toHaveLength(2);
});

test('no connection is kept after a long answer', async () => {
  const { post, dialled, expectOpen } = await endpoint((_request, response) => void response.end('x'.repeat(5_000)));
  expect(await post(urlOf('hooks'))).toEqual(ok);
  await expectOpen(0);
  await post(urlOf('hooks'));
  expect(dialled).toHaveLength(2);
});

test('a kept connection that the endpoint has closed is not used, and none is kept for five minutes', async () => {
  const { post, received, dialled, clock, open, expectOpen } = await endpoint(answerOk);
  await post(urlOf('hooks'));
  for (const socket of open) socket.destroy();
  expect(await post(urlOf('hooks'))).toEqual(ok);
  expect(received).toHaveLength(2);
  await expectOpen(0);
  clock.advance(299_000);
  await post(urlOf('hooks'));
  await expectOpen(0);
  clock.advance(1_000);
  await post(urlOf('hooks'));
  await post(urlOf('hooks'));
  expect(dialled).toHaveLength(4);
  await expectOpen(1);
});

test('a post that a kept connection may have carried is not repeated', async () => {
  let answers = 0;
  const { post, received, dialled, expectOpen } = await endpoint((request, response) => {
    answers += 1;
    // The endpoint has received the second post, and fails before it answers.
    if (answers === 2) request.socket.destroy();
    else response.end('received');
  });
  expect(await post(urlOf('hooks', '/1'))).toEqual(ok);
  expect(await post(urlOf('hooks', '/2'))).toEqual({
    httpStatus: null,
    error: expect.stringContaining('ECONNRESET'),
    isRefused: false,
  });
  expect(received.map(({ path }) => path)).toEqual(['/1', '/2']);
  expect(await post(urlOf('hooks', '/3'))).toEqual(ok);
  expect(dialled).toHaveLength(2);
  await expectOpen(0);
});

test('an answer that nobody asked for belongs to no post', async () => {
  const { post, dialled, open } = await endpoint(answerOk);
  await post(urlOf('hooks'));
  for (const socket of open) socket.write('HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n');
  expect(await post(urlOf('hooks'))).toEqual(ok);
  expect(dialled).toHaveLength(2);
});

test('at most 16 idle connections of one endpoint and 256 of all are kept', async () => {
  const waiting: ServerResponse[] = [];
  const { post, expectOpen, outbound } = await endpoint((_request, response) => void waiting.push(response));
  const postAll = async (urls: readonly string[]) => {
    const posts = urls.map((url) => post(url));
    await expect.poll(() => waiting.length).toBe(urls.length);
    for (const response of waiting.splice(0)) response.end();
    await Promise.all(posts);
  };
  await postAll(Array.from({ length: 20 }, () => urlOf('hooks')));
  await expectOpen(16);
  await postAll(Array.from({ length: 260 }, (_, index) => urlOf(`hooks-${index}`)));
  await expectOpen(256);
  outbound.closeKept();
  await expectOpen(0);
});

test('a timeout ends a post on a kept connection', async () => {
  const { post, received, dialled, clock, expectOpen } = await endpoint((request, response) => {
    if (request.url !== '/hang') response.end();
  });
  await post(urlOf('hooks'));
  const hanging = post(urlOf('hooks', '/hang'));
  await expect.poll(() => received.length).toBe(2);
  clock.advance(5_000);
  expect(await hanging).toMatchObject({ httpStatus: null, error: 'No answer within 5 seconds' });
  await expectOpen(0);
  await post(urlOf('hooks'));
  expect(dialled).toHaveLength(2);
  await expectOpen(1);
});
