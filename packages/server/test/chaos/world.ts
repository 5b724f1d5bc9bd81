/** The account of a chaos run: a connection to each CRM, with sources, destinations, relays, block lists and a webhook. */
import { SOURCE_CONFIG_DEFAULTS } from '@svc/contract/schemas';
import { parseWorld, type World } from '@svc/domain/world';

export const API_KEY = 'osapi_chaos';
export const CRMS = ['HUBSPOT', 'SALESFORCE', 'PIPEDRIVE'] as const;
const ORGANIZATIONS = ['1000001', '00D000000000001EAA', '7000001'];
export const CRM_TOKENS = CRMS.map((_, index) => `token-${index + 1}`);
export const SOURCES = [1, 2, 3, 4, 5, 6];
/** Sources 1 and 4 belong to the first connection, 2 and 5 to the second, 3 and 6 to the third. */
export const connectionOfSource = (source: number) => ((source - 1) % CRMS.length) + 1;
export const pathOfSource = (source: number) => `chaos-${source}`;

/** Which events of which source each destination gets. */
const DESTINATIONS = [
  { connectionId: 1, bindings: { 1: ['EMAIL_SENT', 'EMAIL_REPLY'] } },
  { connectionId: 1, bindings: { 1: ['EMAIL_REPLY'], 4: ['EMAIL_SENT'] } },
  { connectionId: 2, bindings: { 2: ['EMAIL_SENT', 'EMAIL_REPLY'] } },
  { connectionId: 3, bindings: { 3: ['EMAIL_REPLY'], 6: ['EMAIL_SENT', 'EMAIL_REPLY'] } },
];
/** The sources of each relay. */
const RELAYS = [
  { connectionId: 1, sourceIds: [1, 4] },
  { connectionId: 2, sourceIds: [2] },
];
/** The connections of the block lists. */
const BLOCKLISTS = [
  { connectionId: 1, crm: 'HUBSPOT', platform: 'smartlead', crmListId: '9001' },
  { connectionId: 3, crm: 'PIPEDRIVE', platform: 'instantly', crmListId: '9002' },
];

const createdAt = '-30d';

export function chaosWorld(): World {
  return parseWorld({
    version: 1,
    name: 'chaos',
    accounts: [{ id: 1, email: 'owner@example.com', canUseWebhooks: true, createdAt }],
    apiKeys: [
      {
        ...{ id: 1, accountId: 1, token: API_KEY, name: 'Chaos', scopes: ['read', 'write'], createdAt },
        ...{ connectionScope: 'account', connectionId: null, revokedAt: null, rotatedAt: null },
      },
    ],
    connections: CRMS.map((crm, index) => ({
      ...{ id: index + 1, accountId: 1, crm, organizationId: ORGANIZATIONS[index], organizationDomain: 'example.com' },
      ...{ canUseApi: true, capabilities: { sync: true, destinations: true, blocklists: true }, createdAt },
      ...{ crmToken: CRM_TOKENS[index], recordedError: null },
    })),
    sources: SOURCES.map((id) => ({
      ...{ id, connectionId: connectionOfSource(id), platform: 'smartlead', path: pathOfSource(id), createdAt },
      config: SOURCE_CONFIG_DEFAULTS,
    })),
    destinations: DESTINATIONS.map(({ connectionId, bindings }, index) => ({
      ...{ id: index + 1, connectionId, url: 'https://chaos.example.com/', description: '', createdAt },
      bindings: Object.entries(bindings).map(([sourceId, eventTypes]) => ({
        ...{ sourceId: Number(sourceId), eventTypes, isDelayed: false },
      })),
    })),
    replyRelays: RELAYS.map(({ connectionId, sourceIds }, index) => ({
      ...{ id: index + 1, connectionId, description: '', ccEmail: `rep-${index + 1}@example.com`, delayMinutes: 0 },
      ...{ bodyTemplates: ['{{leadName}} replied.'], categoryAllowlist: [], sourceIds, createdAt },
    })),
    blocklists: BLOCKLISTS.map((list, index) => ({
      ...{ id: index + 1, ...list, listName: `Customers ${index + 1}`, blockType: 'ADDRESS', status: 'CREATED' },
      ...{ isEnabled: true, hasActiveFetchJob: false, clientId: null, syncedCount: 0, pendingCount: 0 },
      ...{ lastFetchedAt: null, lastError: null, lastAttemptedAt: null, createdAt },
    })),
    webhooks: [
      {
        ...{ id: 'oswhk_chaos1', accountId: 1, url: 'https://chaos.example.com/webhook', description: '' },
        ...{ enabledEvents: [], isActive: true, autoDisabledAt: null, consecutiveDeadCount: 0 },
        ...{ secret: 'oswhsec_chaos1', createdAt, updatedAt: createdAt, deletedAt: null },
      },
    ],
    ...{
      requests: [],
      syncs: [],
      deliveries: [],
      categorySignals: [],
      syncHealth: [],
      events: [],
      webhookDeliveries: [],
    },
  });
}
