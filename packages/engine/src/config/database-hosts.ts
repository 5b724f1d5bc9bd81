/**
 * PostgreSQL URLs with several hosts, in the form of libpq: `postgres://user@host1:5432,host2:5433/database`. One of the hosts accepts
 * writes, and a failover changes which one.
 */

/** What `target_session_attrs` may say: the server needs a host that accepts writes. */
const WRITABLE = new Set(['read-write', 'primary']);

/**
 * Returns one URL for each host, in their order.
 *
 * @param url of PostgreSQL, with one host or several, separated by commas
 * @returns null when it is no such URL, or asks for a host that need not accept writes
 */
export function splitDatabaseUrl(url: string): string[] | null {
  const urls = splitHosts(url);
  if (urls === null) return null;
  const wanted = new URL(urls[0] ?? '').searchParams.get('target_session_attrs');
  return wanted === null || WRITABLE.has(wanted) ? urls : null;
}

/** Returns one URL for each host, in their order; null when it is no PostgreSQL URL. */
export function splitHosts(url: string): string[] | null {
  const [, start, hosts, end = ''] = /^(postgres(?:ql)?:\/\/(?:[^@/?#]*@)?)([^/?#]*)(.*)$/i.exec(url) ?? [];
  if (start === undefined || hosts === undefined) return null;
  const urls = hosts.split(',').map((host) => `${start}${host}${end}`);
  if (urls.length > 1 && hosts.split(',').includes('')) return null;
  return urls.every((one) => URL.canParse(one)) ? urls : null;
}
