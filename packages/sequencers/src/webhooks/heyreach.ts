/**
 * HeyReach has one webhook for each event, for all campaigns or for some, of the workspace that the key identifies.
 *
 * Sources (read November 2026; nothing was verified against the live service): the vendor's Postman pages (documenter.getpostman.com), as a public
 * copy has them, and a client whose author says that it was compared with the live API in May 2026. Both list webhooks by POST, although an
 * example of the pages shows GET. A webhook that posts nothing has `isActive` false. Nobody says that a webhook carries a secret.
 */
import type { SequencerCallOptions } from '../calls/send-request.ts';
import type { RegisteredWebhook, WebhookClient, WebhookTarget } from './types.ts';
import { callAboutWebhooks, done, fieldsOf, idFrom, notUnderstood, success, textOf, textsOf } from './webhook-call.ts';

const PLATFORM = 'HeyReach';
const PAGE = 100;
const PAGES_MAX = 20;

/**
 * `EVERY_MESSAGE_REPLY_RECEIVED` has the replies that `MESSAGE_REPLY_RECEIVED` and `INMAIL_REPLY_RECEIVED` report once only. Left out are
 * `LEAD_TAG_UPDATED`, which is not read, and `LEAD_FINISHED_SEQUENCE_WITHOUT_REPLYING`, which a user found to be refused in September 2026.
 */
const EVENTS = [
  ...['EVERY_MESSAGE_REPLY_RECEIVED', 'MESSAGE_SENT', 'INMAIL_SENT'],
  ...['CONNECTION_REQUEST_SENT', 'CONNECTION_REQUEST_ACCEPTED', 'FOLLOW_SENT', 'LIKED_POST', 'VIEWED_PROFILE'],
];

export function createHeyreachWebhooks(options: SequencerCallOptions): WebhookClient {
  const call = (
    { token }: WebhookTarget,
    method: 'POST' | 'PATCH' | 'DELETE',
    path: string,
    more: { body?: unknown; accepts?: readonly number[] } = {},
  ) =>
    callAboutWebhooks(options, {
      ...{ platform: PLATFORM, token, method, path: `/api/public/webhooks/${path}`, ...more },
      headers: { 'X-API-KEY': token },
    });
  const withId = (path: string, id: string) => `${path}?webhookId=${encodeURIComponent(id)}`;

  return {
    events: EVENTS,
    hasOneEventEach: true,
    hasCampaigns: true,
    overrulesCampaigns: false,
    isUrlUnique: false,
    secretIn: null,
    async list(target) {
      const found: RegisteredWebhook[] = [];
      for (let page = 0; page < PAGES_MAX; page += 1) {
        const answer = await call(target, 'POST', 'GetAllWebhooks', { body: { offset: page * PAGE, limit: PAGE } });
        if (answer.status === 'error') return answer;
        const { items, totalCount } = fieldsOf(answer.value.body);
        if (!Array.isArray(items)) return notUnderstood(PLATFORM);
        found.push(...items.flatMap((item) => readWebhook(item, target.campaignId) ?? []));
        if (items.length === 0 || Number(totalCount ?? 0) <= (page + 1) * PAGE) return success(found);
      }
      return notUnderstood(PLATFORM);
    },
    async create(target, { url, name }, event) {
      const { campaignId } = target;
      const answer = await call(target, 'POST', 'CreateWebhook', {
        body: {
          ...{ webhookName: name, webhookUrl: url, eventType: event },
          campaignIds: campaignId === null ? [] : [toCampaignId(campaignId)],
        },
      });
      return answer.status === 'error' ? answer : idFrom(PLATFORM, fieldsOf(answer.value.body)['id']);
    },
    enable: async (target, id) =>
      done(await call(target, 'PATCH', withId('UpdateWebhook', id), { body: { isActive: true } })),
    remove: async (target, id) => done(await call(target, 'DELETE', withId('DeleteWebhook', id), { accepts: [404] })),
  };
}

function toCampaignId(id: string): number | string {
  return /^\d{1,15}$/.test(id) ? Number(id) : id;
}

/** Null for a webhook of other campaigns only. */
function readWebhook(item: unknown, campaignId: string | null): RegisteredWebhook | null {
  const { id, webhookUrl, eventType, campaignIds, isActive } = fieldsOf(item);
  const ownId = textOf(id);
  const ownUrl = textOf(webhookUrl);
  const campaigns = textsOf(campaignIds);
  const isOfTarget = campaigns.length === 0 || (campaignId !== null && campaigns.includes(campaignId));
  if (ownId === null || ownUrl === null || !isOfTarget) return null;
  const event = textOf(eventType)?.toUpperCase() ?? '';
  return { id: ownId, url: ownUrl, events: [event], isEnabled: isActive !== false };
}
