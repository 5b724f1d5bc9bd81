/** Returns the URL of a server on this machine that listens on a host and port: `http://127.0.0.1:4000`. */
export function listenUrl(host: string, port: number): string {
  return `http://${urlHost(host)}:${port}`;
}

/** A wildcard address cannot be called, so it becomes the loopback address. */
function urlHost(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1';
  return host.includes(':') ? `[${host}]` : host;
}
