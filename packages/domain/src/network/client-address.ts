/**
 * The address that a request is counted under (`rate-limit.ts`) when proxies are in front of the service.
 *
 * The rule: without trusted proxies it is the address of the connection. With n trusted proxies it is the n-th entry of
 * `X-Forwarded-For` from the end, because each proxy appends one entry. A shorter header gives its first entry. Entries that
 * the client wrote itself are further left and are never read.
 */
export interface RequestOrigin {
  readonly remoteAddress: string;
  /** The header `X-Forwarded-For`, repeated ones joined by commas. */
  readonly forwardedFor: string | undefined;
  /** Number of proxies in front of the service, 0 or more. */
  readonly trustedProxies: number;
}

export function clientAddress({ remoteAddress, forwardedFor, trustedProxies }: RequestOrigin): string {
  const named = (forwardedFor ?? '').split(',').map((entry) => entry.trim());
  const addresses = [remoteAddress, ...named.filter((entry) => entry !== '').toReversed()];
  return addresses[Math.min(trustedProxies, addresses.length - 1)] ?? remoteAddress;
}
