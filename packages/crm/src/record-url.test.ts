import { describe, expect, test } from 'vitest';
import { type RecordPlace, recordUrl } from './record-url.ts';

const place = (
  crm: string,
  access: Partial<RecordPlace['access']> | null,
  more: Partial<RecordPlace> = {},
): RecordPlace => ({
  crm,
  organizationId: '4711',
  organizationDomain: 'northwind.example.com',
  access: access && { accessToken: 'secret', tokenType: 'private', apiUrl: null, ...access },
  ...more,
});

describe('HubSpot', () => {
  const contact = { recordType: 'contacts', recordId: '101' };
  test.each([
    ['pat-na1-abc', 'https://app.hubspot.com/contacts/4711/record/0-1/101'],
    ['pat-eu1-abc', 'https://app-eu1.hubspot.com/contacts/4711/record/0-1/101'],
    ['pat-na2-abc', 'https://app-na2.hubspot.com/contacts/4711/record/0-1/101'],
  ])('the token %s says the region', (accessToken, url) => {
    expect(recordUrl(place('HUBSPOT', { accessToken }), contact)).toBe(url);
  });

  test('no link where the region, the portal, the type or the id is not known', () => {
    const known = place('HUBSPOT', { accessToken: 'pat-eu1-abc' });
    expect(recordUrl(place('HUBSPOT', null), contact)).toBeNull();
    expect(recordUrl(place('HUBSPOT', { accessToken: 'a-token' }), contact)).toBeNull();
    expect(recordUrl(place('HUBSPOT', { accessToken: 'pat-eu1-abc', tokenType: 'oauth' }), contact)).toBeNull();
    expect(recordUrl({ ...known, organizationId: 'northwind' }, contact)).toBeNull();
    expect(recordUrl(known, { ...contact, recordType: 'emails' })).toBeNull();
    expect(recordUrl(known, { ...contact, recordId: 'pending' })).toBeNull();
  });
});

describe('Salesforce', () => {
  const lead = { recordType: 'Lead', recordId: '00Q5g00000ABCDEEA3' };
  const apiUrl = 'https://northwind.my.salesforce.com';
  test('the host is that of the API, else the domain of the organization', () => {
    const url = 'https://northwind.my.salesforce.com/00Q5g00000ABCDEEA3';
    expect(recordUrl(place('SALESFORCE', { tokenType: 'oauth', apiUrl }), lead)).toBe(url);
    expect(recordUrl(place('SALESFORCE', null, { organizationDomain: 'northwind.my.salesforce.com' }), lead)).toBe(url);
  });

  test.each([
    'http://northwind.my.salesforce.com',
    'http://127.0.0.1:4000',
    'https://salesforce.com.evil.example',
    'https://evilsalesforce.com',
    'no url',
  ])('no link to %s', (other) => {
    expect(recordUrl(place('SALESFORCE', { apiUrl: other }), lead)).toBeNull();
  });

  test('no link with an id that is none', () => {
    expect(recordUrl(place('SALESFORCE', { apiUrl }), { ...lead, recordId: '../setup' })).toBeNull();
    expect(recordUrl(place('SALESFORCE', null), lead)).toBeNull();
  });
});

describe('Pipedrive', () => {
  const person = { recordType: 'person', recordId: '12' };
  test('the host is that of the company', () => {
    const url = 'https://northwind.pipedrive.com/person/12';
    expect(
      recordUrl(place('PIPEDRIVE', { tokenType: 'oauth', apiUrl: 'https://northwind.pipedrive.com' }), person),
    ).toBe(url);
    expect(recordUrl(place('PIPEDRIVE', {}, { organizationDomain: 'northwind.pipedrive.com' }), person)).toBe(url);
  });

  test('no link to a host of all companies, and none for what is no record', () => {
    expect(recordUrl(place('PIPEDRIVE', {}, { organizationDomain: 'app.pipedrive.com' }), person)).toBeNull();
    expect(recordUrl(place('PIPEDRIVE', {}), person)).toBeNull();
    const known = place('PIPEDRIVE', {}, { organizationDomain: 'northwind.pipedrive.com' });
    expect(recordUrl(known, { ...person, recordId: 'pending' })).toBeNull();
    expect(recordUrl(known, { ...person, recordType: 'note' })).toBeNull();
  });
});

test('a CRM that this release does not know has no links', () => {
  expect(recordUrl(place('OTHER', {}), { recordType: 'person', recordId: '1' })).toBeNull();
});
