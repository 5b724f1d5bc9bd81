/** A proxy in front of PostgreSQL that can stop forwarding while connections stay open, as in a failover. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export interface SilentProxy {
  /** The connection string of the proxy. */
  readonly url: string;
  /** Stops forwarding on existing connections and accepts no new ones. */
  silence(): void;
  /** Accepts new connections again; the old ones stay silent. */
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
