import type { HistoryClient, HistoryClientsOptions } from '@svc/sequencers/history';

/** Returns what finds the client of a platform. The clients are loaded at their first use, because most processes never call them. */
export function createHistoryClientFinder(
  options: HistoryClientsOptions,
): (platform: string) => Promise<HistoryClient | undefined> {
  let clients: Promise<ReadonlyMap<string, HistoryClient>> | null = null;
  return async (platform) => {
    clients ??= import('@svc/sequencers/history').then(({ createHistoryClients }) => createHistoryClients(options));
    return (await clients).get(platform);
  };
}
