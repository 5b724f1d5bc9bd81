import type { SequencerUrls } from '../blocklists/index.ts';
import type { SequencerCallOptions } from '../calls/send-request.ts';
import { createEmailbisonWebhooks } from './emailbison.ts';
import { createInstantlyWebhooks } from './instantly.ts';
import { createLemlistWebhooks } from './lemlist.ts';
import { createReplyIoWebhooks } from './reply-io.ts';
import { createSmartleadWebhooks } from './smartlead.ts';
import type { WebhookClient } from './types.ts';

export { compareWebhooks } from './compare.ts';
export { connectWebhooks, disconnectWebhooks } from './connect.ts';
export type { WebhookClient, WebhookTarget } from './types.ts';

/** The platforms whose webhooks can be registered and checked. */
export const WEBHOOK_PLATFORMS = ['smartlead', 'instantly', 'emailbison', 'lemlist', 'reply-io'] as const;

export interface WebhookClientsOptions extends Omit<SequencerCallOptions, 'baseUrl'> {
  /** No slash at the end. */
  baseUrls: SequencerUrls;
  /** For addresses that customers choose: calls public addresses only. */
  guardedFetch: typeof globalThis.fetch;
}

/** Creates one client per platform that documents calls about webhooks. */
export function createWebhookClients(options: WebhookClientsOptions): ReadonlyMap<string, WebhookClient> {
  const { baseUrls, guardedFetch, ...shared } = options;
  const clients: Record<(typeof WEBHOOK_PLATFORMS)[number], WebhookClient> = {
    smartlead: createSmartleadWebhooks({ ...shared, baseUrl: baseUrls.smartlead }),
    instantly: createInstantlyWebhooks({ ...shared, baseUrl: baseUrls.instantly }),
    emailbison: createEmailbisonWebhooks({ ...shared, guardedFetch, baseUrl: baseUrls.emailbison }),
    lemlist: createLemlistWebhooks({ ...shared, baseUrl: baseUrls.lemlist }),
    'reply-io': createReplyIoWebhooks({ ...shared, baseUrl: baseUrls['reply-io'] }),
  };
  return new Map(Object.entries(clients));
}
