import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';

export interface Forwarder {
  readonly url: string;
  close(): Promise<void>;
}

/** Makes a server of the test on loopback reachable for the hosts, at `address`. */
export async function startForwarder(address: string, target: string): Promise<Forwarder> {
  const { hostname, port, protocol } = new URL(target);
  const server = createServer((incoming) => {
    const outgoing = connect(Number(port), hostname);
    incoming.pipe(outgoing).pipe(incoming);
    // Each side breaks with the other.
    incoming.on('error', () => outgoing.destroy()).on('close', () => outgoing.destroy());
    outgoing.on('error', () => incoming.resetAndDestroy()).on('close', () => incoming.destroy());
  });
  server.listen(0, address);
  await once(server, 'listening');
  return {
    url: `${protocol}//${address}:${(server.address() as AddressInfo).port}`,
    async close() {
      const closed = once(server, 'close');
      server.close();
      await closed;
    },
  };
}
