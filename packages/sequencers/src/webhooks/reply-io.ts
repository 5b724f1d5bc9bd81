/**
 * Reply.io has one webhook for each event, of the key's user or of the team. Only those of the key's user are listed, so the same key must be
 * used later.
 *
 * Source (read November 2026; nothing was verified against the live service): docs.reply.io/api-reference/webhooks, which the vendor calls
 * beta. A webhook of a team needs its owner's key.
 */
import type { SequencerCallOptions } from '../calls/send-request.ts';
import type { RegisteredWebhook, WebhookClient, WebhookTarget } from './types.ts';
import { callAboutWebhooks, done, fieldsOf, idFrom, notUnderstood, success, textOf } from './webhook-call.ts';

const PLATFORM = 'Reply.io';

const EVENTS = [
  ...['email_sent', 'email_opened', 'email_link_clicked', 'email_replied', 'email_bounced', 'email_auto_reply'],
  ...['contact_opted_out', 'contact_called', 'meeting_booked'],
  ...['linkedin_connection_request_sent', 'linkedin_connection_request_accepted'],
  ...['linkedin_message_sent', 'linkedin_message_replied'],
];

export function createReplyIoWebhooks(options: SequencerCallOptions): WebhookClient {
  const call = (
    { token }: WebhookTarget,
    method: 'GET' | 'POST' | 'DELETE',
    path: string,
    more: { body?: unknown; accepts?: readonly number[] } = {},
  ) =>
    callAboutWebhooks(options, {
      ...{ platform: PLATFORM, token, method, path: `/v3/webhooks${path}`, ...more },
      headers: { Authorization: `Bearer ${token}` },
    });

  return {
    events: EVENTS,
    hasOneEventEach: true,
    hasCampaigns: false,
    overrulesCampaigns: false,
    isUrlUnique: false,
    secretIn: null,
    async list(target) {
      const answer = await call(target, 'GET', '');
      if (answer.status === 'error') return answer;
      const { body } = answer.value;
      const rows = [body, fieldsOf(body)['items']].find((part) => Array.isArray(part));
      return Array.isArray(rows) ? success(rows.flatMap((row) => readWebhook(row) ?? [])) : notUnderstood(PLATFORM);
    },
    async create(target, { url }, event) {
      const answer = await call(target, 'POST', '', {
        body: {
          ...{ eventType: event, url, scope: 'team', enabled: true },
          payloadConfig: { includeEmailUrl: true, includeEmailText: true, includeProspectCustomFields: true },
        },
      });
      return answer.status === 'error' ? answer : idFrom(PLATFORM, fieldsOf(answer.value.body)['id']);
    },
    enable: async (target, id) => done(await call(target, 'POST', `/${encodeURIComponent(id)}/enable`)),
    remove: async (target, id) => done(await call(target, 'DELETE', `/${encodeURIComponent(id)}`, { accepts: [404] })),
  };
}

function readWebhook(row: unknown): RegisteredWebhook | null {
  const { id, url, eventType, enabled } = fieldsOf(row);
  const ownId = textOf(id);
  const ownUrl = textOf(url);
  if (ownId === null || ownUrl === null) return null;
  return { id: ownId, url: ownUrl, events: [textOf(eventType) ?? ''], isEnabled: enabled !== false };
}
