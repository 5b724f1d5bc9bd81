/**
 * lemlist has webhooks of the team, which the key identifies, each for all campaigns or for one. One without `type` posts every activity.
 *
 * Sources (read November 2026; nothing was verified against the live service): developer.lemlist.com/api-reference/endpoints/webhooks, and
 * the vendor's older documentation (github.com/l3mpire/lemlist-developer, June 2024). There is no update and no switch. `secret` is fixed when
 * a webhook is made, and never returned. A second webhook with the same URL is refused with 409, as users found. A call for
 * all campaigns may answer an empty body in place of `[]`.
 */
import { basicAuthorization, type SequencerCallOptions } from '../calls/send-request.ts';
import type { RegisteredWebhook, WebhookClient, WebhookTarget } from './types.ts';
import { callAboutWebhooks, done, fieldsOf, idFrom, notUnderstood, success, textOf } from './webhook-call.ts';

const PLATFORM = 'lemlist';

export function createLemlistWebhooks(options: SequencerCallOptions): WebhookClient {
  const call = (
    { token }: WebhookTarget,
    method: 'GET' | 'POST' | 'DELETE',
    path: string,
    more: { body?: unknown; accepts?: readonly number[] } = {},
  ) =>
    callAboutWebhooks(options, {
      ...{ platform: PLATFORM, token, method, path: `/api/hooks${path}`, ...more },
      headers: { Authorization: basicAuthorization(token) },
      refusals: {
        409: 'lemlist has a webhook with the URL of this source already, for another campaign: remove it there',
      },
    });

  return {
    events: null,
    hasOneEventEach: false,
    hasCampaigns: true,
    overrulesCampaigns: false,
    isUrlUnique: true,
    secretIn: 'body',
    async list(target) {
      const answer = await call(target, 'GET', '');
      if (answer.status === 'error') return answer;
      const { body, isEmpty } = answer.value;
      if (isEmpty) return success([]);
      return Array.isArray(body)
        ? success(body.flatMap((row) => readWebhook(row, target.campaignId) ?? []))
        : notUnderstood(PLATFORM);
    },
    async create(target, { url, secret }) {
      const answer = await call(target, 'POST', '', {
        body: {
          targetUrl: url,
          ...(target.campaignId === null ? {} : { campaignId: target.campaignId }),
          ...(secret?.check === 'body' ? { secret: secret.value } : {}),
        },
      });
      return answer.status === 'error' ? answer : idFrom(PLATFORM, fieldsOf(answer.value.body)['_id']);
    },
    remove: async (target, id) => done(await call(target, 'DELETE', `/${encodeURIComponent(id)}`, { accepts: [404] })),
  };
}

/** Null for a webhook of another campaign. */
function readWebhook(row: unknown, campaignId: string | null): RegisteredWebhook | null {
  const { _id: id, targetUrl: url, type, campaignId: campaign, isFirst } = fieldsOf(row);
  const ownId = textOf(id);
  const ownUrl = textOf(url);
  const ownCampaign = textOf(campaign);
  if (ownId === null || ownUrl === null || (ownCampaign !== null && ownCampaign !== campaignId)) return null;
  const ownType = textOf(type);
  // One with `isFirst` leaves out later opens, clicks and replies.
  const events = isFirst === true ? [] : ownType === null ? null : [ownType];
  return { id: ownId, url: ownUrl, events, isEnabled: true };
}
