/** A TCP proxy that a test switches off: connections break, and new ones are refused. */
import { connect, createServer, type Socket } from 'node:net';

export interface TcpSwitch {
  /** The given URL with the proxy's port. */
  url: string;
  off(): Promise<void>;
  on(): Promise<void>;
}

/** @param url of a server on 127.0.0.1 */
export async function startTcpSwitch(url: string): Promise<TcpSwitch> {
  const target = new URL(url);
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    const upstream = connect(Number(target.port), '127.0.0.1');
    for (const [from, to] of [
      [socket, upstream],
      [upstream, socket],
    ] as const) {
      sockets.add(from);
      from.on('error', () => {});
      from.once('close', () => {
        sockets.delete(from);
        to.destroy();
      });
      from.pipe(to);
    }
  });
  const listen = (port: number) => new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  await listen(0);
  const address = server.address();
  const port = typeof address === 'object' ? (address?.port ?? 0) : 0;
  const switched = new URL(url);
  switched.hostname = '127.0.0.1';
  switched.port = String(port);
  return {
    url: switched.href,
    async off() {
      if (!server.listening) return;
      const closed = new Promise((resolve) => server.close(resolve));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
    on: async () => (server.listening ? undefined : listen(port)),
  };
}
