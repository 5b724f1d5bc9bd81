/** Whether an address is of this machine itself (`localhost`, `127.0.0.0/8`, `::1`): what is sent there leaves it by no network. */
export function isLoopback({ hostname }: URL): boolean {
  return /^(localhost\.?|127(\.\d+){3}|\[::1\])$/.test(hostname);
}
