/**
 * Which addresses and names are this machine's own, and which `Host` is accepted by a service that others cannot reach.
 *
 * The rule: a service whose data and keys everybody knows (a demo, a mock), and that listens on a loopback address, is called by
 * localhost, *.localhost, 127.0.0.0/8, [::1] and the hosts of its configured addresses. Any other `Host` is refused: a website can
 * make a name of its own point to 127.0.0.1 (DNS rebinding), and the browser of a developer then lets its pages read the answers.
 */
import ipaddr from 'ipaddr.js';
import { type ApiError, forbidden } from '../errors/errors.ts';
import { addressOfHostname } from './public-address.ts';

/** Whether an IP address, without brackets, is a loopback address. IPv4 written inside IPv6 is judged as IPv4. */
export function isLoopbackAddress(address: string): boolean {
  return ipaddr.isValid(address) && ipaddr.process(address).range() === 'loopback';
}

/** Whether a host, with or without a port, is this machine: a loopback address, `localhost`, or a name below it. */
export function isLoopbackHost(authority: string): boolean {
  const hostname = hostnameOf(authority);
  if (hostname === null) return false;
  const address = addressOfHostname(hostname);
  return address === null ? /^(.+\.)?localhost\.?$/.test(hostname) : isLoopbackAddress(address);
}

/**
 * Why a request to a service that listens on a loopback address is refused for its `Host`; null when it is not. A request without
 * one cannot come from a browser.
 *
 * @param publicUrls the configured addresses of the service
 * @param setting what sets such an address: the refusal names it
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

/** Null for what cannot be a host: `URL` would also take a user name or a path. */
function hostnameOf(authority: string): string | null {
  const url = `http://${authority}`;
  return /^[\w.:[\]-]+$/.test(authority) && URL.canParse(url) ? new URL(url).hostname : null;
}
