import type { UpdateWebhookBody } from '@svc/sdk';
import { requireHttps } from '../../config/http-url.ts';

export interface WebhookChangeFlags {
  readonly url?: string | undefined;
  readonly event?: readonly NonNullable<UpdateWebhookBody['enabledEvents']>[number][] | undefined;
  readonly 'all-events'?: boolean | undefined;
  readonly description?: string | undefined;
  readonly enable?: boolean | undefined;
  readonly disable?: boolean | undefined;
}

/** Returns only the given fields, because every field that is sent is changed. An empty list of events means all. */
export function toWebhookChanges(flags: WebhookChangeFlags): UpdateWebhookBody {
  const { url, event, description } = flags;
  const changes: UpdateWebhookBody = {};
  if (url !== undefined) changes.url = requireHttps(url, '--url');
  if (description !== undefined) changes.description = description;
  if (event !== undefined) changes.enabledEvents = [...event];
  if (flags['all-events'] === true) changes.enabledEvents = [];
  if (flags.enable === true) changes.isActive = true;
  if (flags.disable === true) changes.isActive = false;
  return changes;
}
