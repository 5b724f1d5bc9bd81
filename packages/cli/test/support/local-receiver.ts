import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

export interface Received {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** Stands for a developer's own server: records what is posted to it. */
export interface LocalReceiver {
  readonly url: string;
  readonly received: Received[];
  /** Status of its answers, 200 by default. */
  status: number;
  close(): Promise<void>;
}

/** @param port default: any free port */
export async function startReceiver(port = 0): Promise<LocalReceiver> {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    void buffer(request).then((body) => {
      received.push({ headers: request.headers, body: body.toString() });
      response.writeHead(receiver.status).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const address = server.address() as AddressInfo;
  const receiver: LocalReceiver = {
    url: `http://127.0.0.1:${address.port}/hooks`,
    received,
    status: 200,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return receiver;
}

/** Returns a port that nothing listens on. */
export async function freePort(): Promise<number> {
  const receiver = await startReceiver();
  await receiver.close();
  return Number(new URL(receiver.url).port);
}
