/** The address at which somebody who listens on a host and port is called from the same machine: `http://127.0.0.1:4000`. */
export function listenUrl(host: string, port: number): string {
  return `http://${urlHost(host)}:${port}`;
}

/** Listening on every address still needs one that can be called from here. */
function urlHost(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1';
  return host.includes(':') ? `[${host}]` : host;
}
