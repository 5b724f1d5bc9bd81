import type { SequencerUrls } from '../blocklists/index.ts';
import type { SequencerCallOptions } from '../calls/send-request.ts';
import { createEmailbisonWebhooks } from './emailbison.ts';
import { createHeyreachWebhooks } from './heyreach.ts';
import { createInstantlyWebhooks } from './instantly.ts';
import { createLemlistWebhooks } from './lemlist.ts';
import { createReplyIoWebhooks } from './reply-io.ts';
import { createSalesloftWebhooks } from './salesloft.ts';
import { createSmartleadWebhooks } from './smartlead.ts';
import type { WebhookClient } from './types.ts';

export { compareWebhooks } from './compare.ts';
export { connectWebhooks, disconnectWebhooks } from './connect.ts';
export type { WebhookClient, WebhookTarget } from './types.ts';

/** The platforms whose webhooks can be registered and checked. */
export const WEBHOOK_PLATFORMS = [
  ...(['smartlead', 'instantly', 'emailbison', 'lemlist', 'reply-io', 'heyreach', 'salesloft'] as const),
];

const BY_HAND: Readonly<Record<string, string>> = {
  outreach:
    'its API takes only access tokens of an OAuth application, which end after two hours, so there is no key to store: create the webhook with POST /api/v2/webhooks of Outreach, with the URL of the source as `url` and its secret as `secret`',
};

/** Returns why no webhook is registered at a platform, and what to do. */
export function explainMissingClient(platform: string): string {
  const reason =
    BY_HAND[platform] ??
    `no call for it is known, only for ${WEBHOOK_PLATFORMS.join(', ')}: enter the URL of the source at the sequencer by hand`;
  return `This release registers no webhooks at ${platform}: ${reason}.`;
}

/** The API of each platform. */
export type WebhookUrls = SequencerUrls & Readonly<Record<'heyreach' | 'salesloft', string>>;

export interface WebhookClientsOptions extends Omit<SequencerCallOptions, 'baseUrl'> {
  /** No slash at the end. */
  baseUrls: WebhookUrls;
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
    heyreach: createHeyreachWebhooks({ ...shared, baseUrl: baseUrls.heyreach }),
    salesloft: createSalesloftWebhooks({ ...shared, baseUrl: baseUrls.salesloft }),
  };
  return new Map(Object.entries(clients));
}
