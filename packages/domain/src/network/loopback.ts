/**
 * Loopback addresses and names, and the check of `Host` that prevents DNS rebinding.
 *
 * The rule: a demo or mock that listens on a loopback address accepts only the hosts localhost, *.localhost, 127.0.0.0/8,
 * [::1] and those of its configured URLs. Otherwise a website could point a name of its own to 127.0.0.1, and the browser of
 * a developer would let its pages read the answers.
 */
import ipaddr from 'ipaddr.js';
import { type ApiError, forbidden } from '../errors/errors.ts';
import { addressOfHostname } from './public-address.ts';

/** Whether an IP address, without brackets, is a loopback address. IPv4 inside IPv6 is treated as IPv4. */
export function isLoopbackAddress(address: string): boolean {
  return ipaddr.isValid(address) && ipaddr.process(address).range() === 'loopback';
}

/** Whether a host, with or without a port, is a loopback address, `localhost`, or a name below it. */
export function isLoopbackHost(authority: string): boolean {
  const hostname = hostnameOf(authority);
  if (hostname === null) return false;
  const address = addressOfHostname(hostname);
  return address === null ? /^(.+\.)?localhost\.?$/.test(hostname) : isLoopbackAddress(address);
}

/**
 * Returns the 403 for a `Host` that a service on a loopback address does not accept, or null when it is accepted. A request
 * without `Host` is accepted, because it cannot come from a browser.
 *
 * @param publicUrls the configured URLs of the service
 * @param setting the name of the setting for such a URL, shown in the message
 */
export function findHostError(
  host: string | undefined,
  { publicUrls, setting }: { readonly publicUrls: readonly string[]; readonly setting: string },
): ApiError | null {
  if (host === undefined || isLoopbackHost(host)) return null;
  const hostname = hostnameOf(host);
  if (hostname !== null && publicUrls.some((url) => new URL(url).hostname === hostname)) return null;
  return forbidden(
    `This service listens on this machine only, and the Host header names another: call it by localhost or 127.0.0.1, or set ${setting} to the address by which it is called`,
  );
}

/** Returns null for text that is not a host. `URL` alone would also accept a user name or a path. */
function hostnameOf(authority: string): string | null {
  const url = `http://${authority}`;
  return /^[\w.:[\]-]+$/.test(authority) && URL.canParse(url) ? new URL(url).hostname : null;
}
