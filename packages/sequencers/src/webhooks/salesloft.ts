/**
 * Salesloft has one subscription for each event, of the application that made it: only its own are listed, so the same key must be used later.
 *
 * Source (read November 2026; nothing was verified against the live service): developer.salesloft.com, webhook subscriptions. Each post is
 * signed with `callback_token`, which we choose. The user of the key needs the permission to see what is posted. Whether a key that is not of
 * an OAuth application may subscribe is not documented.
 */
import type { SequencerCallOptions } from '../calls/send-request.ts';
import type { RegisteredWebhook, WebhookClient, WebhookTarget } from './types.ts';
import { callAboutWebhooks, done, fieldsOf, idFrom, notUnderstood, success, textOf } from './webhook-call.ts';

const PLATFORM = 'Salesloft';

/** What the adapter reads. `person_updated` is left out, because each writes a note. */
const EVENTS = ['person_created', 'meeting_booked'];

export function createSalesloftWebhooks(options: SequencerCallOptions): WebhookClient {
  const call = (
    { token }: WebhookTarget,
    method: 'GET' | 'POST' | 'PUT' | 'DELETE',
    path: string,
    more: { body?: unknown; accepts?: readonly number[] } = {},
  ) =>
    callAboutWebhooks(options, {
      ...{ platform: PLATFORM, token, method, path: `/v2/webhook_subscriptions${path}`, ...more },
      headers: { Authorization: `Bearer ${token}` },
    });

  return {
    events: EVENTS,
    hasOneEventEach: true,
    hasCampaigns: false,
    overrulesCampaigns: false,
    isUrlUnique: false,
    secretIn: 'hmac-sha1',
    async list(target) {
      const answer = await call(target, 'GET', '');
      if (answer.status === 'error') return answer;
      const { data } = fieldsOf(answer.value.body);
      return Array.isArray(data) ? success(data.flatMap((row) => readWebhook(row) ?? [])) : notUnderstood(PLATFORM);
    },
    async create(target, { url, secret }, event) {
      // The token is required. Without a secret of the source nobody checks the signature, so the unguessable end of the URL will do.
      const token = secret?.value ?? new URL(url).pathname.split('/').at(-1);
      const body = { callback_url: url, callback_token: token, event_type: event };
      const answer = await call(target, 'POST', '', { body });
      return answer.status === 'error' ? answer : idFrom(PLATFORM, fieldsOf(fieldsOf(answer.value.body)['data'])['id']);
    },
    enable: async (target, id) =>
      done(await call(target, 'PUT', `/${encodeURIComponent(id)}`, { body: { enabled: true } })),
    remove: async (target, id) => done(await call(target, 'DELETE', `/${encodeURIComponent(id)}`, { accepts: [404] })),
  };
}

function readWebhook(row: unknown): RegisteredWebhook | null {
  const { id, callback_url: url, event_type: event, enabled } = fieldsOf(row);
  const ownId = textOf(id);
  const ownUrl = textOf(url);
  if (ownId === null || ownUrl === null) return null;
  return { id: ownId, url: ownUrl, events: [textOf(event) ?? ''], isEnabled: enabled !== false };
}
