/** Rows that cases need in addition to the demo world, mostly keys that fail several checks at once. */
import type { WorldInput } from '@svc/domain/world';

/** Keys; they hold `write` unless their names say otherwise. */
export const EXTRA_KEYS = {
  /** Keys of the account without webhooks. */
  noWebhooksRead: 'osapi_suite_no_webhooks_read',
  noWebhooksConnection: 'osapi_suite_no_webhooks_connection',
  noWebhooksConnectionRead: 'osapi_suite_no_webhooks_connection_read',
  /** Keys of an account without API access and webhooks. */
  nothing: 'osapi_suite_nothing',
  nothingConnectionRead: 'osapi_suite_nothing_connection_read',
  /** A revoked key of a connection without API access. */
  revokedNoApi: 'osapi_suite_revoked_no_api',
} as const;

/** Deliveries of one webhook in the same millisecond, which are ordered by id. */
export const TIED_DELIVERY_IDS = ['oswhd_tieA', 'oswhd_tieZ', 'oswhd_tie_', 'oswhd_tiea', 'oswhd_tieb'];

/** Idle block lists on HUBSPOT, one for each case. */
export const IDLE_LIST_IDS = [911, 912, 913, 914, 915, 916, 917, 918, 919, 920] as const;
/** A block list with a running fetch. */
export const FETCHING_LIST_ID = 931;
/** A block list that was never fetched. */
export const NEW_LIST_ID = 932;

/** Recipient of a single sync, a category event. */
export const CATEGORIZED = 'categorized@example.com';

/** A pending delivery of an event whose connection has no API access. */
export const HIDDEN_DELIVERY = { id: 'oswhd_suitehidden', webhookId: 'oswhk_demo01' } as const;
/** Host of a webhook with a pending delivery, of the account that may not use webhooks. */
export const SWITCHED_OFF_HOST = 'switched-off.example.com';

/** A receipt whose payload was deleted, and its delivery to destination 1. */
export const DROPPED_PAYLOAD_ID = 890_001;

/** A source of the other account whose connection may not sync. */
export const UNSYNCED_SOURCE_ID = 902;
/** A source of the main account without bindings. */
export const UNBOUND_SOURCE_ID = 903;

/** Sources of the main account whose posts need a secret: one for each check, the first also with a replaced one. */
export const SECRET_SOURCES = [
  { id: 904, platform: 'instantly', check: 'header', name: 'x-suite-event-secret' },
  { id: 905, platform: 'smartlead', check: 'hmac-sha256', name: 'x-smartlead-signature' },
  { id: 906, platform: 'salesloft', check: 'hmac-sha1', name: 'x-salesloft-signature' },
  { id: 907, platform: 'lemlist', check: 'body', name: 'secret' },
  { id: 910, platform: 'warmysender', check: 'timed-hmac-sha256', name: 'x-warmy-signature' },
  { id: 911, platform: 'origami', check: 'standard-webhooks', name: 'webhook-signature' },
] as const;
/** A source of the main account with a relay of its own, which sends replies of leads in one category. */
export const RELAYED_SOURCE = { id: 908, relayId: 908, delayMinutes: 10, categoryName: 'Meeting Request' } as const;
/** A source of the main account whose platform has no adapter: a mapping reads lists of calls. */
export const MAPPED_SOURCE = { id: 909, platform: 'suite-dialer' } as const;
/** A source of the main account without a mapping, whose platform has a ready one. */
export const READY_SOURCE = { id: 912, platform: 'woodpecker' } as const;
/** Sources of the main account with write policies: one holds events until a lead replies, one creates contacts only when they reply. */
export const HOLDING_SOURCE_ID = 913;
export const REPLIES_SOURCE_ID = 914;
/** Also base64, which secrets of Standard Webhooks are. */
export const SOURCE_SECRETS = ['suitesecret=', 'suitereplacedsecret='] as const;

const UNSYNCED_CONNECTION_ID = 902;
const NOTHING_ID = 901;
const NO_WEBHOOKS = { accountId: 4, connectionId: 7 };
const OFF_WEBHOOK_ID = 'oswhk_suiteoff';
const OFF_EVENT_ID = 'osevt_suiteoff';

/** Adds the rows to the demo world. */
export function addExtraFixtures(world: WorldInput): WorldInput {
  const nothing = { accountId: NOTHING_ID, connectionId: NOTHING_ID };
  const pending = {
    status: 'PENDING' as const,
    attemptCount: 1,
    lastAttemptAt: '-1m',
    lastHttpStatus: 503,
    lastError: 'HTTP 503',
    nextAttemptAt: '+1m',
    replayOfDeliveryId: null,
    createdAt: '-2m',
    updatedAt: '-1m',
  };
  const [webhook] = world.webhooks.filter(({ id }) => id === HIDDEN_DELIVERY.webhookId);
  const [hidden] = world.events.filter(({ connectionId }) => connectionId === 4);
  const [original] = world.webhookDeliveries.filter(({ status }) => status === 'SUCCEEDED');
  const [api] = world.connections.filter(({ id }) => id === 4);
  const [source] = world.sources.filter(({ id }) => id === 1);
  const [rest] = world.blocklists.filter(({ id }) => id === 1);
  const [request] = world.requests.filter(({ sourceId }) => sourceId === 1);
  const [delivery] = world.deliveries.filter(
    ({ destinationId, status }) => destinationId === 1 && status === 'success',
  );
  const [sync] = world.syncs.filter(({ sourceId, status }) => sourceId === 1 && status === 'success');
  const [fetching] = world.blocklists.filter(({ status }) => status === 'FETCHING');
  if (!original || !api || !source || !rest || !sync || !fetching || !webhook || !hidden || !request || !delivery)
    throw new Error('The demo world lacks a row that the extra fixtures copy.');
  return {
    ...world,
    accounts: [
      ...world.accounts,
      { id: NOTHING_ID, email: 'nothing@example.com', canUseWebhooks: false, createdAt: '-90d' },
    ],
    connections: [
      ...world.connections,
      { ...api, id: NOTHING_ID, accountId: NOTHING_ID, organizationId: '9010001' },
      {
        ...api,
        id: UNSYNCED_CONNECTION_ID,
        accountId: 2,
        organizationId: '9020001',
        canUseApi: true,
        capabilities: { sync: false, destinations: true, blocklists: false },
      },
    ],
    sources: [
      ...world.sources,
      { ...source, id: UNSYNCED_SOURCE_ID, connectionId: UNSYNCED_CONNECTION_ID, path: 'suite-unsynced' },
      { ...source, id: UNBOUND_SOURCE_ID, path: 'suite-unbound' },
      { ...source, id: RELAYED_SOURCE.id, path: 'suite-relayed' },
      {
        ...source,
        ...MAPPED_SOURCE,
        path: 'suite-mapped',
        mapping: {
          items: 'calls',
          fields: {
            eventName: ['header:x-suite-event', 'query:event'],
            eventKey: 'id',
            email: ['lead.email', 'lead.fields[name=Email].value'],
            categoryName: '$.category',
          },
          eventTypes: {
            'call.ended': 'CALL_COMPLETED',
            'call.started': 'ignored',
            'lead.rated': 'LEAD_CATEGORY_UPDATED',
          },
        },
      },
      { ...source, ...READY_SOURCE, path: 'suite-ready' },
      {
        ...source,
        id: HOLDING_SOURCE_ID,
        path: 'suite-holding',
        policy: { holdUntil: { reply: true }, events: [{ when: { types: ['EMAIL_OPEN'] }, write: [] }] },
      },
      { ...source, id: REPLIES_SOURCE_ID, path: 'suite-replies', policy: { create: 'on-reply' } },
      ...SECRET_SOURCES.map(({ id, platform, check, name }) => ({
        ...source,
        ...{ id, platform, path: `suite-secret-${id}` },
        secrets: SOURCE_SECRETS.map((secret) => ({ check, name, secret })),
      })),
    ],
    replyRelays: [
      ...world.replyRelays,
      {
        id: RELAYED_SOURCE.relayId,
        connectionId: source.connectionId,
        description: 'Suite',
        ccEmail: 'rep@suite.example.com',
        delayMinutes: RELAYED_SOURCE.delayMinutes,
        bodyTemplates: ['{{leadEmail}} of {{campaignName}} wrote: {{replyText}}'],
        categoryAllowlist: [{ id: 'other', name: RELAYED_SOURCE.categoryName }],
        sourceIds: [RELAYED_SOURCE.id],
        createdAt: '-1d',
      },
    ],
    apiKeys: [
      ...world.apiKeys,
      key(901, EXTRA_KEYS.noWebhooksRead, NO_WEBHOOKS.accountId, { scopes: ['read'] }),
      key(902, EXTRA_KEYS.noWebhooksConnection, NO_WEBHOOKS.accountId, ofConnection(NO_WEBHOOKS.connectionId)),
      key(903, EXTRA_KEYS.noWebhooksConnectionRead, NO_WEBHOOKS.accountId, {
        ...ofConnection(NO_WEBHOOKS.connectionId),
        scopes: ['read'],
      }),
      key(904, EXTRA_KEYS.nothing, nothing.accountId, {}),
      key(905, EXTRA_KEYS.nothingConnectionRead, nothing.accountId, {
        ...ofConnection(nothing.connectionId),
        scopes: ['read'],
      }),
      key(906, EXTRA_KEYS.revokedNoApi, 3, { revokedAt: '-10d' }),
    ],
    blocklists: [
      ...world.blocklists,
      ...IDLE_LIST_IDS.map((id) => ({
        ...rest,
        id,
        listName: `Suite ${id}`,
        crmListId: String(9_000 + id),
        syncedCount: 12,
      })),
      {
        ...rest,
        id: NEW_LIST_ID,
        listName: 'Suite, new',
        crmListId: String(9_000 + NEW_LIST_ID),
        status: 'CREATED',
        syncedCount: 0,
        lastFetchedAt: null,
        lastAttemptedAt: null,
      },
      { ...fetching, id: FETCHING_LIST_ID, listName: 'Suite, fetching', crmListId: String(9_000 + FETCHING_LIST_ID) },
    ],
    webhooks: [
      ...world.webhooks,
      {
        ...webhook,
        id: OFF_WEBHOOK_ID,
        accountId: NO_WEBHOOKS.accountId,
        url: `https://${SWITCHED_OFF_HOST}/hook`,
        secret: 'oswhsec_suiteoff',
      },
    ],
    events: [...world.events, { ...hidden, ...NO_WEBHOOKS, id: OFF_EVENT_ID, sourceId: null }],
    requests: [...world.requests, { ...request, id: DROPPED_PAYLOAD_ID, outcome: 'synced', body: null }],
    deliveries: [...world.deliveries, { ...delivery, id: DROPPED_PAYLOAD_ID, payloadId: DROPPED_PAYLOAD_ID }],
    syncs: [
      ...world.syncs,
      { ...sync, id: 890_001, eventType: 'LEAD_CATEGORY_UPDATED', toEmail: CATEGORIZED, payloadId: null },
    ],
    webhookDeliveries: [
      ...world.webhookDeliveries,
      { ...pending, ...HIDDEN_DELIVERY, eventId: hidden.id },
      { ...pending, id: 'oswhd_suiteoff', eventId: OFF_EVENT_ID, webhookId: OFF_WEBHOOK_ID },
      ...TIED_DELIVERY_IDS.map((id) => ({ ...original, id, replayOfDeliveryId: original.id })),
    ],
  };
}

type KeyInput = WorldInput['apiKeys'][number];

function key(id: number, token: string, accountId: number, more: Partial<KeyInput>): KeyInput {
  return {
    id,
    accountId,
    token,
    name: `Suite ${id}`,
    scopes: ['read', 'write'],
    connectionScope: 'account',
    connectionId: null,
    createdAt: '-80d',
    revokedAt: null,
    rotatedAt: null,
    ...more,
  };
}

function ofConnection(connectionId: number): Pick<KeyInput, 'connectionScope' | 'connectionId'> {
  return { connectionScope: 'connection', connectionId };
}
