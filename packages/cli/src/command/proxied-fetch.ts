import { usageError } from '../errors/cli-error.ts';
import { describeProxy } from '../config/proxy.ts';

/**
 * `fetch` through a proxy: a tunnel (`CONNECT`) where the address is https, so that the proxy sees neither key nor data. Node's
 * own `fetch` takes no proxy, therefore undici does it, which is loaded with the first call.
 *
 * @throws CliError (exit 2) for a proxy that can be none
 */
export function createProxiedFetch(proxy: string): (request: Request) => Promise<Response> {
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
