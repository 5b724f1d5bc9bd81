/**
 * The webhooks of seven sequencers, as their documentation has them; each call's source and date are in
 * `sequencers/src/webhooks/<platform>.ts`. They post nothing.
 */
export type WebhookPlatform =
  | 'smartlead'
  | 'instantly'
  | 'emailbison'
  | 'lemlist'
  | 'reply-io'
  | 'heyreach'
  | 'salesloft';

export interface SimulatedWebhook {
  id: string;
  platform: WebhookPlatform;
  /** The API key of the calls: its account. */
  token: string;
  name: string | null;
  url: string;
  /** Null: everything. */
  events: string[] | null;
  /** Null: all campaigns. */
  campaignId: string | null;
  isEnabled: boolean;
  /** What each post would carry. */
  secret: string | null;
  headers: Record<string, string>;
}

export interface WebhookCallReceived {
  method: string;
  url: URL;
  /** The API key; empty when it is missing. */
  token: string;
  body: Readonly<Record<string, unknown>>;
}

interface Reply {
  status: number;
  body: unknown;
}

type Handle = (call: WebhookCallReceived, part: string) => Reply;

export interface SimulatedWebhooks {
  /** Returns what handles a call; null for a call about something else. */
  find(
    method: string,
    path: string,
  ): { platform: WebhookPlatform; handle: (call: WebhookCallReceived) => Reply } | null;
  list(): readonly SimulatedWebhook[];
  /** Changes a webhook as a person at the sequencer would. */
  change(id: string, changes: Partial<SimulatedWebhook>): void;
  remove(id: string): void;
  clear(): void;
}

const NOT_FOUND: Reply = { status: 404, body: { message: 'Not found' } };

export function createSimulatedWebhooks(): SimulatedWebhooks {
  let hooks: SimulatedWebhook[] = [];
  let made = 0;

  const text = (value: unknown): string | null =>
    typeof value === 'string' ? value : typeof value === 'number' ? String(value) : null;
  const texts = (value: unknown): string[] => (Array.isArray(value) ? value.flatMap((item) => text(item) ?? []) : []);
  const of = (platform: WebhookPlatform, { token }: WebhookCallReceived) =>
    hooks.filter((hook) => hook.platform === platform && hook.token === token);
  const find = (platform: WebhookPlatform, call: WebhookCallReceived, id: string) =>
    of(platform, call).find((hook) => hook.id === id);

  function add(platform: WebhookPlatform, { token }: WebhookCallReceived, fields: Partial<SimulatedWebhook>) {
    made += 1;
    const id = platform === 'lemlist' ? `hoo_${made}` : platform === 'instantly' ? `0190-${made}` : String(made);
    const hook: SimulatedWebhook = {
      ...{ id, platform, token, name: null, url: '', events: null, campaignId: null, isEnabled: true },
      ...{ secret: null, headers: {} },
      ...fields,
    };
    hooks = [...hooks, hook];
    return hook;
  }
  function drop(platform: WebhookPlatform, call: WebhookCallReceived, id: string, body: unknown): Reply {
    const hook = find(platform, call, id);
    if (hook === undefined) return NOT_FOUND;
    hooks = hooks.filter((other) => other !== hook);
    return { status: 200, body };
  }
  const asSmartlead = ({ id, name, url, events }: SimulatedWebhook) => ({
    ...{ id: Number(id), name, webhook_url: url },
    ...{ event_types: events ?? [], categories: [] },
  });
  const asInstantly = ({ id, name, url, events, campaignId, isEnabled, headers }: SimulatedWebhook) => ({
    ...{ id, name, target_hook_url: url, event_type: events?.[0] ?? 'all_events' },
    ...{ campaign: campaignId, status: isEnabled ? 1 : -1, headers },
  });
  const asEmailbison = ({ id, name, url, events }: SimulatedWebhook) => ({ id: Number(id), name, url, events });
  const asReplyIo = ({ id, url, events, isEnabled }: SimulatedWebhook) => ({
    ...{ id: Number(id), eventType: events?.[0], url, scope: 'team', enabled: isEnabled },
  });

  const asHeyreach = ({ id, name, url, events, campaignId, isEnabled }: SimulatedWebhook) => ({
    ...{ id: Number(id), webhookName: name, webhookUrl: url, eventType: events?.[0], isActive: isEnabled },
    campaignIds: campaignId === null ? [] : [Number(campaignId)],
  });
  const asSalesloft = ({ id, url, events, isEnabled }: SimulatedWebhook) => ({
    ...{ id: Number(id), callback_url: url, event_type: events?.[0], enabled: isEnabled },
  });

  const ROUTES: readonly [WebhookPlatform, method: string, path: RegExp, Handle][] = [
    [
      'smartlead',
      'POST',
      /^\/api\/v1\/webhook\/create$/,
      (call) => {
        const { webhook_url: url, event_type_map: map, association_type: level, name } = call.body;
        const campaignId = level === 'campaign' ? text(call.body['email_campaign_id']) : null;
        if (level !== 'user' && level !== 'campaign') return { status: 400, body: { message: 'association_type' } };
        const similar = of('smartlead', call).find((hook) => hook.url === url && hook.campaignId === campaignId);
        if (similar !== undefined && call.body['force_create'] !== true) {
          return { status: 200, body: { ok: true, id: Number(similar.id), webhook_url: similar.url } };
        }
        const events = typeof map === 'object' && map !== null ? Object.keys(map) : [];
        const hook = add('smartlead', call, { url: text(url) ?? '', name: text(name), events, campaignId });
        return { status: 200, body: { ok: true, id: Number(hook.id), webhook_url: hook.url } };
      },
    ],
    [
      'smartlead',
      'GET',
      /^\/api\/v1\/webhook\/([^/]+)$/,
      (call, id) => {
        const hook = find('smartlead', call, id);
        return hook === undefined ? NOT_FOUND : { status: 200, body: asSmartlead(hook) };
      },
    ],
    [
      'smartlead',
      'DELETE',
      /^\/api\/v1\/webhook\/delete\/([^/]+)$/,
      (call, id) => drop('smartlead', call, id, { ok: true }),
    ],
    [
      'smartlead',
      'GET',
      /^\/api\/v1\/campaigns\/([^/]+)\/webhooks$/,
      (call, id) => ({
        status: 200,
        body: of('smartlead', call)
          .filter(({ campaignId }) => campaignId === id)
          .map(asSmartlead),
      }),
    ],
    [
      'instantly',
      'GET',
      /^\/api\/v2\/webhooks$/,
      (call) => {
        const limit = Number(call.url.searchParams.get('limit') ?? 10);
        const all = of('instantly', call);
        const from = all.findIndex(({ id }) => id === call.url.searchParams.get('starting_after')) + 1;
        const items = all.slice(from, from + limit);
        const hasMore = from + limit < all.length;
        const cursor = hasMore ? { next_starting_after: items.at(-1)?.id } : {};
        return { status: 200, body: { items: items.map(asInstantly), ...cursor } };
      },
    ],
    [
      'instantly',
      'POST',
      /^\/api\/v2\/webhooks$/,
      (call) => {
        const { target_hook_url: url, event_type: event, campaign, name, headers = {} } = call.body;
        const hook = add('instantly', call, {
          ...{ url: text(url) ?? '', name: text(name), campaignId: text(campaign) },
          events: event === 'all_events' ? null : texts([event]),
          headers: Object.fromEntries(Object.entries(headers ?? {}).map(([key, value]) => [key, String(value)])),
        });
        return { status: 200, body: asInstantly(hook) };
      },
    ],
    [
      'instantly',
      'POST',
      /^\/api\/v2\/webhooks\/([^/]+)\/resume$/,
      (call, id) => {
        const hook = find('instantly', call, id);
        if (hook === undefined) return NOT_FOUND;
        hook.isEnabled = true;
        return { status: 200, body: asInstantly(hook) };
      },
    ],
    ['instantly', 'DELETE', /^\/api\/v2\/webhooks\/([^/]+)$/, (call, id) => drop('instantly', call, id, null)],
    [
      'lemlist',
      'GET',
      /^\/api\/hooks$/,
      (call) => ({
        status: 200,
        body: of('lemlist', call).map(({ id, url, events, campaignId }) => ({
          ...{ _id: id, targetUrl: url, createdAt: '2026-03-01T12:00:00.000Z' },
          ...(events === null ? {} : { type: events[0] }),
          ...(campaignId === null ? {} : { campaignId }),
        })),
      }),
    ],
    [
      'lemlist',
      'POST',
      /^\/api\/hooks$/,
      (call) => {
        const { targetUrl, type, campaignId, secret } = call.body;
        const url = text(targetUrl) ?? '';
        if (of('lemlist', call).some((hook) => hook.url === url)) {
          return { status: 409, body: 'The hook exists already' };
        }
        const own = text(type);
        const hook = add('lemlist', call, {
          ...{ url, campaignId: text(campaignId), secret: text(secret) },
          events: own === null ? null : [own],
        });
        return { status: 200, body: { _id: hook.id, targetUrl: hook.url } };
      },
    ],
    ['lemlist', 'DELETE', /^\/api\/hooks\/([^/]+)$/, (call, id) => drop('lemlist', call, id, { _id: id })],
    [
      'emailbison',
      'GET',
      /^\/api\/webhook-url$/,
      (call) => ({ status: 200, body: { data: of('emailbison', call).map(asEmailbison) } }),
    ],
    [
      'emailbison',
      'POST',
      /^\/api\/webhook-url$/,
      (call) => {
        const { name, url, events } = call.body;
        const hook = add('emailbison', call, { name: text(name), url: text(url) ?? '', events: texts(events) });
        return { status: 201, body: { data: asEmailbison(hook) } };
      },
    ],
    [
      'emailbison',
      'PUT',
      /^\/api\/webhook-url\/([^/]+)$/,
      (call, id) => {
        const hook = find('emailbison', call, id);
        if (hook === undefined) return NOT_FOUND;
        hook.events = texts(call.body['events']);
        return { status: 200, body: { data: asEmailbison(hook) } };
      },
    ],
    [
      'emailbison',
      'DELETE',
      /^\/api\/webhook-url\/([^/]+)$/,
      (call, id) => drop('emailbison', call, id, { data: { success: true } }),
    ],
    ['reply-io', 'GET', /^\/v3\/webhooks$/, (call) => ({ status: 200, body: of('reply-io', call).map(asReplyIo) })],
    [
      'reply-io',
      'POST',
      /^\/v3\/webhooks$/,
      (call) => {
        const { eventType, url, scope } = call.body;
        if (scope !== 'team' && scope !== 'personal') return { status: 400, body: { message: 'scope' } };
        const hook = add('reply-io', call, { url: text(url) ?? '', events: texts([eventType]) });
        return { status: 201, body: asReplyIo(hook) };
      },
    ],
    [
      'reply-io',
      'POST',
      /^\/v3\/webhooks\/([^/]+)\/enable$/,
      (call, id) => {
        const hook = find('reply-io', call, id);
        if (hook === undefined) return NOT_FOUND;
        hook.isEnabled = true;
        return { status: 204, body: undefined };
      },
    ],
    ['reply-io', 'DELETE', /^\/v3\/webhooks\/([^/]+)$/, (call, id) => drop('reply-io', call, id, null)],
    [
      'heyreach',
      'POST',
      /^\/api\/public\/webhooks\/GetAllWebhooks$/,
      (call) => {
        const all = of('heyreach', call);
        const offset = Number(call.body['offset'] ?? 0);
        const items = all.slice(offset, offset + Number(call.body['limit'] ?? 10)).map(asHeyreach);
        return { status: 200, body: { totalCount: all.length, items } };
      },
    ],
    [
      'heyreach',
      'POST',
      /^\/api\/public\/webhooks\/CreateWebhook$/,
      (call) => {
        const { webhookName, webhookUrl, eventType, campaignIds } = call.body;
        if (!Array.isArray(campaignIds)) return { status: 400, body: { errorMessage: 'campaignIds' } };
        const campaignId = text(campaignIds[0]);
        const fields = { name: text(webhookName), url: text(webhookUrl) ?? '', events: texts([eventType]), campaignId };
        return { status: 200, body: asHeyreach(add('heyreach', call, fields)) };
      },
    ],
    [
      'heyreach',
      'PATCH',
      /^\/api\/public\/webhooks\/UpdateWebhook$/,
      (call) => {
        const hook = find('heyreach', call, call.url.searchParams.get('webhookId') ?? '');
        if (hook === undefined) return NOT_FOUND;
        hook.isEnabled = call.body['isActive'] !== false;
        return { status: 200, body: asHeyreach(hook) };
      },
    ],
    [
      'heyreach',
      'DELETE',
      /^\/api\/public\/webhooks\/DeleteWebhook$/,
      (call) => drop('heyreach', call, call.url.searchParams.get('webhookId') ?? '', null),
    ],
    [
      'salesloft',
      'GET',
      /^\/v2\/webhook_subscriptions$/,
      (call) => ({ status: 200, body: { data: of('salesloft', call).map(asSalesloft) } }),
    ],
    [
      'salesloft',
      'POST',
      /^\/v2\/webhook_subscriptions$/,
      (call) => {
        const { callback_url: url, callback_token: secret, event_type: event } = call.body;
        if (text(secret) === null) return { status: 422, body: { error: 'callback_token' } };
        const fields = { url: text(url) ?? '', secret: text(secret), events: texts([event]) };
        return { status: 200, body: { data: asSalesloft(add('salesloft', call, fields)) } };
      },
    ],
    [
      'salesloft',
      'PUT',
      /^\/v2\/webhook_subscriptions\/([^/]+)$/,
      (call, id) => {
        const hook = find('salesloft', call, id);
        if (hook === undefined) return NOT_FOUND;
        hook.isEnabled = call.body['enabled'] === true;
        return { status: 200, body: { data: asSalesloft(hook) } };
      },
    ],
    [
      'salesloft',
      'DELETE',
      /^\/v2\/webhook_subscriptions\/([^/]+)$/,
      (call, id) => drop('salesloft', call, id, undefined),
    ],
  ];

  return {
    find(method, path) {
      for (const [platform, ofMethod, pattern, handle] of ROUTES) {
        const match = ofMethod === method ? pattern.exec(path) : null;
        if (match !== null) {
          const part = decodeURIComponent(match[1] ?? '');
          return { platform, handle: (call) => handle(call, part) };
        }
      }
      return null;
    },
    list: () => hooks,
    change(id, changes) {
      hooks = hooks.map((hook) => (hook.id === id ? { ...hook, ...changes } : hook));
    },
    remove(id) {
      hooks = hooks.filter((hook) => hook.id !== id);
    },
    clear() {
      hooks = [];
    },
  };
}
