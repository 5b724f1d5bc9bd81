/**
 * EmailBison has webhooks of a workspace, which the token identifies, and an instance per customer.
 *
 * Sources (read November 2026; nothing was verified against a live instance): the vendor's reference
 * (dedi.emailbison.com/api/reference) for `/api/webhook-url`, and its answer of event types as a public integration recorded it in October 2025.
 * An update switches off the events that it does not list. Whether a webhook is switched off cannot be read.
 */
import type { SequencerCallOptions } from '../calls/send-request.ts';
import type { RegisteredWebhook, WebhookAnswer, WebhookClient, WebhookTarget } from './types.ts';
import {
  callAboutWebhooks,
  type CallBody,
  done,
  failed,
  fieldsOf,
  idFrom,
  notUnderstood,
  success,
  textOf,
  textsOf,
} from './webhook-call.ts';

const PLATFORM = 'EmailBison';
const PAGES_MAX = 20;

/** Not `lead_first_contacted`, which repeats `email_sent`. */
const EVENTS = [
  ...['email_sent', 'manual_email_sent', 'email_opened', 'lead_replied', 'lead_interested', 'lead_unsubscribed'],
  ...['email_bounced', 'untracked_reply_received'],
];

export interface EmailbisonWebhooksOptions extends Omit<SequencerCallOptions, 'baseUrl'> {
  /** The instance of keys that name none; undefined when every key has to name one. */
  baseUrl: string | undefined;
  /** For addresses that customers choose: calls public addresses only. */
  guardedFetch: typeof globalThis.fetch;
}

export function createEmailbisonWebhooks({
  baseUrl,
  guardedFetch,
  ...shared
}: EmailbisonWebhooksOptions): WebhookClient {
  const call = async (
    { token, instanceUrl }: WebhookTarget,
    method: 'GET' | 'POST' | 'PUT' | 'DELETE',
    path: string,
    more: { body?: unknown; accepts?: readonly number[] } = {},
  ): Promise<WebhookAnswer<CallBody>> => {
    const address = instanceUrl ?? baseUrl;
    if (address === undefined) {
      return failed('the key names no instance of EmailBison: svc-server sequencer-keys update --instance-url', false);
    }
    const options = { ...shared, baseUrl: address, fetch: instanceUrl === null ? shared.fetch : guardedFetch };
    return callAboutWebhooks(options, {
      ...{ platform: PLATFORM, token, method, path: `/api/webhook-url${path}`, ...more },
      headers: { Authorization: `Bearer ${token}` },
    });
  };

  return {
    events: EVENTS,
    hasOneEventEach: false,
    hasCampaigns: false,
    overrulesCampaigns: false,
    isUrlUnique: false,
    secretIn: null,
    async list(target) {
      const found: RegisteredWebhook[] = [];
      for (let page = 1; page <= PAGES_MAX; page += 1) {
        const answer = await call(target, 'GET', page === 1 ? '' : `?page=${page}`);
        if (answer.status === 'error') return answer;
        const { data, meta } = fieldsOf(answer.value.body);
        if (!Array.isArray(data)) return notUnderstood(PLATFORM);
        found.push(...data.flatMap((row) => readWebhook(row) ?? []));
        if (page >= Number(fieldsOf(meta)['last_page'] ?? 1)) return success(found);
      }
      return notUnderstood(PLATFORM);
    },
    async create(target, { url, name }) {
      const answer = await call(target, 'POST', '', { body: { name, url, events: EVENTS } });
      if (answer.status === 'error') return answer;
      return idFrom(PLATFORM, fieldsOf(fieldsOf(answer.value.body)['data'])['id']);
    },
    async setEvents(target, { id, url, name }, events) {
      const body = { name: name ?? url, url, events };
      return done(await call(target, 'PUT', `/${encodeURIComponent(id)}`, { body }));
    },
    remove: async (target, id) => done(await call(target, 'DELETE', `/${encodeURIComponent(id)}`, { accepts: [404] })),
  };
}

function readWebhook(row: unknown): RegisteredWebhook | null {
  const { id, url, name, events } = fieldsOf(row);
  const ownId = textOf(id);
  const ownUrl = textOf(url);
  if (ownId === null || ownUrl === null) return null;
  const own = textsOf(events).map((event) => event.toLowerCase());
  return { id: ownId, url: ownUrl, name: textOf(name), events: own, isEnabled: true };
}
