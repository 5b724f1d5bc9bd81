import { usageError } from '../errors/cli-error.ts';
import { readProxyEnvironment } from '../config/environment.ts';
import { describeProxy, proxyFor } from '../config/proxy.ts';
import { fetchOverHttp } from '../http/fetch.ts';

/** The `fetch` that the SDK accepts. */
type Fetch = (request: Request) => Promise<Response>;

/**
 * Returns a `fetch` for calls to an address, which uses a proxy if the environment sets one.
 *
 * @throws CliError (exit 2) for a proxy address that is not http or https
 */
export function createFetch(address: string): Fetch {
  const proxy = proxyFor(address, readProxyEnvironment());
  // The bundle replaces Node's `Request` and `Response` with the types that `fetchOverHttp` expects.
  return proxy === null ? (fetchOverHttp as unknown as Fetch) : createProxiedFetch(proxy);
}

/**
 * Returns undici's `fetch`, because Node's own does not support proxies. It is loaded with the first call. https calls use
 * a tunnel (`CONNECT`), so the proxy sees neither key nor data.
 */
function createProxiedFetch(proxy: string): Fetch {
  if (!/^https?:$/.test(URL.canParse(proxy) ? new URL(proxy).protocol : '')) {
    throw usageError(
      `${describeProxy(proxy)} is not a valid proxy`,
      'HTTPS_PROXY and HTTP_PROXY must be http:// or https:// addresses.',
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
    // undici's `Response` is not an instance of Node's.
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
