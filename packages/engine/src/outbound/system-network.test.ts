import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { type NameServer, startNameServer } from '../../test/support/name-server.ts';
import { createOutbound } from './outbound.ts';
import { createSystemResolve, systemDial } from './system-network.ts';

const never = new AbortController().signal;
const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

async function nameServer(names: Parameters<typeof startNameServer>[0]): Promise<NameServer> {
  const server = await startNameServer(names);
  closing.push(() => server.close());
  return server;
}

/** A TCP server on loopback that keeps its connections. */
async function listener(): Promise<{ port: number; connections: Socket[] }> {
  const connections: Socket[] = [];
  const server: Server = createServer((socket) => {
    socket.on('error', () => {});
    connections.push(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closing.push(() => {
    for (const socket of connections) socket.destroy();
    server.close();
  });
  return { port: (server.address() as AddressInfo).port, connections };
}

describe('resolving a name', () => {
  test('returns addresses of both kinds, IPv4 first', async () => {
    const { address } = await nameServer({ 'both.example.com': ['2001:4860:4860:0:0:0:0:8888', '93.184.215.14'] });
    const resolve = createSystemResolve({ servers: [address] });
    expect(await resolve('both.example.com', never)).toEqual(['93.184.215.14', '2001:4860:4860::8888']);
  });

  test.each([
    ['only IPv4', ['93.184.215.14'], ['93.184.215.14']],
    ['only IPv6', ['2001:4860:4860:0:0:0:0:8844'], ['2001:4860:4860::8844']],
  ])('finds a name with %s', async (_what, known, expected) => {
    const { address } = await nameServer({ 'one.example.com': known });
    expect(await createSystemResolve({ servers: [address] })('one.example.com', never)).toEqual(expected);
  });

  test('reports a name that does not exist with its code', async () => {
    const { address } = await nameServer({});
    const resolve = createSystemResolve({ servers: [address] });
    await expect(resolve('gone.example.com', never)).rejects.toMatchObject({ code: 'ENOTFOUND' });
  });

  test('gives up on a silent name server when the signal aborts, and delays no other name', async () => {
    const { address, questions } = await nameServer({
      'fine.example.com': ['93.184.215.14'],
      ...Object.fromEntries(
        Array.from({ length: 20 }, (_, index) => [`silent-${index}.example.com`, 'silent' as const]),
      ),
    });
    const resolve = createSystemResolve({ servers: [address] });
    const limit = new AbortController();
    const silent = Array.from({ length: 20 }, (_, index) => resolve(`silent-${index}.example.com`, limit.signal));
    const ends = Promise.allSettled(silent);
    await expect.poll(() => questions.length).toBeGreaterThanOrEqual(40);
    // More look-ups are pending than the operating system's resolver has threads.
    expect(await resolve('fine.example.com', never)).toEqual(['93.184.215.14']);
    limit.abort();
    expect((await ends).map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 'rejected'));
  });

  test('finds names of the operating system only when allowed', async () => {
    const { address } = await nameServer({});
    await expect(createSystemResolve({ servers: [address] })('localhost', never)).rejects.toMatchObject({
      code: 'ENOTFOUND',
    });
    const asking = createSystemResolve({ servers: [address], asksSystem: true });
    expect(await asking('localhost', never)).toContain('127.0.0.1');
  });
});

describe('dialling', () => {
  test('continues with the next address when one refuses', async () => {
    const { port, connections } = await listener();
    const socket = await systemDial({
      // Nothing listens on the first; both are loopback.
      addresses: ['127.0.0.2', '127.0.0.1'],
      port,
      host: 'hooks.example.com',
      isTls: false,
      signal: never,
    });
    closing.push(() => socket.destroy());
    await expect.poll(() => connections.length).toBe(1);
    expect(socket.remoteAddress).toBe('127.0.0.1');
  });

  test('does not dial after a look-up that timed out', async () => {
    const { port, connections } = await listener();
    let answer = (_addresses: string[]) => {};
    const dialled: string[] = [];
    const outbound = createOutbound({
      resolve: () => new Promise((resolve) => (answer = resolve)),
      dial: (target) => {
        dialled.push(target.host);
        return systemDial({ ...target, addresses: ['127.0.0.1'], port, isTls: false });
      },
      allowedCidrs: [],
    });
    const url = 'https://late.example.com/';
    expect(await outbound.post({ url, headers: {}, body: '', timeoutMs: 20 })).toMatchObject({
      error: 'No answer within 0.02 seconds',
    });
    answer(['93.184.215.14']);
    await new Promise(setImmediate);
    expect(dialled).toEqual([]);
    expect(connections).toEqual([]);
  });

  test('does not dial when the signal has aborted', async () => {
    const { port, connections } = await listener();
    const target = { addresses: ['127.0.0.1'], port, host: '127.0.0.1', isTls: false, signal: AbortSignal.abort() };
    await expect(systemDial(target)).rejects.toThrow('aborted');
    expect(connections).toEqual([]);
  });
});

test('checks a URL in bounded time: an unresolved name is allowed for now', async () => {
  const timers: (() => void)[] = [];
  const clock = {
    now: () => new Date(),
    setTimer: (run: () => void) => {
      timers.push(run);
      return () => {};
    },
  };
  const outbound = createOutbound({
    resolve: () => new Promise(() => {}),
    dial: systemDial,
    allowedCidrs: [],
    clock,
  });
  const answer = outbound.isAllowed('https://silent.example.com/');
  for (const run of timers) run();
  expect(await answer).toBe(true);
});
