import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface PrefixProxy {
  /** The public address given to the server, such as `http://127.0.0.1:PORT/svc`. */
  readonly url: string;
  /** Base URL, without a path, that requests are forwarded to. */
  target: string;
  close(): Promise<void>;
}

/** Starts a proxy on loopback that serves another server below a path prefix, as an operator's proxy may. */
export async function startPrefixProxy(prefix: string): Promise<PrefixProxy> {
  const http = createServer((incoming, answer) => {
    const { method, url = '', headers } = incoming;
    if (!url.startsWith(`${prefix}/`)) {
      answer.writeHead(502).end();
      return;
    }
    const outgoing = request(proxy.target + url.slice(prefix.length), { method, headers }, (response) => {
      answer.writeHead(response.statusCode ?? 502, response.headers);
      response.pipe(answer);
    });
    outgoing.once('error', () => answer.destroy());
    incoming.pipe(outgoing);
  });
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  const { port } = http.address() as AddressInfo;
  const proxy: PrefixProxy = {
    url: `http://127.0.0.1:${port}${prefix}`,
    target: '',
    async close() {
      const closed = new Promise<void>((resolve) => http.close(() => resolve()));
      http.closeAllConnections();
      await closed;
    },
  };
  return proxy;
}
