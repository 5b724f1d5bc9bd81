import { toBusinessDomain } from '../business-domain.ts';
import { CrmFailure } from '../http-failure.ts';
import type { WrittenContact } from './contacts.ts';
import { asList, asObject, associate } from './records.ts';
import { type HubspotSession, upsertByOwnProperty } from './session.ts';

/**
 * The company of a contact, by its domain.
 *
 * HubSpot's `domain` is not unique, so nothing can be upserted by it; search alone would race, its index lags by seconds.
 * Therefore: a company of that domain that search finds is taken as it is; where there is none, one is upserted by a unique
 * property of our own, so that two writers who both find nothing still make one company.
 *
 * A contact that has a company keeps it. Without a business domain there is no stable key, hence no company.
 */
export async function writeCompany(session: HubspotSession, contact: WrittenContact): Promise<void> {
  const { companyDomain, companyName, email } = session.write.event.contact;
  const domain = toBusinessDomain(companyDomain, email);
  if (domain === null || contact.companyId !== null) return;
  const key = `${session.accountKey}/${domain}`;
  const companyId = await session.memory.companies.get(key, () =>
    findOrMakeCompany(session, domain, companyName ?? domain),
  );
  try {
    await associate(
      session.client,
      ['contacts', contact.id],
      ['companies', companyId],
      'the association with the company',
    );
  } catch (error) {
    if (error instanceof CrmFailure) session.memory.companies.forget(key);
    throw error;
  }
}

async function findOrMakeCompany(session: HubspotSession, domain: string, name: string): Promise<string> {
  const part = 'the company';
  const { body } = await session.client.call({
    method: 'POST',
    path: '/crm/v3/objects/companies/search',
    body: {
      filterGroups: [{ filters: [{ propertyName: 'domain', operator: 'EQ', value: domain }] }],
      // Of several, always the same one.
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
