import { toBusinessDomain } from '../business-domain.ts';
import { CrmFailure } from '../http-failure.ts';
import type { WrittenContact } from './contacts.ts';
import { asList, asObject, associate } from './records.ts';
import { type HubspotSession, upsertByOwnProperty } from './session.ts';

/**
 * Writes the company of a contact, identified by its domain.
 *
 * HubSpot's `domain` is not unique, so it cannot be the key of an upsert, and search alone would race because its index
 * lags by seconds. Therefore an existing company with the domain is used unchanged if search finds it; otherwise one is
 * upserted by a unique property of our own, so that two concurrent writers create only one.
 *
 * A contact with a company keeps it. Without a business domain there is no stable key and therefore no company.
 */
export async function writeCompany(session: HubspotSession, contact: WrittenContact): Promise<void> {
  const { companyDomain, companyName, email } = session.write.event.contact;
  const domain = toBusinessDomain(companyDomain, email);
  if (domain === null || contact.companyId !== null) return;
  const key = `${session.accountKey}/${domain}`;
  const companyId = await session.caches.companies.get(key, () =>
    findOrCreateCompany(session, domain, companyName ?? domain),
  );
  try {
    await associate(
      session.client,
      ['contacts', contact.id],
      ['companies', companyId],
      'the association with the company',
    );
  } catch (error) {
    if (error instanceof CrmFailure) session.caches.companies.delete(key);
    throw error;
  }
}

async function findOrCreateCompany(session: HubspotSession, domain: string, name: string): Promise<string> {
  const part = 'the company';
  const { body } = await session.client.call({
    operation: 'search_companies',
    method: 'POST',
    path: '/crm/v3/objects/companies/search',
    body: {
      filterGroups: [{ filters: [{ propertyName: 'domain', operator: 'EQ', value: domain }] }],
      // Always the same one if there are several.
      sorts: [{ propertyName: 'createdate', direction: 'ASCENDING' }],
      properties: ['domain'],
      limit: 1,
    },
    part,
  });
  const { id } = asObject(asList(asObject(body)['results'])[0]);
  if (typeof id === 'string' && /^\d+$/.test(id)) return id;
  const record = await upsertByOwnProperty(session, {
    objectType: 'companies',
    idProperty: 'svc_company_domain',
    id: domain,
    properties: { domain, name },
    part,
  });
  return record.id;
}
