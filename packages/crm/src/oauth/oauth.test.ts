import { expect, test } from 'vitest';
import { createCrmOauth } from './oauth.ts';

const VENDORS = {
  HUBSPOT: { loginUrl: 'https://app.hubspot.com', apiUrl: 'https://api.hubapi.com' },
  SALESFORCE: { loginUrl: 'https://login.salesforce.com', apiUrl: '' },
  PIPEDRIVE: { loginUrl: 'https://oauth.pipedrive.com', apiUrl: 'https://api.pipedrive.com' },
};

function isOwnUrl(crm: string, url: string, urls = VENDORS): boolean | undefined {
  const fetch = () => Promise.reject(new Error('no call is expected'));
  return createCrmOauth({ clients: {}, urls, fetch, now: () => new Date(0) })
    .get(crm)
    ?.isOwnUrl(url);
}

test.each([
  ['SALESFORCE', 'https://acme.my.salesforce.com'],
  ['SALESFORCE', 'https://acme--dev.sandbox.my.salesforce.com'],
  ['SALESFORCE', 'https://ACME.my.Salesforce.com:443'],
  ['PIPEDRIVE', 'https://acme.pipedrive.com'],
])('%s: %s may get tokens', (crm, url) => {
  expect(isOwnUrl(crm, url)).toBe(true);
});

test.each([
  'http://acme.my.salesforce.com',
  'https://acme.my.salesforce.com:8443',
  'https://acme.my.salesforce.com.',
  'https://acme.my.salesforce.com.example.org',
  'https://evilsalesforce.com',
  'https://example.org/.salesforce.com',
  'https://example.org#.salesforce.com',
  String.raw`https://example.org\.salesforce.com`,
  'https://kim@acme.my.salesforce.com',
  'https://acme.my.salesforce.com@example.org',
  'https://acme.my.sаlesforce.com',
  'https://acme.my.salesforce.com/services/apexrest/take',
  'https://acme.my.salesforce.com?to=',
  'https://acme.my.salesforce.com#to',
  'https://127.0.0.1:8080',
  'ftp://acme.my.salesforce.com',
  'acme.my.salesforce.com',
  '',
])('%s gets no tokens of Salesforce', (url) => {
  expect(isOwnUrl('SALESFORCE', url)).toBe(false);
});

test('loopback addresses may get tokens only where the configured one is loopback', () => {
  const urls = { ...VENDORS, SALESFORCE: { loginUrl: 'http://127.0.0.1:4000', apiUrl: '' } };
  expect(isOwnUrl('SALESFORCE', 'http://127.0.0.1:4001', urls)).toBe(true);
  expect(isOwnUrl('PIPEDRIVE', 'http://127.0.0.1:4001', urls)).toBe(false);
});
