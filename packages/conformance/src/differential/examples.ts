/** Differences found earlier, each with the few steps that showed it in the world of `exampleWorld`. */
import { SOURCE_CONFIG_DEFAULTS } from '@svc/contract/schemas';
import type { WorldInput } from '@svc/domain/world';
import type { OperationId } from '@svc/contract/operations';
import type { CallStep, Reference, Step } from './steps.ts';
import type { PairKind } from './id-pairs.ts';

const TOKEN = 'osapi_example';

function call(operationId: OperationId, method: string, more: Partial<CallStep> = {}): CallStep {
  return { kind: 'call', operationId, method, token: TOKEN, params: [], query: [], headers: {}, body: null, ...more };
}

/** Refers to the world's row at an index. */
function row(of: PairKind, at: number): Reference {
  return { of, at, isOwn: false };
}

function post(source: number, payload: object): Step {
  return { kind: 'post', source, text: JSON.stringify(payload), headers: { 'content-type': 'application/json' } };
}

const settle: Step = { kind: 'settle' };

export const EXAMPLES: readonly (readonly [name: string, steps: readonly Step[]])[] = [
  [
    'retries of two syncs whose payloads have no event id write the right event each',
    [
      call('retrySync', 'POST', { params: [row('sync', 0)] }),
      settle,
      call('retrySync', 'POST', { params: [row('sync', 1)] }),
      settle,
      { kind: 'observe' },
    ],
  ],
  [
    'a list is read even if its name has no ASCII letters',
    [call('resyncBlocklist', 'POST', { params: [row('blocklist', 0)] }), settle, { kind: 'observe' }],
  ],
  [
    'a disconnected CRM is reported as such, even if this release cannot write to it',
    [post(1, { event_type: 'EMAIL_SENT', stats_id: 'x', to_email: 'a@example.org' }), settle, { kind: 'observe' }],
  ],
  [
    'a mapping reads the events of a source: lists, ignored and unknown names, and bodies that it does not understand',
    [
      post(2, { calls: [{ event: 'Call-Ended', lead: { email: 'A@example.org' } }], lead: 'b@example.org' }),
      post(2, { event: 'call.rated', rating: 'Interested', lead: 'b@example.org' }),
      post(2, { calls: [{ event: 'ring' }, { event: 'call.ended' }, 7, null], lead: 'c@example.org' }),
      post(2, { calls: [{ event: 'call.lost', lead: { email: 'd@example.org' } }] }),
      post(2, { event: 'test' }),
      post(2, { __proto__: null, constructor: 1 }),
      post(2, [[], {}]),
      settle,
      { kind: 'observe' },
    ],
  ],
  [
    'a webhook of the world with a private address is not called',
    [call('testWebhook', 'POST', { params: [row('webhook', 0)] }), settle, { kind: 'observe' }],
  ],
];

const bounced = (lead: string) => ({
  event_type: 'email_bounced',
  timestamp: '2026-02-10T08:00:31.000Z',
  lead_email: lead,
  email_account: 'lea@outreach.example.com',
});

export function exampleWorld(): WorldInput {
  const config = SOURCE_CONFIG_DEFAULTS;
  const connection = {
    accountId: 1,
    organizationId: '1',
    organizationDomain: 'example.com',
    canUseApi: true,
    capabilities: { sync: true, destinations: true, blocklists: true },
    recordedError: null,
    createdAt: '-30d',
  };
  const request = { accountId: 1, connectionId: 1, sourceId: 1, path: 'one', outcome: 'synced' as const };
  const sync = {
    accountId: 1,
    connectionId: 1,
    sourceId: 1,
    status: 'error' as const,
    eventType: 'EMAIL_BOUNCE',
    platform: 'instantly',
    error: null,
    createdAt: '-1h',
  };
  return {
    version: 1,
    name: 'examples',
    accounts: [{ id: 1, email: 'owner@example.com', canUseWebhooks: true, createdAt: '-30d' }],
    apiKeys: [
      {
        id: 1,
        accountId: 1,
        token: TOKEN,
        name: 'Only key',
        scopes: ['read', 'write'],
        connectionScope: 'account',
        connectionId: null,
        createdAt: '-30d',
        revokedAt: null,
        rotatedAt: null,
      },
    ],
    connections: [
      { ...connection, id: 1, crm: 'HUBSPOT', crmToken: 'any' },
      { ...connection, id: 2, crm: 'PIPEDRIVE', crmToken: null },
    ],
    sources: [
      { id: 1, connectionId: 1, platform: 'instantly', path: 'one', config, createdAt: '-30d' },
      { id: 2, connectionId: 2, platform: 'smartlead', path: 'two', config, createdAt: '-30d' },
      {
        id: 3,
        connectionId: 1,
        platform: 'my-dialer',
        mapping: {
          items: ['calls', '$'],
          fields: { eventName: 'event', email: ['lead.email', '$.lead'], categoryName: 'rating' },
          eventTypes: { 'call.ended': 'CALL_COMPLETED', 'call.rated': 'LEAD_CATEGORY_UPDATED', ring: 'ignored' },
        },
        path: 'three',
        config,
        createdAt: '-30d',
      },
    ],
    destinations: [],
    replyRelays: [],
    blocklists: [
      {
        id: 1,
        connectionId: 1,
        listName: '\u5ba2\u6237',
        crmListId: '9',
        crm: 'HUBSPOT',
        platform: 'smartlead',
        blockType: 'ADDRESS',
        status: 'SYNCED',
        isEnabled: true,
        hasActiveFetchJob: false,
        clientId: null,
        syncedCount: 3,
        pendingCount: 0,
        lastFetchedAt: '-2h',
        lastError: null,
        lastAttemptedAt: '-2h',
        createdAt: '-30d',
      },
    ],
    requests: [
      { id: 1, ...request, body: bounced('first@example.org'), createdAt: '-2h' },
      { id: 2, ...request, body: bounced('second@example.org'), createdAt: '-2h' },
    ],
    syncs: [
      { id: 1, ...sync, payloadId: 1, toEmail: 'first@example.org' },
      { id: 2, ...sync, payloadId: 2, toEmail: 'second@example.org' },
    ],
    deliveries: [],
    categorySignals: [],
    syncHealth: [],
    webhooks: [
      {
        id: 'oswhk_1',
        accountId: 1,
        url: 'https://10.0.0.7/private',
        description: '',
        enabledEvents: [],
        isActive: true,
        autoDisabledAt: null,
        consecutiveDeadCount: 0,
        secret: 'oswhsec_1',
        createdAt: '-30d',
        updatedAt: '-30d',
        deletedAt: null,
      },
    ],
    events: [],
    webhookDeliveries: [],
  };
}
