/**
 * Instantly has webhooks of the workspace, which the key identifies, each for all campaigns or for one. One webhook with `all_events` posts
 * everything, labels of the customer's own included.
 *
 * Sources (read November 2026; nothing was verified against the live service): developer.instantly.ai/api-reference/webhook and the vendor's
 * OpenAPI document of API v2. `status` is 1, or -1 after failed posts; `resume` switches it on again. Any key that may read webhooks sees
 * their `headers`.
 */
import type { SequencerCallOptions } from '../calls/send-request.ts';
import type { RegisteredWebhook, WebhookClient, WebhookTarget } from './types.ts';
import { callAboutWebhooks, done, fieldsOf, idFrom, notUnderstood, success, textOf } from './webhook-call.ts';

const PLATFORM = 'Instantly';
const ALL = 'all_events';
const PAGE = 100;
const PAGES_MAX = 20;

export function createInstantlyWebhooks(options: SequencerCallOptions): WebhookClient {
  const call = (
    { token }: WebhookTarget,
    method: 'GET' | 'POST' | 'DELETE',
    path: string,
    more: { body?: unknown; accepts?: readonly number[] } = {},
  ) =>
    callAboutWebhooks(options, {
      ...{ platform: PLATFORM, token, method, path: `/api/v2/webhooks${path}`, ...more },
      headers: { Authorization: `Bearer ${token}` },
    });

  return {
    events: null,
    hasOneEventEach: false,
    hasCampaigns: true,
    overrulesCampaigns: false,
    isUrlUnique: false,
    secretIn: 'header',
    async list(target) {
      const found: RegisteredWebhook[] = [];
      let after = '';
      for (let page = 0; page < PAGES_MAX; page += 1) {
        const next = after === '' ? '' : `&starting_after=${encodeURIComponent(after)}`;
        const answer = await call(target, 'GET', `?limit=${PAGE}${next}`);
        if (answer.status === 'error') return answer;
        const { items, next_starting_after: cursor } = fieldsOf(answer.value.body);
        if (!Array.isArray(items)) return notUnderstood(PLATFORM);
        found.push(...items.flatMap((item) => readWebhook(item, target.campaignId) ?? []));
        after = textOf(cursor) ?? '';
        if (after === '') return success(found);
      }
      return notUnderstood(PLATFORM);
    },
    async create(target, { url, name, secret }) {
      const answer = await call(target, 'POST', '', {
        body: {
          ...{ target_hook_url: url, event_type: ALL, campaign: target.campaignId, name },
          ...(secret?.check === 'header' ? { headers: { [secret.name]: secret.value } } : {}),
        },
      });
      return answer.status === 'error' ? answer : idFrom(PLATFORM, fieldsOf(answer.value.body)['id']);
    },
    enable: async (target, id) => done(await call(target, 'POST', `/${encodeURIComponent(id)}/resume`)),
    remove: async (target, id) => done(await call(target, 'DELETE', `/${encodeURIComponent(id)}`, { accepts: [404] })),
  };
}

/** Null for a webhook of another campaign. */
function readWebhook(item: unknown, campaignId: string | null): RegisteredWebhook | null {
  const { id, target_hook_url: url, event_type: event, campaign, status } = fieldsOf(item);
  const ownId = textOf(id);
  const ownUrl = textOf(url);
  const ownCampaign = textOf(campaign);
  if (ownId === null || ownUrl === null || (ownCampaign !== null && ownCampaign !== campaignId)) return null;
  return { id: ownId, url: ownUrl, events: event === ALL ? null : [textOf(event) ?? ''], isEnabled: status !== -1 };
}
