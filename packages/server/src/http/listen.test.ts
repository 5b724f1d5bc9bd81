/** What the transport itself does, before there is an application. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { bindServer } from './listen.ts';

test('who has sent all and says so gets an answer that takes its time', async () => {
  const bound = await bindServer(0, '127.0.0.1');
  try {
    bound.serve((request, response) => request.socket.once('end', () => response.end('late')));
    const socket = connect(Number(new URL(bound.url).port), '127.0.0.1').setEncoding('utf8');
    let answer = '';
    socket.on('data', (chunk: string) => (answer += chunk));
    socket.end('GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
    await once(socket, 'close');
    expect(answer).toMatch(/^HTTP\/1\.1 200 [^]*late$/);
  } finally {
    await bound.close(0);
  }
});
