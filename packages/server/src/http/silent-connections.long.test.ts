/** Connections that send nothing, or only a part of their headers, in real time: Node's own timer closes them. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { readConfig } from '@svc/engine/config/config';
import { bindServer } from './listen.ts';

test('silent connections are closed, and everybody else is answered again', async () => {
  const bound = await bindServer({ ...readConfig({ SVC_PORT: '0' }), connectionsMax: 20 });
  try {
    const port = Number(new URL(bound.url).port);
    const sockets = Array.from({ length: 20 }, () => connect({ port, host: '127.0.0.1' }).resume());
    await Promise.all(sockets.map((socket) => once(socket, 'connect')));
    for (const [index, socket] of sockets.entries()) if (index % 2 === 0) socket.write('GET / HTTP/1.1\r\nHost: a\r\n');
    await expect(fetch(bound.url)).rejects.toThrow('fetch failed');
    await Promise.all(sockets.map((socket) => once(socket, 'close')));
    expect((await fetch(bound.url)).status).toBe(503);
  } finally {
    await bound.close(0);
  }
});
