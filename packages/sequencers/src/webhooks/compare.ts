import type { RegisteredWebhook, WebhookClient } from './types.ts';

/** What the webhooks of a sequencer should be. */
export interface ExpectedWiring {
  /** The URL of the source. */
  url: string;
  /** The webhooks that were registered for it earlier. */
  knownIds: readonly string[];
}

export interface Comparison {
  /** The webhooks that post to the source. */
  ours: readonly RegisteredWebhook[];
  /** Webhooks that post elsewhere: they were registered for the source, or their URL ends as its own. */
  moved: readonly RegisteredWebhook[];
  /** Events that no webhook posts to the source; `null` stands for "everything". */
  missing: readonly (string | null)[];
  /** Webhooks that would post some of the events, and are switched off. */
  off: readonly RegisteredWebhook[];
  /** What differs, as sentences without a full stop; none when nothing does. */
  drifts: readonly string[];
}

/** Compares URL, events and state of the webhooks with what a source needs. */
export function compareWebhooks(
  webhooks: readonly RegisteredWebhook[],
  { events }: Pick<WebhookClient, 'events'>,
  { url, knownIds }: ExpectedWiring,
): Comparison {
  const ours = webhooks.filter((webhook) => isSameUrl(webhook.url, url));
  const moved = webhooks.filter(
    (webhook) => !ours.includes(webhook) && (knownIds.includes(webhook.id) || hasPathOf(webhook.url, url)),
  );
  const wanted: readonly (string | null)[] = events ?? [null];
  const missing = wanted.filter((event) => !ours.some((webhook) => covers(webhook, event)));
  const off = ours.filter(
    (webhook) =>
      !webhook.isEnabled &&
      wanted.some((event) => covers(webhook, event) && !ours.some((other) => other.isEnabled && covers(other, event))),
  );
  return { ours, moved, missing, off, drifts: describeDrifts({ ours, moved, missing, off }) };
}

function describeDrifts({ ours, moved, missing, off }: Omit<Comparison, 'drifts'>): string[] {
  if (ours.length === 0) {
    return moved.length > 0
      ? ['the webhook there has another URL than the source']
      : ['there is no webhook with the URL of the source'];
  }
  const names = missing.map((event) => event ?? 'all events').join(', ');
  return [
    ...(missing.length === 0 ? [] : [`its webhook does not post ${names}`]),
    ...(off.length === 0 ? [] : ['its webhook is switched off']),
  ];
}

function covers({ events }: RegisteredWebhook, event: string | null): boolean {
  return events === null || (event !== null && events.includes(event));
}

function isSameUrl(one: string, other: string): boolean {
  return hrefOf(one) === hrefOf(other);
}

/** Whether the last part of the path is the same: the code of a source is unguessable. */
export function hasPathOf(url: string, ofSource: string): boolean {
  const code = new URL(ofSource).pathname.split('/').at(-1) ?? '';
  return code !== '' && url.includes(code);
}

function hrefOf(url: string): string {
  return URL.canParse(url) ? new URL(url).href : url;
}
