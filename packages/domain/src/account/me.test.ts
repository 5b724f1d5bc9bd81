import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseContactIdentity, parseEmail } from '../contacts/contact-identity.ts';
import { parseDateRange } from '../requests/date-range.ts';
import { type MeInput, meResponse } from './me.ts';

const INPUT: MeInput = {
  account: { id: 1, email: 'owner@example.com' },
  key: { name: 'CI', scopes: ['write'], connectionScope: 'account', connectionId: null },
  connections: [
    { id: 12, crm: 'SALESFORCE', organizationId: 'org-12', organizationDomain: 'b.example.com' },
    { id: 3, crm: 'HUBSPOT', organizationId: 'org-3', organizationDomain: 'a.example.com' },
  ],
  urls: { apiUrl: 'https://api.example.com', docsUrl: 'https://docs.example.com/api' },
  now: new Date('2026-03-31T12:00:00.001Z'),
};

const LAST_7_DAYS = 'from=2026-03-24T12:00:00.001Z&to=2026-03-31T12:00:00.001Z';

const queryOf = (href: string) => Object.fromEntries(new URL(href).searchParams);

describe('meResponse', () => {
  test('holds account, key and connections by id, and no other columns', () => {
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
    ['accountMetrics', `https://api.example.com/api/v1/account/metrics?${LAST_7_DAYS}`],
    ['connections', 'https://api.example.com/api/v1/connections'],
    ['destinations', 'https://api.example.com/api/v1/destinations'],
    ['requests', `https://api.example.com/api/v1/requests?${LAST_7_DAYS}`],
    ['destinationsReplyRelays', 'https://api.example.com/api/v1/destinations/reply-relays'],
    ['sources', 'https://api.example.com/api/v1/sources'],
    ['contactsOutreach', 'https://api.example.com/api/v1/contacts/outreach?email=owner%40example.com'],
    ['syncs', `https://api.example.com/api/v1/syncs?${LAST_7_DAYS}`],
    ['documentation', 'https://docs.example.com/api'],
    ['openapi', 'https://api.example.com/api/v1/openapi.json'],
  ] as const)('link %s', (name, href) => {
    const links = meResponse(INPUT).links;
    expect(links[name]).toEqual({ href, description: expect.stringMatching(/\S/) });
    expect(meResponse({ ...INPUT, urls: { ...INPUT.urls, apiUrl: 'https://api.example.com/' } }).links).toEqual(links);
  });

  test('descriptions name the required parameters and say that a query is an example', () => {
    for (const { href, description } of Object.values(meResponse(INPUT).links)) {
      expect(description.includes('as an example')).toBe(href.includes('?'));
      for (const name of Object.keys(queryOf(href))) expect(description).toMatch(new RegExp(`needs .*\\b${name}\\b`));
    }
  });

  test('ranges cover the 7 days before now', () => {
    const times = fc.date({
      min: new Date('1970-02-01T00:00:00Z'),
      max: new Date('9999-12-31T00:00:00Z'),
      noInvalidDate: true,
    });
    fc.assert(
      fc.property(times, (now) => {
        const { accountMetrics, requests, syncs } = meResponse({ ...INPUT, now }).links;
        for (const { href } of [accountMetrics, requests, syncs]) {
          expect(parseDateRange(queryOf(href))).toEqual({ from: new Date(now.getTime() - 7 * 86_400_000), to: now });
        }
      }),
    );
  });

  test('the outreach link finds any email', () => {
    const emails = fc.oneof(
      fc.emailAddress(),
      fc.constantFrom('a+b@example.com', "o'neil&co=1#?@example.com", 'jörg@bücher.example'),
    );
    fc.assert(
      fc.property(emails, (email) => {
        fc.pre(isReadable(email));
        const { contactsOutreach } = meResponse({ ...INPUT, account: { id: 1, email } }).links;
        const { email: asked, profileUrl } = queryOf(contactsOutreach.href);
        expect(parseContactIdentity({ email: asked, profileUrl }).email).toBe(parseEmail(email));
      }),
    );
  });
});

/** Some generated addresses have forms that `parseEmail` refuses. */
function isReadable(email: string): boolean {
  try {
    parseEmail(email);
    return true;
  } catch {
    return false;
  }
}
