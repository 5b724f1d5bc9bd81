import type { ProxyEnvironment } from './environment.ts';

/**
 * The proxy that calls of an address go through; null where they go straight. `NO_PROXY` lists hosts, each with all below
 * it, with or without a port; `*` stands for all. Calls of this machine itself never go through a proxy: for the proxy, `localhost`
 * would be another machine, which must not get the key.
 */
export function proxyFor(address: string, { httpProxy, httpsProxy, noProxy }: ProxyEnvironment): string | null {
  const url = new URL(address);
  const proxy = url.protocol === 'https:' ? httpsProxy : httpProxy;
  return proxy === null || isLoopback(url) || isExcluded(url, noProxy ?? '') ? null : withScheme(proxy);
}

export function isExcluded(url: URL, noProxy: string): boolean {
  const host = plainHost(url.hostname);
  const port = url.port || (url.protocol === 'https:' ? '443' : '80');
  return noProxy
    .split(/[,\s]+/)
    .filter((entry) => entry !== '')
    .some((entry) => {
      const [, bracketed, name = bracketed ?? entry, entryPort] = /^(?:\[(.+)\]|([^:]*))(?::(\d+))?$/.exec(entry) ?? [];
      if (entryPort !== undefined && entryPort !== port) return false;
      const wanted = plainHost(name);
      if (wanted === '*') return true;
      const isOnlyBelow = wanted.startsWith('*.');
      const parent = wanted.replace(/^\*?\./, '');
      return (!isOnlyBelow && host === parent) || host.endsWith(`.${parent}`);
    });
}

/** What may be shown: without the name and password that a proxy's address may hold. */
export function describeProxy(proxy: string): string {
  const url = URL.canParse(proxy) ? new URL(proxy) : null;
  return url === null ? 'an address that is none' : `${url.protocol}//${url.host}`;
}

/** `proxy.example:3128`, as curl takes it. */
function withScheme(proxy: string): string {
  return /^[a-z][a-z0-9+.-]*:\/\//i.test(proxy) ? proxy : `http://${proxy}`;
}

function plainHost(host: string): string {
  return host
    .toLowerCase()
    .replace(/^\[(.+)\]$/, '$1')
    .replace(/\.$/, '');
}

/** Whether an address is of this machine itself (`localhost`, `127.0.0.0/8`, `::1`): what is sent there leaves it by no network. */
export function isLoopback({ hostname }: URL): boolean {
  return /^(localhost\.?|127(\.\d+){3}|\[::1\])$/.test(hostname);
}
