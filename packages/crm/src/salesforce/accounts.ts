import { asText, chunks } from '../http/answer-values.ts';
import { toBlockedDomain } from '@svc/domain/blocklists/blocklist-entry';
import { companyDomainOf } from '../events/company-domain.ts';
import { CrmFailure } from '../http/http-failure.ts';
import type { CrmRecord } from '../port/types.ts';
import { accountOwnerOf, type Owners } from './owners.ts';
import type { Person } from './people.ts';
import { warningOf, writeRepairing } from './repair.ts';
import { type SalesforceSession, warnEvents } from './session.ts';
import { anyOf, contains } from './soql.ts';
import { isId } from './values.ts';

/**
 * Finds or creates the account of each contact that has none, by the domain of its company.
 *
 * `Website` is free text, so it is searched for the domain and its host is compared here. Of several accounts the oldest is
 * used. Leads have no account.
 */

/** Domains in one query: the search reads all accounts of the org. */
const DOMAINS_MAX = 50;
const REMEMBERED_MS = 24 * 60 * 60 * 1000;
const NAME_MAX = 255;
const PART = 'the account';

/** Under what the account of a domain is remembered. */
export function toAccountIdentity(domain: string): string {
  return `domain:${domain}`;
}

/** Returns the id of the account of each domain; a refusal is a warning of the events. @throws CrmFailure */
export async function findAccounts(
  session: SalesforceSession,
  people: readonly Person[],
  owners: Owners,
): Promise<ReadonlyMap<string, string>> {
  const wanted = toWanted(people);
  if (wanted.size === 0) return new Map();
  const remembered = await session.records.read([...wanted.keys()].map(toAccountIdentity));
  const found = new Map<string, string>();
  for (const domain of wanted.keys()) {
    const known = remembered.get(toAccountIdentity(domain));
    if (known !== undefined && session.now().getTime() - known.checkedAt.getTime() <= REMEMBERED_MS)
      found.set(domain, known.recordId);
  }
  const unknown = [...wanted.keys()].filter((domain) => !found.has(domain));
  if (unknown.length === 0) return found;
  try {
    await searchAccounts(session, unknown, found);
    await createAccounts(session, unknown, wanted, { found, owners });
  } catch (error) {
    if (!(error instanceof CrmFailure && error.isRefusal)) throw error;
    for (const domain of unknown) for (const person of wanted.get(domain) ?? []) warnEvents(person.events, error.error);
  }
  await session.records.write(
    unknown.flatMap((domain): CrmRecord[] => {
      const recordId = found.get(domain);
      return recordId === undefined ? [] : [toRemembered(domain, recordId, session.now())];
    }),
  );
  return found;
}

/** Returns the domain of a person whose events ask for an account and who has none; null otherwise. */
export function domainOf({ record, newType, events }: Person): string | null {
  if ((record?.type ?? newType) !== 'Contact') return null;
  // A record that was not read has all that its events ask for.
  if (record !== null && (record.accountId !== null || record.row === null)) return null;
  return events.map(({ write }) => companyDomainOf(write)).find((domain) => domain !== null) ?? null;
}

function toWanted(people: readonly Person[]): ReadonlyMap<string, Person[]> {
  const wanted = new Map<string, Person[]>();
  for (const person of people) {
    const domain = domainOf(person);
    if (domain === null) continue;
    const others = wanted.get(domain);
    if (others === undefined) wanted.set(domain, [person]);
    else others.push(person);
  }
  return wanted;
}

async function searchAccounts(
  { client }: SalesforceSession,
  domains: readonly string[],
  found: Map<string, string>,
): Promise<void> {
  const queries = chunks(domains, DOMAINS_MAX).map((some) => ({
    soql: `SELECT Id, Website FROM Account WHERE ${anyOf(some.map((domain) => contains('Website', domain)))} ORDER BY CreatedDate, Id`,
    part: `the search for ${PART}`,
  }));
  for (const row of (await client.query(queries)).flat()) {
    const host = toBlockedDomain(asText(row['Website']) ?? '');
    const { Id: id } = row;
    if (host !== null && isId(id) && domains.includes(host) && !found.has(host)) found.set(host, id);
  }
}

async function createAccounts(
  { client }: SalesforceSession,
  domains: readonly string[],
  wanted: ReadonlyMap<string, readonly Person[]>,
  { found, owners }: { found: Map<string, string>; owners: Owners },
): Promise<void> {
  const missing = domains.filter((domain) => !found.has(domain));
  if (missing.length === 0) return;
  const records = missing.map((domain) => {
    const events = (wanted.get(domain) ?? []).flatMap((person) => person.events);
    const names = events.map(({ write }) => write.event.contact.companyName);
    const name = names.find((text) => text !== null && text.trim() !== '') ?? domain;
    const ownerId = accountOwnerOf(events, owners);
    const values = {
      Name: name.slice(0, NAME_MAX),
      Website: domain,
      ...(ownerId === null ? {} : { OwnerId: ownerId }),
    };
    return { type: 'Account', values, required: ['Name', 'Website'] };
  });
  const results = await writeRepairing(client, records, { operation: 'accounts_create', part: PART });
  for (const [index, domain] of missing.entries()) {
    const repaired = results[index];
    if (repaired === undefined) continue;
    const { result, left } = repaired;
    if (result.isWritten) found.set(domain, result.id);
    else if (!result.failure.isRefusal) throw result.failure;
    const warning = result.isWritten ? warningOf(left) : result.failure.error;
    if (warning !== null) for (const person of wanted.get(domain) ?? []) warnEvents(person.events, warning);
  }
}

function toRemembered(domain: string, recordId: string, checkedAt: Date): CrmRecord {
  return {
    identity: toAccountIdentity(domain),
    recordType: 'Account',
    recordId,
    detailsHash: null,
    ownerId: null,
    companyId: null,
    checkedAt,
  };
}
