/**
 * Whether a request names this machine as its host: `localhost`, or an address. A page of a browser can send requests to loopback under a
 * name of its own that resolves to it, and read the answers; it cannot choose another `Host`. An address resolves to nothing else, and
 * containers call a simulator by that of a forwarder.
 */
export function isOwnHost(host: string | undefined): boolean {
  return host !== undefined && /^(?:\d{1,3}(?:\.\d{1,3}){3}|localhost|\[[\da-f:.]+\])(?::\d{1,5})?$/i.test(host);
}
