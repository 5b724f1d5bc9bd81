import { openapiJson } from '@svc/contract/document';
import { SOURCE_CONFIG_DEFAULTS } from '@svc/contract/schemas';
import type { AccountStatusResponse, Connection, MeResponse, Source, Sync } from '@svc/contract/types';

export const NOW_MS = Date.parse('2026-03-15T12:00:00.000Z');

const DOCS = 'https://docs.example.com/status';

export const ACCOUNT_STATUS: AccountStatusResponse = {
  ready: false,
  checkedAt: '2026-03-15T12:00:00.000Z',
  connections: [
    {
      connectionId: 11,
      crm: 'HUBSPOT',
      ready: true,
      crmConnection: { status: 'ready', crm: 'HUBSPOT', organizationId: '4711', organizationDomain: 'acme.example' },
      sources: { status: 'ready', count: 3, platforms: ['instantly', 'smartlead'] },
      destinations: {
        status: 'ready',
        count: 3,
        eventTypes: ['EMAIL_REPLY', 'EMAIL_SENT'],
        forwardingCount: 2,
        replyRelayCount: 1,
      },
      blocklists: {
        status: 'error',
        enabledCount: 2,
        lastError: 'The list "Do not contact" is gone',
        lastFetchedAt: null,
      },
    },
    {
      connectionId: 12,
      crm: 'SALESFORCE',
      ready: true,
      crmConnection: {
        status: 'ready',
        crm: 'SALESFORCE',
        organizationId: '00D1',
        organizationDomain: 'acme-sales.example',
      },
      sources: { status: 'ready', count: 1, platforms: ['salesloft'] },
      destinations: { status: 'not_configured', count: 0, eventTypes: [], forwardingCount: 0, replyRelayCount: 0 },
      blocklists: { status: 'disabled', enabledCount: 0, lastError: null, lastFetchedAt: null },
    },
    {
      connectionId: 13,
      crm: 'PIPEDRIVE',
      ready: false,
      crmConnection: {
        status: 'disconnected',
        crm: 'PIPEDRIVE',
        organizationId: '9',
        organizationDomain: 'acme-labs.example',
      },
      sources: { status: 'not_configured', count: 0, platforms: [] },
      destinations: { status: 'not_configured', count: 0, eventTypes: [], forwardingCount: 0, replyRelayCount: 0 },
      blocklists: { status: 'not_configured', enabledCount: 0, lastError: null, lastFetchedAt: null },
    },
  ],
  blockers: [
    {
      code: 'crm_disconnected',
      connectionId: 13,
      crm: 'PIPEDRIVE',
      message: 'The CRM token of this connection is missing, so nothing can be written.',
      remediation: 'Open https://app.example.com/connections/13 and connect the CRM again as its administrator.',
      docUrl: `${DOCS}#crm-disconnected`,
    },
  ],
  warnings: [
    {
      code: 'destinations_not_configured',
      connectionId: 12,
      crm: 'SALESFORCE',
      message: 'Destinations are enabled, but there is none.',
      remediation: 'Add a destination, or leave it if events need not be forwarded.',
      docUrl: `${DOCS}#destinations`,
    },
  ],
};

export const CONNECTIONS: Connection[] = [
  {
    id: 11,
    crm: 'HUBSPOT',
    status: 'ready',
    organizationId: '4711',
    organizationDomain: 'acme.example',
    capabilities: { sync: true, destinations: true, blocklists: true },
    createdAt: '2025-01-02T03:04:05.000Z',
  },
  {
    id: 13,
    crm: 'PIPEDRIVE',
    status: 'disconnected',
    organizationId: '9',
    organizationDomain: 'acme-labs.example',
    capabilities: { sync: true, destinations: false, blocklists: false },
    createdAt: '2025-06-02T03:04:05.000Z',
  },
];

/** A source of the contract's examples, which has every field. */
const EXAMPLE_SOURCE: Source =
  JSON.parse(openapiJson).paths['/api/v1/sources'].get.responses['200'].content['application/json'].examples.two.value
    .sources[0];

export const SOURCES: Source[] = [
  {
    ...EXAMPLE_SOURCE,
    id: 21,
    url: 'https://in.example.com/webhooks/k3jd82ls',
    platform: 'smartlead',
    connectionId: 11,
    crm: 'HUBSPOT',
    config: { ...SOURCE_CONFIG_DEFAULTS, createOrUpdateCompany: true, assignContactOwner: true },
    destinations: [
      { url: 'https://hooks.example.com/a', description: '', eventTypes: ['EMAIL_SENT'], isDelayed: false },
    ],
    replyRelay: { id: 5, description: 'Sales', ccEmail: 'rep@acme.example', delayMinutes: 5 },
    createdAt: '2025-01-02T03:04:05.000Z',
  },
  {
    ...EXAMPLE_SOURCE,
    id: 22,
    url: 'https://in.example.com/webhooks/4711/99',
    platform: 'instantly',
    connectionId: 11,
    crm: 'HUBSPOT',
    config: SOURCE_CONFIG_DEFAULTS,
    destinations: [],
    replyRelay: null,
    createdAt: '2025-02-02T03:04:05.000Z',
  },
];

const link = (path: string) => ({ href: `https://api.example.com${path}`, description: path });

export const ME: MeResponse = {
  account: { id: 1, email: 'owner@acme.example' },
  apiKey: { name: 'CI', scopes: ['read'], connectionScope: 'account', connectionId: null },
  connections: [{ id: 11, crm: 'HUBSPOT', organizationId: '4711', organizationDomain: 'acme.example' }],
  links: {
    accountStatus: link('/api/v1/account/status'),
    accountMetrics: link('/api/v1/account/metrics'),
    connections: link('/api/v1/connections'),
    destinations: link('/api/v1/destinations'),
    requests: link('/api/v1/requests'),
    destinationsReplyRelays: link('/api/v1/destinations/reply-relays'),
    sources: link('/api/v1/sources'),
    contactsOutreach: link('/api/v1/contacts/outreach'),
    syncs: link('/api/v1/syncs'),
    documentation: link('/docs'),
    openapi: link('/api/v1/openapi.json'),
  },
};

export function createSync(id: number, fields: Partial<Sync> = {}): Sync {
  return {
    id,
    status: 'success',
    connectionId: 11,
    sourceId: 21,
    eventType: 'EMAIL_SENT',
    toEmail: `contact${id}@example.com`,
    platform: 'smartlead',
    payloadId: 10_000 + id,
    error: null,
    createdAt: '2026-03-15T08:00:00.000Z',
    ...fields,
  };
}

/** Creates `count` syncs spread evenly over the `spanMs` before `toMs`, newest first. */
export function createSyncLog(count: number, toMs: number, spanMs: number): Sync[] {
  return Array.from({ length: count }, (_unused, index) =>
    createSync(count - index, {
      createdAt: new Date(toMs - Math.floor((index * spanMs) / count)).toISOString(),
      status: index % 10 === 0 ? 'error' : 'success',
      error: index % 10 === 0 ? { code: 'VALIDATION', message: 'property "x" is not known' } : null,
    }),
  );
}
