/** Clients of sequencers that are loaded at their first use, because most processes never call them. */
import type { HistoryClient, HistoryClientsOptions } from '@svc/sequencers/history';
import type { WebhookClient, WebhookClientsOptions } from '@svc/sequencers/webhooks';
import { loadOnce } from './load-once.ts';

/** Returns the client of a platform, or undefined when this release has none. */
type Find<Client> = (platform: string) => Promise<Client | undefined>;

export function createWebhookClientFinder(options: WebhookClientsOptions): Find<WebhookClient> {
  return findAfterLoading(async () => (await import('@svc/sequencers/webhooks')).createWebhookClients(options));
}

export function createHistoryClientFinder(options: HistoryClientsOptions): Find<HistoryClient> {
  return findAfterLoading(async () => (await import('@svc/sequencers/history')).createHistoryClients(options));
}

function findAfterLoading<Client>(load: () => Promise<ReadonlyMap<string, Client>>): Find<Client> {
  const getClients = loadOnce(load);
  return async (platform) => (await getClients()).get(platform);
}
