import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { expect, onTestFinished } from 'vitest';
import { createManualClock } from '../runtime/clock.ts';
import { createOutbound, type DialTarget } from './outbound.ts';

export const urlOf = (host: string, rest = '/hook') => `https://${host}.example.com${rest}`;
export const ok = { httpStatus: 200, error: null, isRefused: false };

/** An endpoint behind the guard, whose connections are counted. */
export async function endpoint(answer: (request: IncomingMessage, response: ServerResponse) => void) {
  const received: { path: string; host: string }[] = [];
  const open = new Set<Socket>();
  const server = createServer((request, response) => {
    request.resume().once('end', () => {
      received.push({ path: request.url ?? '', host: request.headers.host ?? '' });
      answer(request, response);
    });
  }).listen(0, '127.0.0.1');
  server.on('connection', (socket: Socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  });
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const addresses: Record<string, string[]> = {};
  const dialled: DialTarget[] = [];
  const clock = createManualClock(new Date('2026-03-01T00:00:00Z'));
  const outbound = createOutbound({
    resolve: async (host) => addresses[host] ?? ['93.184.215.14'],
    dial: async (target) => {
      dialled.push(target);
      const socket = connect({ host: '127.0.0.1', port });
      await once(socket, 'connect');
      return socket;
    },
    allowedCidrs: [],
    clock,
  });
  onTestFinished(() => outbound.closeKept());
  const post = (url: string) => outbound.post({ url, headers: {}, body: '{}', timeoutMs: 5_000 });
  /** Waits until the endpoint and this process agree that so many connections are open. */
  const expectOpen = (count: number) => expect.poll(() => open.size).toBe(count);
  return { outbound, post, received, dialled, addresses, clock, open, expectOpen };
}

export const answerOk = (_request: IncomingMessage, response: ServerResponse) => void response.end('received');
