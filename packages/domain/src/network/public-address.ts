/**
 * Addresses that the service may send requests to (`createWebhook` in the contract: private, local, loopback and
 * link-local targets are refused, and names that resolve to them).
 *
 * 1. An address must be globally routable unicast. IPv4 inside IPv6 (`::ffff:127.0.0.1`) is treated as IPv4.
 * 2. IPv6 outside 2000::/3 is refused, because the internet does not use it. So are tunnelling ranges, which carry an IPv4
 *    address: NAT64, 6to4, Teredo, and ISATAP in any network (`::0:5efe:a.b.c.d`, `::200:5efe:a.b.c.d`).
 * 3. 168.63.129.16 is refused: inside Azure it is the machine's host.
 * 4. A name is local when it has a single label or ends in a suffix for local networks.
 * 5. An operator may allow address ranges, for receivers in the same network.
 *
 * These checks do not resolve names. The code that connects checks the resolved address with `isPublicAddress`.
 */
import ipaddr from 'ipaddr.js';

const LOCAL_SUFFIXES = ['localhost', 'localdomain', 'local', 'internal', 'lan', 'home.arpa'] as const;
const AZURE_HOST = '168.63.129.16';
const GLOBAL_UNICAST_IPV6: [ReturnType<typeof ipaddr.IPv6.parse>, number] = ipaddr.IPv6.parseCIDR('2000::/3');

/**
 * Whether a request may go to this IP address.
 *
 * @param address IPv4 or IPv6 without brackets; anything else, such as an address with a zone id, is not public
 * @param allowedCidrs non-public ranges that are allowed
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
  if (ip instanceof ipaddr.IPv4) return ip.toString() !== AZURE_HOST;
  return ip.match(GLOBAL_UNICAST_IPV6) && !isIsatap(ip);
}

/** RFC 5214, section 6.1: the interface id is `0:5efe` or `200:5efe`, followed by an IPv4 address. */
function isIsatap({ parts }: InstanceType<typeof ipaddr.IPv6>): boolean {
  return (parts[4] === 0 || parts[4] === 0x200) && parts[5] === 0x5efe;
}

/** Ports of other protocols, which could read a request as commands ("bad port", WHATWG Fetch, section 2.9). */
const BLOCKED_PORTS: ReadonlySet<number> = new Set([
  0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104, 109, 110,
  111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515, 526, 530, 531, 532,
  540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061,
  6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080,
]);

/** @param port as `URL` returns it: empty for the scheme's default */
export function isBlockedPort(port: string): boolean {
  return port !== '' && BLOCKED_PORTS.has(Number(port));
}

/** Whether a lower-case host name belongs to a local network. A trailing dot is ignored. */
export function isLocalName(hostname: string): boolean {
  const name = hostname.replace(/\.$/, '');
  return !name.includes('.') || LOCAL_SUFFIXES.some((suffix) => name === suffix || name.endsWith(`.${suffix}`));
}

/**
 * Whether a host name may not be called because it is local. Where the operator has allowed ranges, it may: the addresses
 * that it resolves to decide.
 */
export function isForbiddenName(hostname: string, allowedCidrs: readonly string[]): boolean {
  return allowedCidrs.length === 0 && isLocalName(hostname);
}

/** Returns the IP address in the `hostname` of a `URL`, without brackets, or null when it is a name. */
export function addressOfHostname(hostname: string): string | null {
  if (hostname.startsWith('[')) return hostname.slice(1, -1);
  return ipaddr.IPv4.isValidFourPartDecimal(hostname) ? hostname : null;
}
