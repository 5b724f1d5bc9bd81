/** The records of people in CRMs, as this service remembers them, with links to them. The CRM is not asked. */
import { recordUrl } from '@svc/crm';
import type { Context } from '../context.ts';
import { listPersonRecords } from '../store/crm-records.ts';
import { readGrant, toAccess } from './grants.ts';

export interface PersonRecord {
  connectionId: number;
  crm: string;
  recordType: string;
  recordId: string;
  /** Address of the record in the CRM; null where it is not known without asking the CRM. */
  url: string | null;
  /** When the CRM showed or confirmed the record last. */
  checkedAt: Date;
  /** The address or profile URL under which the record is remembered, in lower case. */
  person: string;
}

/** Returns the identities under which records of people are remembered. @param people addresses and profile URLs in lower case, as they are stored */
export function recordIdentities(people: readonly string[]): string[] {
  return [...new Set(people)].map((person) => `${person.includes('/') ? 'url' : 'email'}:${person}`);
}

/** @param people addresses and profile URLs in lower case, as they are stored */
export async function findPersonRecords(
  { db, secrets }: Pick<Context, 'db' | 'secrets'>,
  connectionIds: readonly number[],
  people: readonly string[],
): Promise<PersonRecord[]> {
  const found = await listPersonRecords(db, connectionIds, recordIdentities(people));
  const accesses = new Map<number, ReturnType<typeof accessOf>>();
  return found.map(({ identity, organizationId, organizationDomain, sealedCrmToken, ...record }): PersonRecord => {
    const { connectionId } = record;
    // A page of people has few connections.
    if (!accesses.has(connectionId)) accesses.set(connectionId, accessOf(secrets, connectionId, sealedCrmToken));
    const access = accesses.get(connectionId) ?? null;
    const place = { crm: record.crm, organizationId, organizationDomain, access };
    return { ...record, url: recordUrl(place, record), person: identity.slice(identity.indexOf(':') + 1) };
  });
}

/** Null when the token cannot be decrypted, which other pages and `doctor` report. */
function accessOf(secrets: Context['secrets'], id: number, sealed: string | null) {
  if (sealed === null) return null;
  try {
    return toAccess(readGrant(secrets.decrypt(sealed, { kind: 'CRM token', id })));
  } catch {
    return null;
  }
}
