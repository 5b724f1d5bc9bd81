import { describe, expect, test } from 'vitest';
import { type MeInput, meResponse } from './me.ts';

const INPUT: MeInput = {
  account: { id: 1, email: 'owner@example.com' },
  key: { name: 'CI', scopes: ['write'], connectionScope: 'account', connectionId: null },
  connections: [
    { id: 12, crm: 'SALESFORCE', organizationId: 'org-12', organizationDomain: 'b.example.com' },
    { id: 3, crm: 'HUBSPOT', organizationId: 'org-3', organizationDomain: 'a.example.com' },
  ],
  urls: { apiUrl: 'https://api.example.com', docsUrl: 'https://docs.example.com/api' },
};

describe('meResponse', () => {
  test('account, key and connections by id, nothing else of their rows', () => {
    const secretive = {
      ...INPUT,
      account: { ...INPUT.account, passwordHash: 'x' },
      key: { ...INPUT.key, tokenHash: 'x' },
      connections: INPUT.connections.map((connection) => ({ ...connection, crmToken: 'x' })),
    };
    const { links, ...rest } = meResponse(secretive);
    expect(rest).toEqual({
      account: { id: 1, email: 'owner@example.com' },
      apiKey: { name: 'CI', scopes: ['read', 'write'], connectionScope: 'account', connectionId: null },
      connections: [
        { id: 3, crm: 'HUBSPOT', organizationId: 'org-3', organizationDomain: 'a.example.com' },
        { id: 12, crm: 'SALESFORCE', organizationId: 'org-12', organizationDomain: 'b.example.com' },
      ],
    });
    expect(Object.keys(links)).toHaveLength(11);
  });

  test('connectionId is set for connection-scoped keys only', () => {
    const withScope = (connectionScope: 'account' | 'connection') =>
      meResponse({ ...INPUT, key: { ...INPUT.key, connectionScope, connectionId: 3 } }).apiKey.connectionId;
    expect([withScope('connection'), withScope('account')]).toEqual([3, null]);
  });

  test.each([
    ['accountStatus', 'https://api.example.com/api/v1/account/status'],
    ['accountMetrics', 'https://api.example.com/api/v1/account/metrics'],
    ['connections', 'https://api.example.com/api/v1/connections'],
    ['destinations', 'https://api.example.com/api/v1/destinations'],
    ['requests', 'https://api.example.com/api/v1/requests'],
    ['destinationsReplyRelays', 'https://api.example.com/api/v1/destinations/reply-relays'],
    ['sources', 'https://api.example.com/api/v1/sources'],
    ['contactsOutreach', 'https://api.example.com/api/v1/contacts/outreach'],
    ['syncs', 'https://api.example.com/api/v1/syncs'],
    ['documentation', 'https://docs.example.com/api'],
    ['openapi', 'https://api.example.com/api/v1/openapi.json'],
  ] as const)('link %s', (name, href) => {
    const links = meResponse(INPUT).links;
    expect(links[name]).toEqual({ href, description: expect.stringMatching(/\S/) });
    expect(meResponse({ ...INPUT, urls: { ...INPUT.urls, apiUrl: 'https://api.example.com/' } }).links).toEqual(links);
  });
});
