/**
 * Where the service may send a request of its own (specification, "Webhooks": private, local, loopback and link-local
 * targets are refused, and names that resolve to them).
 *
 * 1. An address must be globally routable unicast. IPv4 written inside IPv6 (`::ffff:127.0.0.1`) is judged as IPv4.
 * 2. IPv6 outside 2000::/3 is not in use on the internet, whatever it may be called, and tunnelling ranges that carry an
 *    IPv4 address (NAT64, 6to4, Teredo) lead to wherever that points: both are refused.
 * 3. A name is local when it has a single label or ends in one of the names that never leave a network.
 * 4. An operator may open address ranges explicitly, for receivers inside the own network. Where one is open, a local name is
 *    judged by the addresses that it resolves to.
 *
 * These are the checks that need no look-up. Whoever connects judges the looked-up address by the same function.
 */
import ipaddr from 'ipaddr.js';

const LOCAL_SUFFIXES = ['localhost', 'local', 'internal', 'lan', 'home.arpa'] as const;
const GLOBAL_UNICAST_IPV6: [ReturnType<typeof ipaddr.IPv6.parse>, number] = ipaddr.IPv6.parseCIDR('2000::/3');

/**
 * Whether a request may go to this IP address.
 *
 * @param address IPv4 or IPv6, without brackets; anything else, a zone id included, is not public
 * @param allowedCidrs ranges that are allowed although they are not public
 * @throws Error when an allowed range is not a CIDR
 */
export function isPublicAddress(address: string, allowedCidrs: readonly string[] = []): boolean {
  if (address.includes('%') || !ipaddr.isValid(address)) return false;
  const ip = ipaddr.process(address);
  for (const cidr of allowedCidrs) {
    const [network, bits] = ipaddr.parseCIDR(cidr);
    if (network.kind() === ip.kind() && ip.match(network, bits)) return true;
  }
  if (ip.range() !== 'unicast') return false;
  return ip.kind() === 'ipv4' || ip.match(GLOBAL_UNICAST_IPV6);
}

/** Whether a lower-case host name stays inside a network by its form alone. A trailing dot changes nothing. */
export function isLocalName(hostname: string): boolean {
  const name = hostname.replace(/\.$/, '');
  return !name.includes('.') || LOCAL_SUFFIXES.some((suffix) => name === suffix || name.endsWith(`.${suffix}`));
}

/** The IP address in a WHATWG URL's `hostname`, without brackets, or null when it is a name. */
export function addressOfHostname(hostname: string): string | null {
  if (hostname.startsWith('[')) return hostname.slice(1, -1);
  return ipaddr.IPv4.isValidFourPartDecimal(hostname) ? hostname : null;
}
