import { usageError } from '../errors/cli-error.ts';
import { readProxyEnvironment } from '../config/environment.ts';
import { describeProxy, proxyFor } from '../config/proxy.ts';
import { fetchOverHttp } from '../http/fetch.ts';

/** As the SDK takes it. */
type Fetch = (request: Request) => Promise<Response>;

/**
 * `fetch` for calls of an address, through a proxy where the environment names one.
 *
 * @throws CliError (exit 2) for a proxy address that is not http or https
 */
export function createFetch(address: string): Fetch {
  const proxy = proxyFor(address, readProxyEnvironment());
  // Its `Request` and `Response` are those that the bundle puts in the place of Node's own.
  return proxy === null ? (fetchOverHttp as unknown as Fetch) : createProxiedFetch(proxy);
}

/**
 * `fetch` of undici, loaded with the first call: Node's own takes no proxy. An https address is reached through a tunnel (`CONNECT`), so
 * that the proxy sees neither key nor data.
 */
function createProxiedFetch(proxy: string): Fetch {
  if (!/^https?:$/.test(URL.canParse(proxy) ? new URL(proxy).protocol : '')) {
    throw usageError(
      `${describeProxy(proxy)} cannot be a proxy`,
      'HTTPS_PROXY and HTTP_PROXY take http:// or https:// addresses.',
    );
  }
  const loading = once(async () => {
    const { ProxyAgent, fetch } = await import('undici');
    const dispatcher = new ProxyAgent({ uri: proxy });
    return (url: string, init: Parameters<typeof fetch>[1]) => fetch(url, { ...init, dispatcher });
  });
  return async (request) => {
    const send = await loading();
    const { url, method, signal, redirect } = request;
    const answer = await send(url, {
      method,
      headers: [...request.headers],
      body: request.body === null ? null : await request.text(),
      signal,
      redirect,
    });
    // Its own `Response` is none of Node's.
    const text = await answer.text();
    const { status, statusText } = answer;
    const hasBody = status >= 200 && ![204, 205, 304].includes(status);
    return new Response(hasBody ? text : null, { status, statusText, headers: [...answer.headers] });
  };
}

function once<Value>(make: () => Promise<Value>): () => Promise<Value> {
  let made: Promise<Value> | null = null;
  return () => (made ??= make());
}
