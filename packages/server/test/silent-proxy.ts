/** Stands before a PostgreSQL, and can stop passing anything on while its connections stay open, as a failover does. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export interface SilentProxy {
  /** The connection string, by way of the proxy. */
  readonly url: string;
  /** From now on nothing is passed on by the connections there are, and new ones are not made. */
  silence(): void;
  /** New connections are made again; the old ones stay as they are. */
  resume(): void;
  close(): Promise<void>;
}

export async function startSilentProxy(databaseUrl: string): Promise<SilentProxy> {
  const { hostname, port } = new URL(databaseUrl);
  const sockets = new Set<Socket>();
  let isSilent = false;
  const server = createServer((client) => {
    const upstream = isSilent ? null : connect(Number(port), hostname);
    for (const socket of [client, upstream]) {
      if (socket === null) continue;
      sockets.add(socket);
      socket.on('error', () => {});
    }
    if (upstream === null) return;
    client.pipe(upstream).pipe(client);
    client.once('close', () => upstream.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = new URL(databaseUrl);
  url.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: url.href,
    silence() {
      isSilent = true;
      for (const socket of sockets) socket.unpipe();
    },
    resume() {
      isSilent = false;
    },
    async close() {
      const closed = once(server, 'close');
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}
