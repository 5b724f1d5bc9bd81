import type { WebhookClient, WebhookClientsOptions } from '@svc/sequencers/webhooks';

/** Returns what finds the client of a platform. The clients are loaded at their first use, because most processes never call them. */
export function createWebhookClientFinder(
  options: WebhookClientsOptions,
): (platform: string) => Promise<WebhookClient | undefined> {
  let clients: Promise<ReadonlyMap<string, WebhookClient>> | null = null;
  return async (platform) => {
    clients ??= import('@svc/sequencers/webhooks').then(({ createWebhookClients }) => createWebhookClients(options));
    return (await clients).get(platform);
  };
}
