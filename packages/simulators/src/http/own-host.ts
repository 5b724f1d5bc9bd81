/**
 * Whether a request names this machine as its host. A page of a browser can send requests to loopback under a name of its
 * own that resolves to it, and read the answers; it cannot choose another `Host`.
 */
export function isOwnHost(host: string | undefined): boolean {
  return host !== undefined && /^(?:127\.0\.0\.1|localhost|\[::1\])(?::\d{1,5})?$/i.test(host);
}
