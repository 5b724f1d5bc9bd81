import { asList, asObject, asText } from '../http/answer-values.ts';
import { toBlockedDomain } from '@svc/domain/blocklists/blocklist-entry';
import { companyDomainOf } from '../events/company-domain.ts';
import type { CrmWrite } from '../port/types.ts';
import { asId, readPages, unexpected } from './client.ts';
import { createOwned, findCompanyOwner } from './owners.ts';
import { createOnce, once, type PipedriveSession, toRecord, toSince, type Warnings } from './session.ts';
import { ensureOwnField } from './settings.ts';

/**
 * Finds or creates the organization of a contact, identified by its domain.
 *
 * Pipedrive cannot search for a website, so the domain is kept in a field of our own. An organization that somebody else
 * made is found by its name, and used only when its website has the domain: many firms share a name. Without a business
 * domain there is no stable key and therefore no organization.
 */

const PART = 'the organization';

/** Returns the id; null when the event asks for none, or has no business domain. @throws CrmFailure */
export async function findOrCreateOrganization(
  session: PipedriveSession,
  write: CrmWrite,
  warnings: Warnings,
): Promise<number | null> {
  const { companyName } = write.event.contact;
  const domain = companyDomainOf(write);
  if (domain === null) return null;
  const identity = `domain:${domain}`;
  return once(session, identity, async () => {
    await session.records.load([identity]);
    const known = session.records.get(identity);
    if (known !== null) return Number(known.recordId);
    const code = await ensureOwnField(session, 'companyDomain');
    const toRecords = (id: number) => [toRecord(identity, 'organization', String(id), session.now())];
    const isPending = session.records.pendingSince(identity) !== null;
    const found = isPending ? null : await searchOrganization(session, domain, companyName, code);
    if (found !== null) {
      await session.records.write(toRecords(found));
      return found;
    }
    return createOnce(session, {
      identity,
      recordType: 'organization',
      find: (since) => findNewOrganization(session, domain, code, since),
      create: async () => {
        const ownerId = await findCompanyOwner(session, write.plan, warnings);
        return createOwned(ownerId, warnings, async (owner) => {
          const body = { name: companyName ?? domain, custom_fields: { [code]: domain }, ...owner };
          const path = '/api/v2/organizations';
          const call = { operation: 'organizations_write', method: 'POST', path, kind: 'write' } as const;
          const id = asId(asObject((await session.client.call({ ...call, body, part: PART })).data)['id']);
          if (id === null) throw unexpected(PART);
          return id;
        });
      },
      toRecords,
    });
  });
}

async function searchOrganization(
  session: PipedriveSession,
  domain: string,
  name: string | null,
  code: string,
): Promise<number | null> {
  const byDomain = await search(session, domain, 'custom_fields');
  const found = await findWithDomain(session, byDomain, domain, code);
  if (found !== null || name === null) return found;
  return findWithDomain(session, await search(session, name, 'name'), domain, code);
}

async function search(session: PipedriveSession, term: string, fields: string): Promise<number[]> {
  const query = new URLSearchParams({ term, fields, exact_match: 'true', limit: '20' });
  const path = `/api/v2/organizations/search?${query}`;
  const call = { operation: 'organizations_search', method: 'GET', kind: 'search', path, part: PART } as const;
  const { data } = await session.client.call(call);
  return asList(asObject(data)['items']).flatMap((entry) => asId(asObject(asObject(entry)['item'])['id']) ?? []);
}

/** Returns the oldest of these organizations that has the domain. */
async function findWithDomain(
  session: PipedriveSession,
  ids: readonly number[],
  domain: string,
  code: string,
): Promise<number | null> {
  if (ids.length === 0) return null;
  return findInList(session, `/api/v2/organizations?ids=${ids.join(',')}&sort_by=id&limit=100`, domain, code);
}

function findNewOrganization(session: PipedriveSession, domain: string, code: string, since: Date) {
  const path = `/api/v2/organizations?updated_since=${toSince(since)}&sort_by=id&limit=500`;
  return findInList(session, path, domain, code);
}

async function findInList(
  session: PipedriveSession,
  path: string,
  domain: string,
  code: string,
): Promise<number | null> {
  const call = { operation: 'organizations_read', path, part: PART } as const;
  for await (const { items } of readPages(session.client, call)) {
    const found = items.find((item) => {
      const { website, custom_fields } = asObject(item);
      const own = asText(asObject(custom_fields)[code]);
      return own?.toLowerCase() === domain || toBlockedDomain(asText(website) ?? '') === domain;
    });
    const id = asId(asObject(found)['id']);
    if (id !== null) return id;
  }
  return null;
}
