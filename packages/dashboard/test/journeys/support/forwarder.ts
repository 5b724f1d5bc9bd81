import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export interface Forwarder {
  readonly url: string;
  /** Breaks all connections; new ones go to this server, or end at once. */
  connectTo(url: string | null): void;
  close(): Promise<void>;
}

/** Passes connections on to a server that may change, as it does when a server is replaced. */
export async function startForwarder(): Promise<Forwarder> {
  let port: number | null = null;
  const sockets = new Set<Socket>();
  const server = createServer((from) => {
    if (port === null) {
      from.destroy();
      return;
    }
    const to = connect(port, '127.0.0.1');
    for (const [socket, other] of [
      [from, to],
      [to, from],
    ] as const) {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.once('close', () => {
        sockets.delete(socket);
        other.destroy();
      });
      socket.pipe(other);
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const connectTo = (url: string | null) => {
    port = url === null ? null : Number(new URL(url).port);
    for (const socket of sockets) socket.destroy();
  };
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    connectTo,
    async close() {
      connectTo(null);
      server.close();
      await once(server, 'close');
    },
  };
}
