/**
 * Specification, "Limits" (per IP): which address a request counts for where proxies stand in front of the service.
 *
 * The rule: it is the address of whoever connected. Where that is one of `trustedProxies`, counted from the service, it is the
 * last entry of `X-Forwarded-For`, which that proxy has added; and so on backwards through the header, one entry a proxy.
 * A header that is too short names the farthest there is: whatever a client writes itself stands to the left of what is read.
 */
export interface RequestOrigin {
  /** Of the connection. */
  readonly remoteAddress: string;
  /** `X-Forwarded-For`, several of them joined by commas; undefined without one. */
  readonly forwardedFor: string | undefined;
  /** 0 or more. */
  readonly trustedProxies: number;
}

export function clientAddress({ remoteAddress, forwardedFor, trustedProxies }: RequestOrigin): string {
  const named = (forwardedFor ?? '').split(',').map((entry) => entry.trim());
  const addresses = [remoteAddress, ...named.filter((entry) => entry !== '').toReversed()];
  return addresses[Math.min(trustedProxies, addresses.length - 1)] ?? remoteAddress;
}
