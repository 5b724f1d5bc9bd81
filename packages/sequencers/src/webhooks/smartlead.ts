/**
 * Smartlead has webhooks of the whole account and of one campaign. The API key is in the URL.
 *
 * Sources (read November 2026; nothing was verified against the live service):
 * - create, update, delete, one webhook: api.smartlead.ai/api-reference/webhooks. `association_type` is a word there, and was a number in
 *   an older copy of the same page.
 * - There is no list of the webhooks of an account (`GET /webhook` is 404 in a probe of August 2026), so the id must be kept. Those of a
 *   campaign are listed by `GET /campaigns/{id}/webhooks`, as public integrations call it.
 * - Which values `status` has is not documented, so a webhook counts as switched on.
 */
import type { SequencerCallOptions } from '../calls/send-request.ts';
import type { RegisteredWebhook, WebhookClient, WebhookTarget } from './types.ts';
import { callAboutWebhooks, done, fieldsOf, idFrom, notUnderstood, success, textOf, textsOf } from './webhook-call.ts';

const PLATFORM = 'Smartlead';

const EVENTS = [
  ...['EMAIL_SENT', 'EMAIL_OPEN', 'EMAIL_LINK_CLICK', 'EMAIL_REPLY', 'EMAIL_BOUNCE'],
  ...['LEAD_UNSUBSCRIBED', 'LEAD_CATEGORY_UPDATED', 'UNTRACKED_REPLIES'],
];

export function createSmartleadWebhooks(options: SequencerCallOptions): WebhookClient {
  const pathOf = (path: string, { token }: WebhookTarget) => `/api/v1${path}?api_key=${encodeURIComponent(token)}`;
  const call = (target: WebhookTarget, method: 'GET' | 'POST' | 'DELETE', path: string, body?: unknown) =>
    callAboutWebhooks(options, {
      ...{ platform: PLATFORM, token: target.token, method, path: pathOf(path, target), body },
      accepts: path.startsWith('/webhook/') && method !== 'POST' ? [404] : [],
    });

  return {
    events: EVENTS,
    hasOneEventEach: false,
    hasCampaigns: true,
    overrulesCampaigns: true,
    isUrlUnique: false,
    secretIn: null,
    async list(target, knownIds) {
      const { campaignId } = target;
      if (campaignId !== null) {
        const answer = await call(target, 'GET', `/campaigns/${encodeURIComponent(campaignId)}/webhooks`);
        if (answer.status === 'error') return answer;
        const { body } = answer.value;
        const rows = [body, fieldsOf(body)['data'], fieldsOf(body)['webhooks']].find((part) => Array.isArray(part));
        return Array.isArray(rows) ? success(rows.flatMap((row) => readWebhook(row) ?? [])) : notUnderstood(PLATFORM);
      }
      const found: RegisteredWebhook[] = [];
      for (const id of knownIds) {
        const answer = await call(target, 'GET', `/webhook/${encodeURIComponent(id)}`);
        if (answer.status === 'error') return answer;
        if (answer.value.httpStatus === 404) continue;
        const fields = fieldsOf(answer.value.body);
        const webhook = readWebhook(fields['data'] ?? fields);
        if (webhook === null) return notUnderstood(PLATFORM);
        found.push(webhook);
      }
      return success(found);
    },
    async create(target, { url, name, isReplacement = false }) {
      const { campaignId } = target;
      const answer = await call(target, 'POST', '/webhook/create', {
        ...{ name, webhook_url: url },
        ...(campaignId === null
          ? { association_type: 'user' }
          : { association_type: 'campaign', email_campaign_id: toNumber(campaignId) }),
        event_type_map: Object.fromEntries(EVENTS.map((event) => [event, true])),
        // Without it, a repeated call makes no second one.
        force_create: isReplacement,
      });
      if (answer.status === 'error') return answer;
      const { id, webhook_id: otherId, data } = fieldsOf(answer.value.body);
      return idFrom(PLATFORM, id ?? otherId ?? fieldsOf(data)['id']);
    },
    remove: async (target, id) => done(await call(target, 'DELETE', `/webhook/delete/${encodeURIComponent(id)}`)),
  };
}

function readWebhook(row: unknown): RegisteredWebhook | null {
  const { id, webhook_url: url, event_types: types, event_type_map: map } = fieldsOf(row);
  const ownId = textOf(id);
  const ownUrl = textOf(url);
  if (ownId === null || ownUrl === null) return null;
  return { id: ownId, url: ownUrl, events: readEvents(types, map), isEnabled: true };
}

/** An answer that does not name the events says nothing about them. */
function readEvents(types: unknown, map: unknown): string[] | null {
  if (Array.isArray(types)) return textsOf(types);
  const entries = Object.entries(fieldsOf(map));
  return entries.length === 0 ? null : entries.flatMap(([event, isOn]) => (isOn === true ? [event] : []));
}

function toNumber(id: string): number | string {
  return /^\d{1,15}$/.test(id) ? Number(id) : id;
}
