import type { ProxyEnvironment } from './environment.ts';

/**
 * Returns the proxy for calls to an address, or null. `NO_PROXY` lists hosts, which include their subdomains, with or
 * without a port; `*` matches all. Calls to this machine never use a proxy: for the proxy, `localhost` is another
 * machine, which must not get the key.
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

/** Returns the address of a proxy without name and password. */
export function describeProxy(proxy: string): string {
  const url = URL.canParse(proxy) ? new URL(proxy) : null;
  return url === null ? 'an invalid address' : `${url.protocol}//${url.host}`;
}

/** Adds `http://` to an address such as `proxy.example:3128`. */
function withScheme(proxy: string): string {
  return /^[a-z][a-z0-9+.-]*:\/\//i.test(proxy) ? proxy : `http://${proxy}`;
}

function plainHost(host: string): string {
  return host
    .toLowerCase()
    .replace(/^\[(.+)\]$/, '$1')
    .replace(/\.$/, '');
}

/** Whether an address belongs to this machine: `localhost`, `127.0.0.0/8` or `::1`. */
export function isLoopback({ hostname }: URL): boolean {
  return /^(localhost\.?|127(\.\d+){3}|\[::1\])$/.test(hostname);
}
